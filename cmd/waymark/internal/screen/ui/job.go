package ui

import (
	"context"
	"fmt"
	"sync"
)

// A Reading is the error of a request whose answer takes a reading of the recordings that is under
// way. The page shows how far it is, and asks again.
type Reading struct {
	What string `json:"what"`
	Read uint64 `json:"read"` // events
	All  uint64 `json:"all"`
}

func (r *Reading) Error() string {
	return fmt.Sprintf("reading %s: %d of %d events", r.What, r.Read, r.All)
}

// A Job makes something that takes long: once, beside the requests that want it.
type Job[T any] struct {
	What string // names what is made to the user
	Make func(progress func(read, all uint64)) (T, error)

	mu        sync.Mutex
	done      chan struct{} // nil until it was asked for
	read, all uint64
	value     T
	err       error
}

// Start begins to make the value, unless that has begun.
func (j *Job[T]) Start() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.done != nil {
		return
	}
	j.done = make(chan struct{})
	go func() {
		value, err := j.Make(func(read, all uint64) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.read, j.all = read, all
		})
		j.mu.Lock()
		defer j.mu.Unlock()
		j.value, j.err = value, err
		close(j.done)
	}()
}

// Get returns the value, or a *Reading if it isn't made yet.
func (j *Job[T]) Get() (T, error) {
	j.Start()
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-j.done:
		return j.value, j.err
	default:
		var none T
		return none, &Reading{j.What, j.read, j.all}
	}
}

// Wait returns the value when it is made.
func (j *Job[T]) Wait(ctx context.Context) (T, error) {
	j.Start()
	select {
	case <-j.done: // is set from Start on
		return j.Get()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
