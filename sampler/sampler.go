package sampler

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A Sampler takes samples until Stop.
type Sampler struct {
	options Options
	start   time.Time
	stop    chan struct{} // closed by Stop
	done    chan struct{} // closed when no more samples are taken

	// Of the goroutine that takes samples, until done is closed.
	stacks source
	counts counter
	last   time.Time // of the latest sample

	taken atomic.Int64 // samples, for tests that wait for them
}

// running is the sampler of the program: there is one at a time, because MaxCPU is for the program.
var running struct {
	sync.Mutex
	sampler *Sampler
}

// Start begins to take samples. Its error wraps ErrOptions or ErrSampling. The first sample comes
// after the time between two.
func Start(o Options) (*Sampler, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	root, err := compileRoot(o.Root)
	if err != nil {
		return nil, err
	}
	running.Lock()
	defer running.Unlock()
	if other := running.sampler; other != nil {
		return nil, fail(ErrSampling, "a sampler is running since %s: stop it first", other.start.Format(time.DateTime))
	}
	s := &Sampler{options: o, start: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	s.last = s.start
	s.counts.init(o, root)
	running.sampler = s
	go s.run()
	return s, nil
}

// Stop ends the sampler and returns the tree. When Stop returns, the sampler's goroutine is done.
// The error wraps ErrStopped if the sampler was stopped before or has not been started. It wraps
// ErrNotSeen if there is nothing in the tree, and ErrAmbiguous if the root's name means several
// functions.
func (s *Sampler) Stop() (*callgraph.Tree, error) {
	if s == nil || s.done == nil {
		return nil, fail(ErrStopped, "Stop of a sampler that was not started: Start returns one")
	}
	if !s.end() {
		return nil, fail(ErrStopped, "Stop of a sampler that was stopped before")
	}
	return s.tree(time.Now())
}

// end ends the sampler, and reports whether it was running.
func (s *Sampler) end() bool {
	running.Lock()
	defer running.Unlock()
	if running.sampler != s {
		return false
	}
	close(s.stop)
	<-s.done
	running.sampler = nil
	return true
}

// maxVisited is the number of goroutines above which no samples are taken. A sample needs memory
// for the stacks of all of them, about 600 bytes each.
const maxVisited = 200_000

// run takes samples until Stop.
func (s *Sampler) run() {
	defer close(s.done)
	if rt.Enabled {
		rt.Mute(true)
	}
	// The CPU time of the thread is that of the samples.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	interval := time.Duration(float64(time.Second) / s.options.Rate)
	next := pace{start: s.start, interval: interval, schedule: s.options.Schedule, share: s.options.MaxCPU}
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
		}
		before := cpuTime()
		s.sample()
		cost := cpuTime() - before
		sampling := &s.counts.sampling
		sampling.Cost += cost
		delay, slowed := next.after(time.Now(), cost)
		if slowed {
			sampling.Slowed++
		}
		timer.Reset(delay)
	}
}

// sample takes a sample.
func (s *Sampler) sample() {
	if runtime.NumGoroutine() > maxVisited {
		s.counts.sampling.Skipped++
		s.last = time.Now()
		return
	}
	now := time.Now()
	s.counts.add(&s.stacks, now.Sub(s.last), runtime.GOMAXPROCS(0))
	s.last = now
	s.taken.Add(1)
}

// A pace says when the next sample is due.
type pace struct {
	start    time.Time
	interval time.Duration
	schedule Schedule
	share    float64 // of one CPU

	cost time.Duration // what a sample may take, from those before
}

// after returns the time from now, the end of a sample with the given cost, to the next sample.
// slowed says whether that is longer than the schedule says.
func (p *pace) after(now time.Time, cost time.Duration) (delay time.Duration, slowed bool) {
	// An expensive sample counts at once, cheap ones by and by: what samples take in all stays
	// below the share.
	p.cost = max(cost, (3*p.cost+cost)/4)
	delay = p.interval
	if p.schedule == FixedRate {
		delay -= now.Sub(p.start) % p.interval
	}
	least := time.Duration(float64(p.cost) / p.share)
	if delay >= least {
		return delay, false
	}
	if p.schedule == FixedRate {
		missed := (least - delay + p.interval - 1) / p.interval
		return delay + missed*p.interval, true
	}
	return least, true
}
