//go:build linux && amd64

package host

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/program/control"
)

// frames returns the calls that return addresses lead into, the innermost first.
func (h *host) frames(pcs []uint64) (list []control.Frame) {
	for _, pc := range pcs {
		const most = 64 // as in programs that waymark has built
		if list = append(list, framesOf(h.t.Image.Frames(pc-1))...); len(list) >= most {
			return list[:most]
		}
	}
	return list
}

// framesOf returns calls without those that a program's source has none of.
func framesOf(calls []image.Frame) (list []control.Frame) {
	for _, f := range calls {
		if !f.Wrapper && f.Function != "runtime.goexit" && f.Function != "runtime.main" {
			list = append(list, control.Frame{Function: patch.NameOf(f.Function), File: f.File, Line: f.Line})
		}
	}
	return list
}

// stacks counts who calls functions.
type stacks struct {
	*task
	counts map[string]*control.Stack
	fresh  bool
}

func (s *stacks) begin(c *patch.Call) {
	if s.decides() {
		s.meet(c)
	}
}

func (s *stacks) count(c *patch.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full() {
		return
	}
	key := fmt.Sprint(c.Site.Number, c.Stack)
	one := s.counts[key]
	if one == nil {
		const most = 1000
		if len(s.counts) == most {
			s.skipped++
			return
		}
		one = &control.Stack{Function: c.Site.Name(), Callers: s.h.frames(c.Stack)}
		s.counts[key] = one
	}
	one.Calls++
	s.hits++
	s.fresh = true
}

func (s *stacks) end(c *patch.Call) {
	if !s.decides() {
		s.meet(c)
	}
}

func (s *stacks) meet(c *patch.Call) {
	if !s.has(c) {
		return
	}
	if s.meets(c); s.accepts(c) {
		s.count(c)
	}
}

// Next implements control.Task.
func (s *stacks) Next() (n control.News) {
	s.last()
	s.mu.Lock()
	defer s.mu.Unlock()
	n = s.news()
	if s.fresh {
		s.fresh = false
		for _, one := range s.counts {
			n.Stacks = append(n.Stacks, *one)
		}
		slices.SortFunc(n.Stacks, func(a, b control.Stack) int { return cmp.Compare(b.Calls, a.Calls) })
		const most = 50
		n.Stacks = n.Stacks[:min(len(n.Stacks), most)]
	}
	s.done(&n)
	return n
}

// Close implements control.Task.
func (s *stacks) Close() error { return s.h.stop(s) }
