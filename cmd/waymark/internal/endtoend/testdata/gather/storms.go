package main

import (
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/trace"
)

// memory returns the bytes that the runtime has from the system and has not given back.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// slow makes a million root calls, twenty of them slow: these are kept.
func slow() {
	const roots, every = 1_000_000, 50_000
	var before, most uint64
	list := gathered(gather.Options{Keep: gather.Keep{Longer: 5 * time.Millisecond}}, func(g *gather.Gatherer) {
		for i := range roots {
			if i%every == every/2 {
				if i < roots/4 {
					before = max(before, memory()) // with what garbage there is between two collections
				} else {
					most = max(most, memory())
				}
				work.Root(func() { work.Inner(func() { work.Sleep(6 * time.Millisecond) }) })
				continue
			}
			work.Root(work.Leaf)
		}
		if completed, kept, dropped, lost, _ := g.Counts(); completed != roots || dropped != 0 || lost != 0 || kept < roots/every {
			errorf("%d traces, %d kept, %d dropped, %d lost", completed, kept, dropped, lost)
		}
	})
	slept := 0
	for _, t := range list {
		switch got := shape(t); {
		case got == "(Root (Inner (Sleep)))":
			slept++
		case t.Duration < 5*time.Millisecond:
			errorf("%v: %s", t.Duration, got)
		} // else the machine was slow
	}
	if slept != roots/every {
		errorf("%d slow traces are kept, want %d", slept, roots/every)
	}
	if most > before+1<<20 {
		errorf("memory grew from %d to %d bytes", before, most)
	}
}

// ranked makes more root calls at once than the queue takes: the slow ones are delivered, whatever came
// before them, and fast ones are displaced.
func ranked() {
	const slow = 5
	gate := make(chan bool)
	var list []*gather.Trace
	g := start(gather.Options{Roots: named("Root"), Keep: gather.Keep{Longer: 1, Ranked: true}, Deliver: func(t *gather.Trace) {
		<-gate
		list = append(list, t)
	}})
	for range slow {
		for range 2 * gather.Queue {
			work.Root(work.Leaf)
		}
		work.Root(func() { work.Inner(func() { work.Sleep(20 * time.Millisecond) }) })
	}
	close(gate)
	g.Stop()
	slept := 0
	for _, t := range list {
		if shape(t) == "(Root (Inner (Sleep)))" {
			slept++
		}
	}
	completed, kept, dropped, lost, _ := g.Counts()
	if slept != slow || completed != slow*(2*gather.Queue+1) || kept != uint64(len(list)) || len(list) > gather.Queue+1 || dropped != 0 || lost != 0 {
		errorf("%d slow traces of %d are delivered, want %d; %d traces, %d kept, %d dropped, %d lost", slept, len(list), slow, completed, kept, dropped, lost)
	}
}

// storm has 16 goroutines make all kinds of calls while gatherers come and go, one or several at a time.
func storm() {
	var stop atomic.Bool
	var all sync.WaitGroup
	jobs := make(chan job)
	go pool(jobs)
	go pool(jobs)
	for i := range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for !stop.Load() {
				work.Recovers(func() { step(r, 0, jobs) })
			}
		}()
	}
	goroutines := runtime.NumGoroutine()
	var traces, kept atomic.Uint64
	var before, after uint64
	comeAndGo := func(gatherers, times int) {
		var done sync.WaitGroup
		for n := range gatherers {
			done.Go(func() {
				for i := range times {
					o := gather.Options{
						Roots: named([]string{"Root", "Fails", "Recurse", "Inner"}[n:]...), Deliver: func(t *gather.Trace) { paired(t); kept.Add(1) },
						Keep: gather.Keep{All: i%2 == 0, Failed: true, OneIn: 7}, Memory: 1 << 20 << (i % 3), Most: 1 << (i % 15),
					}
					if n == 1 {
						o.Calls = named("Leaf", "Go", "Recovers")
					}
					if i%3 == 0 {
						o.Linger = 3 * time.Millisecond
					}
					if i%5 == 0 {
						runtime.GOMAXPROCS(1 + i%7)
					}
					g := start(o)
					time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
					g.Stop()
					completed, _, _, _, _ := g.Counts()
					traces.Add(completed)
				}
			})
		}
		done.Wait()
	}
	comeAndGo(1, 20)
	comeAndGo(3, 10)
	runtime.GC()
	before = memory()
	comeAndGo(1, 30)
	comeAndGo(3, 30)
	stop.Store(true)
	all.Wait()
	close(jobs)
	runtime.GC()
	if after = memory(); after > before+32<<20 {
		errorf("memory grew from %d to %d bytes", before, after)
	}
	if traces.Load() < 1000 || kept.Load() < 100 {
		errorf("%d traces, %d kept", traces.Load(), kept.Load())
	}
	for begin := time.Now(); runtime.NumGoroutine() > goroutines-16 && time.Since(begin) < 5*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines-16 {
		errorf("%d goroutines in the end, want %d", n, goroutines-16)
	}
}

