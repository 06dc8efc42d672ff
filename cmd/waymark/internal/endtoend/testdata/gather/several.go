package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/program/gather"
)

// beside checks that a Gatherer gathers what it does alone, while others gather the same calls and some of
// its roots or calls, in more and in less memory.
func beside() {
	var traces atomic.Uint64
	count := func(t *gather.Trace) { paired(t); traces.Add(1) }
	var others []*gather.Gatherer
	for _, o := range []gather.Options{
		{Roots: named("Inner", "Leaf", "Timer", "Submit", "Go"), Linger: time.Millisecond},
		{Roots: named("Root", "Many", "Recovers"), Calls: named("Leaf"), Memory: 64 << 10, Most: 5},
		{Roots: named("Root", "Fails", "RootRecovers", "RootDefers")},
	} {
		o.Keep, o.Deliver = gather.Keep{All: true}, count
		others = append(others, start(o))
	}
	shapes()
	limits()
	detached()
	late()
	active()
	for _, g := range others {
		g.Stop()
		if completed, _, _, _, _ := g.Counts(); completed < 20 {
			errorf("another Gatherer has %d traces", completed)
		}
	}
	if traces.Load() < 60 {
		errorf("others have %d traces", traces.Load())
	}
}

// nested checks Gatherers that begin and end within each other's traces.
func nested() {
	var mu sync.Mutex
	shapes := make(map[string][]string) // by the names of Gatherers
	begin := func(name string, o gather.Options) *gather.Gatherer {
		o.Keep.All, o.Linger = true, time.Minute
		o.Deliver = func(t *gather.Trace) {
			paired(t)
			mu.Lock()
			defer mu.Unlock()
			shapes[name] = append(shapes[name], shape(t))
		}
		return start(o)
	}
	// await waits until a Gatherer has delivered n traces: then all their goroutines have ended.
	await := func(name string, n int) {
		for have := -1; have < n; time.Sleep(time.Millisecond) {
			mu.Lock()
			have = len(shapes[name])
			mu.Unlock()
		}
	}
	outer := begin("outer", gather.Options{Roots: named("Root")})
	work.Root(func() {
		work.Many(200) // more than a block
		inner := begin("inner", gather.Options{Roots: named("Inner"), Calls: named("Leaf", "Go")})
		work.Inner(func() { work.Many(1); work.Inner(work.Leaf) })
		last := begin("last", gather.Options{Roots: named("Recurse")})
		work.Inner(func() { work.Go(1, func() { work.Recurse(1) }) })
		work.Go(1, func() { work.Recovers(func() { work.Inner(work.Raise) }) })
		await("inner", 3)
		inner.Stop()
		work.Recovers(func() { work.Inner(work.Raise) })
		last.Stop()
		work.Many(200)
		work.Inner(work.Leaf)
	})
	await("outer", 1)
	outer.Stop()
	for name, want := range map[string][]string{
		"outer": {"(Root (Many" + leaves(200) + ") (Inner (Many (Leaf)) (Inner (Leaf))) (Inner (Go)) (Go)" +
			" (Recovers (Inner (Raise panic left) left) recover) (Many" + leaves(200) + ") (Inner (Leaf)))" +
			" | Go: (Recurse (Recurse)) | Go: (Recovers (Inner (Raise panic left) left) recover)"},
		"inner": {"(Inner (Go)) | Go:", "(Inner (Leaf) (Inner (Leaf)))", "(Inner panic left) recover failed panicked"},
		"last":  {"(Recurse (Recurse))"},
	} {
		got := shapes[name]
		slices.Sort(got) // one that waits for its goroutines comes later
		if !slices.Equal(got, want) {
			errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// leaves returns n calls of Leaf as text.
func leaves(n int) (s string) {
	for range n {
		s += " (Leaf)"
	}
	return s
}
