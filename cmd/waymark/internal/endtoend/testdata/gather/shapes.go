package main

import (
	"time"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/trace"
)

// shapes checks traces of all ways in which calls and goroutines end.
func shapes() {
	jobs := make(chan job)
	defer close(jobs)
	go pool(jobs)
	all := gather.Options{Keep: gather.Keep{All: true}, Linger: time.Second}
	for _, c := range []struct {
		name string
		call func()
		want []string
	}{
		{"no root", func() { work.Many(3) }, nil},
		{"calls", func() { work.Root(func() { work.Many(2); work.Inner(work.Leaf) }) },
			[]string{"(Root (Many (Leaf) (Leaf)) (Inner (Leaf)))"}},
		{"a root in a root", func() { work.Root(func() { work.Root(work.Leaf) }) }, []string{"(Root (Root (Leaf)))"}},
		{"one after the other", func() { work.Root(work.Leaf); work.Leaf(); work.Root(func() {}) }, []string{"(Root (Leaf))", "(Root)"}},
		{"recursion", func() { work.Root(func() { work.Recurse(2) }) }, []string{"(Root (Recurse (Recurse (Recurse))))"}},
		{"a stack that moves", func() { work.Go(1, func() { work.Root(func() { work.Grow(2); work.Leaf() }) }) },
			[]string{"(Root (Grow (Grow (Grow))) (Leaf))"}},
		{"an error", func() { work.Fails(work.Leaf) }, []string{"(Fails (Leaf) error) failed"}},
		{"an error within", func() { work.Root(func() { work.Fails(func() {}) }) }, []string{"(Root (Fails error))"}},
		{"a panic", func() { work.Recovers(func() { work.Root(func() { work.Inner(work.Raise) }) }); work.Leaf() },
			[]string{"(Root (Inner (Raise panic left) left) left) recover failed panicked"}},
		{"a panic recovered within", func() { work.Root(func() { work.Recovers(work.Raise); work.Leaf() }) },
			[]string{"(Root (Recovers (Raise panic left) recover) (Leaf))"}},
		{"a panic recovered by the root", func() { work.RootRecovers(work.Raise) },
			[]string{"(RootRecovers (Raise panic left) recover) failed panicked"}},
		{"a panic that a deferred call follows", func() { work.Recovers(func() { work.RootDefers(work.Raise, work.Leaf) }) },
			[]string{"(RootDefers (Raise panic (Leaf) left) left) failed panicked"}},
		{"Goexit", func() { work.Go(1, func() { work.Root(func() { work.Inner(work.Exit) }) }) },
			[]string{"(Root (Inner (Exit goexit left) left) left) exited"}},
		{"Goexit with a deferred call", func() { work.Go(1, func() { work.RootDefers(work.Exit, work.Leaf) }) },
			[]string{"(RootDefers (Exit goexit (Leaf) left) left) exited"}},
		{"goroutines", func() { work.Root(func() { work.Go(2, work.Leaf) }) }, []string{"(Root (Go)) | Go: (Leaf) | Go: (Leaf)"}},
		{"a goroutine of a goroutine", func() { work.Root(func() { work.Go(1, func() { work.Go(1, work.Leaf) }) }) },
			[]string{"(Root (Go)) | Go: (Go) | Go: (Leaf)"}},
		{"a goroutine that exits", func() { work.Root(func() { work.Go(1, work.Exit) }) },
			[]string{"(Root (Go)) | Go: (Exit goexit left)"}},
		{"a root on a goroutine of a root", func() { work.Root(func() { work.Go(1, func() { work.Root(work.Leaf) }) }) },
			[]string{"(Root (Go)) | Go: (Root (Leaf))"}},
		{"a coroutine", func() { work.Root(func() { work.Pull(2) }) },
			[]string{"(Root (Pull (numbers))) | Pull: (Inner (Leaf)) (Inner (Leaf))"}},
		{"WaitGroup.Go", func() { work.Root(func() { work.Group(2, work.Leaf) }) }, []string{"(Root (Group)) | Group: (Leaf) | Group: (Leaf)"}},
		{"a timer", func() { work.Root(func() { timed(work.Leaf) }) }, []string{"(Root (Timer)) | Timer: (Leaf)"}},
		{"a goroutine of a timer", func() { work.Root(func() { timed(func() { work.Go(1, work.Leaf) }) }) },
			[]string{"(Root (Timer)) | Timer: (Go) | Go: (Leaf)"}},
		{"a timer of a timer", func() { work.Root(func() { timed(func() { work.Inner(func() { timed(work.Leaf) }) }) }) },
			[]string{"(Root (Timer)) | Timer: (Inner (Timer)) | Timer: (Leaf)"}},
		{"a timer that another trace sets again", func() { again(work.Root) }, []string{"(Root (Timer))", "(Root (Reset)) | Reset: (Leaf)"}},
		{"a timer that nobody's trace sets again", func() { again(func(f func()) { f() }) }, []string{"(Root (Timer))"}},
		{"a timer of before", before, []string{"(Root (Reset)) | Reset: (Leaf)"}},
		{"a context that is cancelled", func() { work.Root(func() { work.Cancel(work.Leaf) }) }, []string{"(Root (Cancel (Await))) | Await: (Leaf)"}},
		{"a context's deadline", func() { work.Root(func() { work.Deadline(work.Leaf) }) }, []string{"(Root (Deadline (Await))) | Deadline: | ?: (Leaf)"}},
		{"a pool", func() {
			by := func(f func()) { jobs <- job{trace.NewHandoff(), f} }
			work.Root(func() {
				work.Submit(by, work.Leaf)
				work.Submit(by, func() { work.Inner(work.Leaf); work.Go(1, work.Leaf) })
			})
		}, []string{"(Root (Submit) (Submit)) | Submit: (Leaf) | Submit: (Inner (Leaf)) (Go) | Go: (Leaf)"}},
		{"a pool's job that panics", func() {
			work.Root(func() { work.Submit(func(f func()) { jobs <- job{trace.NewHandoff(), f} }, work.Raise) })
		}, []string{"(Root (Submit)) | Submit: (Raise panic left)"}},
		{"a root in a pool's job", func() {
			work.Root(func() {
				work.Submit(func(f func()) { jobs <- job{trace.NewHandoff(), func() { work.Root(f) }} }, work.Leaf)
			})
		}, []string{"(Root (Submit)) | Submit: (Root (Leaf))"}},
		{"a pool without a handoff", func() {
			work.Root(func() { work.Submit(func(f func()) { jobs <- job{f: f} }, work.Leaf) })
		}, []string{"(Root (Submit))"}},
		{"arguments", func() { work.Root(func() { work.Add(1, 2); work.Join("a", "b") }) }, []string{"(Root (Add) (Join))"}},
	} {
		all.Roots = named("Root", "Fails", "RootRecovers", "RootDefers")
		var got []string
		for _, t := range gathered(all, func(g *gather.Gatherer) { c.call(); settled(g) }) {
			got = append(got, shape(t))
		}
		for i := range max(len(got), len(c.want)) {
			var g, w string
			if i < len(got) {
				g = got[i]
			}
			if i < len(c.want) {
				w = c.want[i]
			}
			if g != w {
				errorf("%s: trace %d is\n\t%s\nwant\n\t%s", c.name, i, g, w)
			}
		}
	}
}

// A job is for a pool.
type job struct {
	by trace.Handoff
	f  func()
}

// pool does jobs until there are no more.
func pool(jobs chan job) {
	for j := range jobs {
		func() {
			defer func() { recover() }()
			j.by.Do(j.f)
		}()
	}
}

// timed has a timer call f, and waits until it has.
func timed(f func()) {
	over := make(chan bool)
	work.Timer(time.Millisecond, func() { defer close(over); f() })
	<-over
}

// again sets a timer in a trace, and sets it anew in a call of run.
func again(run func(f func())) {
	over := make(chan bool)
	var t *time.Timer
	work.Root(func() { t = work.Timer(time.Hour, func() { defer close(over); work.Leaf() }) })
	run(func() { work.Reset(t, time.Millisecond); <-over })
}

// before sets a timer in a trace that was made outside of traces.
func before() {
	over := make(chan bool)
	t := work.Timer(time.Hour, func() { defer close(over); work.Leaf() })
	work.Root(func() { work.Reset(t, time.Millisecond); <-over })
}
