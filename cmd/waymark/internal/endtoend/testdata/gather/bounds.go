package main

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/trace"
)

// calls returns how many calls a trace has.
func calls(t *gather.Trace) (n uint64) {
	for _, s := range t.Strands {
		for _, e := range s.Events {
			if e.Kind == format.Enter {
				n++
			}
		}
	}
	return n
}

// limits checks that what a trace lacks is counted, and that all calls that it has end.
func limits() {
	for _, most := range []int{1, 2, 10, 100, 127, 128, 1000} {
		for _, t := range gathered(gather.Options{Keep: gather.Keep{All: true}, Most: most}, func(*gather.Gatherer) {
			work.Root(func() { work.Many(998) })
			work.Root(func() { work.Recurse(998) })
		}) {
			// A call that ends leaves no room for another one to begin, but each that begins can end.
			if n := calls(t); n+t.Lost != 1000 || n > 2*uint64(most) || n < uint64(most) || t.Truncated != (t.Lost > 0) {
				errorf("at most %d calls: %d are gathered, %d lost", most, n, t.Lost)
			}
		}
	}
	var lost uint64
	list := gathered(gather.Options{Keep: gather.Keep{All: true}, Memory: 256 << 10, Most: 1 << 20}, func(g *gather.Gatherer) {
		work.Root(func() { work.Go(16, func() { work.Many(10_000) }) })
		_, _, _, lost, _ = g.Counts()
	})
	t := list[0]
	if n := calls(t); n+t.Lost != 2+16*10_001 || t.Lost != lost || lost == 0 {
		errorf("in 256 KB: %d calls are gathered, %d lost, by the counts %d", n, t.Lost, lost)
	}
}

// crowd checks that of root calls at once those are counted as lost for which there is no memory, and
// that later ones have traces again.
func crowd() {
	const roots = 5000
	gathered(gather.Options{Keep: gather.Keep{Longer: time.Hour}, Memory: 256 << 10}, func(g *gather.Gatherer) {
		gate := make(chan bool)
		var begun, done sync.WaitGroup
		begun.Add(roots)
		done.Add(roots)
		for range roots {
			go func() {
				defer done.Done()
				work.Root(func() { begun.Done(); <-gate })
			}()
		}
		begun.Wait()
		active := g.Active()
		close(gate)
		done.Wait()
		completed, _, _, lost, _ := g.Counts()
		if active == 0 || completed != active || lost == 0 || completed+lost != roots {
			errorf("of %d root calls at once %d have traces, %d of which end, and %d are lost", roots, active, completed, lost)
		}
		for range 100 {
			work.Root(work.Leaf)
		}
		if again, _, _, more, _ := g.Counts(); again != completed+100 || more != lost {
			errorf("of 100 root calls after %d at once %d have traces, %d calls are lost", roots, again-completed, more-lost)
		}
	})
}

// detached checks that a trace does not wait for goroutines that go on.
func detached() {
	gate := make(chan bool)
	var done sync.WaitGroup
	list := gathered(gather.Options{Keep: gather.Keep{All: true}}, func(g *gather.Gatherer) {
		for range 2 {
			work.Root(func() {
				done.Add(1)
				began := make(chan bool)
				go func() {
					defer done.Done()
					work.Inner(func() { close(began); <-gate })
					work.Many(1000)
					work.Root(work.Leaf)
				}()
				<-began
			})
		}
		settled(g)
		close(gate)
		done.Wait()
	})
	want := []string{"(Root) | ?: ~ (Inner", "(Root) | ?: ~ (Inner", "(Root (Leaf))", "(Root (Leaf))"}
	for i, t := range list {
		if i < 2 && t.Strands[1].By == t.Root { // the go statement is in a function literal of main's
			t.Strands[1].By = nil
		}
		if got := shape(t); i >= len(want) || got != want[i] {
			errorf("trace %d: %s, want %s", i, got, want[i])
		}
	}
	if len(list) != 4 {
		errorf("%d traces", len(list))
	}
}

