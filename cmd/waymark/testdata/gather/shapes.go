package main

import (
	"time"

	"github.com/waymark-go/waymark/gather/work"
	"github.com/waymark-go/waymark/internal/gather"
)

// shapes checks traces of all ways in which calls and goroutines end.
func shapes() {
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
		{"arguments", func() { work.Root(func() { work.Add(1, 2); work.Join("a", "b") }) }, []string{"(Root (Add) (Join))"}},
	} {
		all.Roots = named("Root", "Fails", "RootRecovers", "RootDefers")
		var got []string
		for _, t := range gathered(all, func(*gather.Gatherer) { c.call() }) {
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