func step(r *rand.Rand, depth int, jobs chan job) {
	if depth > 4 {
		work.Leaf()
		return
	}
	next := func() { step(r, depth+1, jobs) }
	switch r.IntN(14) {
	case 0, 1:
		work.Root(next)
	case 2:
		work.Fails(next)
	case 3:
		work.Recovers(next)
	case 4:
		work.Raise()
	case 5:
		seed := r.Uint64()
		work.Go(1+r.IntN(3), func() {
			work.Recovers(func() { step(rand.New(rand.NewPCG(seed, 2)), depth+1, jobs) })
		})
	case 6:
		work.Go(1, func() { work.Inner(work.Exit) })
	case 7:
		work.Pull(3)
	case 8:
		work.Grow(r.IntN(50))
	case 9:
		go work.Many(r.IntN(1000))
	case 10:
		work.Recurse(r.IntN(20))
		runtime.Gosched()
	case 11:
		t := work.Timer(time.Duration(r.IntN(3000))*time.Microsecond, func() { work.Many(300) })
		work.Inner(next)
		work.Reset(t, time.Millisecond)
	case 12:
		seed := r.Uint64()
		select {
		case jobs <- job{trace.NewHandoff(), func() { step(rand.New(rand.NewPCG(seed, 3)), depth+1, nil) }}:
		default: // the pool is busy
		}
	default:
		work.Inner(next)
		work.Inner(next)
	}
}

// together checks that traces, statistics and observers do not disturb each other.
func together() {
	const n = 1000
	var seen atomic.Int64
	owner := switchboard.Default.Join("counter", switchboard.Program)
	for _, on := range []struct {
		name        string
		want        uint32
		stat, watch bool
	}{
		{"statistics", 0, true, false}, {"an observer", 0, false, true}, {"both", 0, true, true}, {"counts", rt.Counted, false, false},
		{"long calls", rt.Counted | rt.Long, false, false}, {"long calls and an observer", rt.Counted | rt.Long, false, true},
	} {
		var sums *stats.Gathering
		if on.stat {
			var err error
			if sums, err = stats.Start(stats.Options{}); err != nil {
				panic(err)
			}
		}
		seen.Store(0)
		wish := switchboard.Wish{Want: on.want, Select: named("Root", "Inner", "Leaf", "Raise", "Add")}
		if on.watch {
			wish.Want |= rt.Watched
			wish.Observer = func(string) switchboard.Observer { return counter{&seen} }
		}
		if err := owner.Set(wish); err != nil {
			panic(err)
		}
		list := gathered(gather.Options{Keep: gather.Keep{All: true}, Memory: 128 << 20}, func(g *gather.Gatherer) {
			for range n {
				work.Leaf()
				work.Root(func() { work.Add(1, 2); work.Recovers(func() { work.Inner(work.Raise) }) })
			}
		})
		owner.Close()
		if len(list) != n {
			errorf("%s: %d traces, want %d", on.name, len(list), n)
		}
		for _, t := range list {
			if got := shape(t); got != "(Root (Add) (Recovers (Inner (Raise panic left) left) recover))" {
				errorf("%s: %s", on.name, got)
				break
			}
		}
		if on.stat {
			for _, s := range sums.Snapshot().Functions {
				if s.Calls != n || s.Open != 0 {
					errorf("%s: %s was called %d times, %d calls are open", on.name, s.Name, s.Calls, s.Open)
				}
			}
			sums.Stop()
		}
		if on.watch && seen.Load() != 5*n*2 {
			errorf("%s: %d events were seen, want %d", on.name, seen.Load(), 5*n*2)
		}
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Observe(e *switchboard.Event) {
	if e.Kind == switchboard.Enter || e.Kind == switchboard.Exit {
		c.n.Add(1)
	}
}