// late checks that timers and handoffs do nothing when their trace is over, and its memory another one's.
func late() {
	over := make(chan bool)
	var by trace.Handoff
	list := gathered(gather.Options{Keep: gather.Keep{Failed: true}}, func(g *gather.Gatherer) {
		work.Root(func() {
			by = trace.NewHandoff()
			work.Timer(300*time.Millisecond, func() { defer close(over); work.Leaf() })
		})
		work.Fails(func() {
			by.Do(work.Leaf)
			go by.Do(work.Leaf)
			<-over
		})
		by.Do(work.Leaf)
	})
	if len(list) != 1 || shape(list[0]) != "(Fails (Leaf) error) | Fails: (Leaf) failed" {
		errorf("%d traces, one is %s", len(list), shape(list[0]))
	}
	by.Do(work.Leaf)
	list = gathered(gather.Options{Keep: gather.Keep{All: true}}, func(g *gather.Gatherer) { // after its memory was given back
		work.Root(func() { by.Do(work.Leaf) })
		by.Do(work.Leaf)
	})
	if len(list) != 1 || shape(list[0]) != "(Root (Leaf))" {
		errorf("after Stop: %d traces, one is %s", len(list), shape(list[0]))
	}
}

// active checks the list of traces in progress.
func active() {
	var got []gather.Active
	list := gathered(gather.Options{Keep: gather.Keep{All: true}}, func(g *gather.Gatherer) {
		if n := len(g.List()); n != 0 {
			errorf("%d traces before the first one", n)
		}
		work.Root(func() {
			work.Many(200)
			work.Go(1, func() { g.List(); got = g.List() })
		})
		if n := len(g.List()); n != 0 {
			errorf("%d traces after the last one", n)
		}
	})
	if len(got) != 1 || len(list) != 1 {
		errorf("%d traces in progress, %d in the end", len(got), len(list))
		return
	}
	a, t := got[0], list[0]
	if a.Root != t.Root || a.Goroutine != t.Goroutine || a.Parent != t.Parent || !a.Start.Equal(t.Start) ||
		a.Calls != 203 || a.Goroutines != 2 || a.Lost != 0 {
		errorf("%+v in progress, in the end %+v", a, t)
	}
}

// linger checks that a trace waits for goroutines, but not for ever.
func linger() {
	var done sync.WaitGroup
	var took time.Duration
	list := gathered(gather.Options{Keep: gather.Keep{All: true}, Linger: 10 * time.Second}, func(*gather.Gatherer) {
		work.Root(func() {
			done.Add(1)
			go func() {
				defer done.Done()
				time.Sleep(30 * time.Millisecond)
				work.Many(500)
			}()
		})
		done.Wait()
		time.Sleep(100 * time.Millisecond)
	})
	if len(list) != 1 || calls(list[0]) != 502 || list[0].Strands[1].Detached {
		errorf("a trace that waits: %s", shape(list[0]))
	}
	gate := make(chan bool)
	list = gathered(gather.Options{Keep: gather.Keep{All: true}, Linger: 50 * time.Millisecond}, func(g *gather.Gatherer) {
		work.Root(func() { go work.Inner(func() { <-gate }) })
		begin := time.Now()
		for completed, _, _, _, _ := g.Counts(); completed == 0; completed, _, _, _, _ = g.Counts() {
		}
		time.Sleep(200 * time.Millisecond)
		took = time.Since(begin)
	})
	close(gate)
	if len(list) != 1 || !list[0].Strands[1].Detached {
		errorf("after %v: %d traces", took, len(list))
	}
}

// parked checks that goroutines that never go on do not keep the memory of traces that are over.
func parked() {
	gate := make(chan bool)
	const roots = 3000
	list := gathered(gather.Options{Keep: gather.Keep{Longer: time.Hour, Failed: true}, Memory: 2 << 20}, func(g *gather.Gatherer) {
		for i := range roots {
			work.Root(func() {
				began := make(chan bool)
				go func() {
					work.Inner(func() { close(began); <-gate })
				}()
				<-began
			})
			if i%30 == 0 {
				time.Sleep(5 * time.Millisecond) // who sees to it gets the CPU
			}
		}
		work.Fails(func() { work.Many(5000) })
		if completed, _, _, lost, _ := g.Counts(); completed != roots+1 || lost > roots/10 {
			errorf("%d traces, %d calls lost", completed, lost) // without it most are
		}
	})
	close(gate)
	if len(list) != 1 || calls(list[0]) != 5002 {
		errorf("%d traces that failed", len(list))
	}
}

