package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/trace"
)

// watched checks trees that lead through goroutines, timers and a pool, of two watchers side by side, while a
// third one comes and goes.
func watched() {
	const goroutines, times = 8, 100
	jobs := make(chan job)
	defer close(jobs)
	go pool(jobs)
	watch := func(root string, want ...string) (*trace.Watcher, *atomic.Int64) {
		var trees atomic.Int64
		w, err := trace.Watch(waymark.Pattern("...work."+root), trace.WatchOptions{OnTree: func(c *trace.Call) {
			trees.Add(1)
			got := treeOf(c, c)
			for _, w := range want {
				if got == w {
					return
				}
			}
			if len(want) > 0 {
				errorf("%s: %s, want one of %q", root, got, want)
			}
		}})
		if err != nil {
			panic(err)
		}
		return w, &trees
	}
	first, roots := watch("Root", "Root(Go(go Inner(Leaf Go(go Leaf)) go Inner(Leaf Go(go Leaf))) Timer(go Leaf) Submit(handed Leaf))")
	second, inner := watch("Inner", "Inner(Leaf Go(go Leaf))")
	var done sync.WaitGroup
	for range goroutines {
		done.Go(func() {
			for range times {
				work.Root(func() {
					work.Go(2, func() { work.Inner(func() { work.Leaf(); work.Go(1, work.Leaf) }) })
					timed(work.Leaf)
					work.Submit(func(f func()) { jobs <- job{trace.NewHandoff(), f} }, work.Leaf)
				})
			}
		})
	}
	for range 20 {
		w, _ := watch("Go")
		time.Sleep(time.Millisecond)
		w.Stop()
	}
	done.Wait()
	first.Stop()
	second.Stop()
	if roots.Load() != goroutines*times || inner.Load() != 2*goroutines*times {
		errorf("%d trees of Root, %d of Inner", roots.Load(), inner.Load())
	}
}

// treeOf returns a tree as text, in which all calls have the same root.
func treeOf(c, root *trace.Call) string {
	s := short(c.Func)
	switch {
	case c.Root != root:
		s = "strange " + s
	case c.Handed:
		s = "handed " + s
	case c.Go:
		s = "go " + s
	}
	if c.Detached {
		s = "detached " + s
	}
	if len(c.Calls) == 0 {
		return s
	}
	var below []string
	for _, b := range c.Calls {
		below = append(below, treeOf(b, root))
	}
	return s + "(" + strings.Join(below, " ") + ")"
}
