package shipping

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is returned for a job submitted to a closed pool.
var ErrClosed = errors.New("shipping: pool is closed")

// A Pool is a fixed number of goroutines that work off a queue of jobs.
type Pool[J any] struct {
	Config[J]
	jobs chan J
	wg   sync.WaitGroup

	mu      sync.Mutex
	idle    sync.Cond // signalled when nothing is pending
	closed  bool
	pending int // jobs submitted and not done
}

// Config describes a [Pool].
type Config[J any] struct {
	Workers int // the number of goroutines
	Queue   int // how many jobs can wait for one
	// Handle does a job. If it panics the job has failed, as it has if it
	// returns an error.
	Handle func(context.Context, J) error
	// OnError, if set, is called with each job that failed.
	OnError func(J, error)
}

// NewPool starts a pool. The jobs' context is ctx.
func NewPool[J any](ctx context.Context, config Config[J]) *Pool[J] {
	p := &Pool[J]{Config: config, jobs: make(chan J, config.Queue)}
	p.idle.L = &p.mu
	for range p.Workers {
		p.wg.Go(func() { p.work(ctx) })
	}
	return p
}

// Submit queues a job, waiting while the queue is full. The error is
// [ErrClosed] if the pool is closed.
func (p *Pool[J]) Submit(job J) error {
	if !p.begin() {
		return ErrClosed
	}
	p.jobs <- job
	return nil
}

// Wait waits until no jobs are pending.
func (p *Pool[J]) Wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.pending > 0 {
		p.idle.Wait()
	}
}

// Close stops the pool from taking jobs, waits for those it has taken and
// stops its goroutines. It must be called once.
func (p *Pool[J]) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()

	p.Wait()
	close(p.jobs)
	p.wg.Wait()
}

// begin counts a job as pending and reports whether the pool takes it.
func (p *Pool[J]) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.pending++
	return true
}

// settle counts a job as no longer pending.
func (p *Pool[J]) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending--; p.pending == 0 {
		p.idle.Broadcast()
	}
}

func (p *Pool[J]) work(ctx context.Context) {
	for job := range p.jobs {
		err := p.do(ctx, job)
		if err != nil && p.OnError != nil {
			p.OnError(job, err)
		}
		p.settle()
	}
}

func (p *Pool[J]) do(ctx context.Context, job J) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("shipping: panic: %v", v)
		}
	}()
	return p.Handle(ctx, job)
}