// rules checks what is kept.
func rules() {
	run := func(*gather.Gatherer) {
		for i := range 100 {
			switch {
			case i%10 == 3:
				work.Fails(work.Leaf)
			case i%10 == 7:
				work.Recovers(func() { work.Root(work.Raise) })
			case i == 50:
				work.Root(func() { work.Sleep(20 * time.Millisecond) })
			default:
				work.Root(work.Leaf)
			}
		}
	}
	runtime.GOMAXPROCS(1) // one in so many is counted by each P
	for _, c := range []struct {
		keep gather.Keep
		want int
	}{
		{gather.Keep{}, 0},
		{gather.Keep{All: true}, 100},
		{gather.Keep{Failed: true}, 20},
		{gather.Keep{Longer: 10 * time.Millisecond}, 1},
		{gather.Keep{Longer: time.Hour}, 0},
		{gather.Keep{OneIn: 10}, 10},
		{gather.Keep{Failed: true, Longer: 10 * time.Millisecond}, 21},
	} {
		if list := gathered(gather.Options{Keep: c.keep}, run); len(list) != c.want {
			errorf("%+v: %d traces, want %d", c.keep, len(list), c.want)
		}
	}
	list := gathered(gather.Options{Keep: gather.Keep{Longer: time.Hour}}, func(g *gather.Gatherer) {
		run(g)
		g.SetLonger(10 * time.Millisecond)
		run(g)
		g.SetLonger(0)
		run(g)
		if completed, kept, dropped, lost, _ := g.Counts(); completed != 300 || kept != 1 || dropped != 0 || lost != 0 || g.Active() != 0 {
			errorf("%d completed, %d kept, %d dropped, %d lost, %d active", completed, kept, dropped, lost, g.Active())
		}
	})
	if len(list) != 1 {
		errorf("after SetLonger: %d traces, want 1", len(list))
	}
}

// busy checks how many Gatherers there may be at a time, and that Stop may be called twice.
func busy() {
	o := gather.Options{Keep: gather.Keep{All: true}, Deliver: func(*gather.Trace) {}}
	g := start(o)
	for range 2 {
		var others []*gather.Gatherer
		for range gather.Gatherers - 1 {
			others = append(others, start(o))
		}
		if _, err := gather.Start(o); !errors.Is(err, gather.ErrBusy) || err.Error() != "8 collectors gather traces already" {
			errorf("a Gatherer more: %v", err)
		}
		for _, g := range others {
			g.Stop()
		}
	}
	work.Root(g.Stop) // within a trace
	g.Stop()
	work.Root(work.Leaf)
	g = start(o)
	work.Root(work.Leaf)
	g.Stop()
	if completed, _, _, _, _ := g.Counts(); completed != 1 {
		errorf("%d traces, want 1", completed)
	}
	work.Root(func() { // begins and ends while there are other Gatherers
		for range 3 {
			g := start(o)
			work.Root(work.Leaf)
			g.Stop()
		}
	})
}

// waiting checks that Deliver may use the Gatherer while Stop waits for it, and that a program that waits
// for a trace that lingers isn't dead.
func waiting() {
	self, delivered := make(chan *gather.Gatherer, 1), make(chan uint64, 2)
	g := start(gather.Options{
		Roots: named("Root"), Keep: gather.Keep{All: true}, Linger: 20 * time.Millisecond,
		Deliver: func(*gather.Trace) {
			g := <-self
			self <- g
			time.Sleep(10 * time.Millisecond)
			completed, _, _, _, _ := g.Counts()
			g.SetLonger(time.Duration(g.Active()))
			delivered <- completed
		},
	})
	self <- g
	gate := make(chan bool)
	work.Root(func() { go work.Inner(func() { <-gate }) })
	if n := <-delivered; n != 1 {
		errorf("%d traces, want 1", n)
	}
	work.Root(func() { go work.Inner(func() { <-gate }) })
	g.Stop()
	if n := <-delivered; n != 2 {
		errorf("%d traces, want 2", n)
	}
	close(gate)
}

// deadlock waits for ever.
func deadlock() {
	start(gather.Options{Roots: named("Root"), Keep: gather.Keep{All: true}, Deliver: func(*gather.Trace) {}})
	work.Root(func() { work.Inner(func() { select {} }) })
}
