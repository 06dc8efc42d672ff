package testtrace

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/format"
)

// A shape is the number of calls of a test at each depth: enough to know how many
// lines they will take.
type shape struct {
	levels []level
	panic  int               // depth of the deepest call that a panic ended which nobody recovered, counted from 1
	called map[uint64][]bool // by goroutine: which of the open calls have called something
}

// A level holds the calls with as many callers.
type level struct {
	calls   uint64
	callers uint64 // calls that called something: they take a line more
}

// shapes finds the shapes of tests.
func (r *Recording) shapes(tests []*Test) (map[*Test]*shape, error) {
	shapes := make(map[*Test]*shape)
	builders := make(map[*Test]*calltree.Builder)
	for _, t := range tests {
		s := &shape{called: make(map[uint64][]bool)}
		shapes[t] = s
		builders[t] = calltree.New(calltree.Options{OnEnter: s.enter, OnCall: s.call})
	}
	events := r.Events(tests)
	var ev format.Event
	for events.Next(&ev) {
		builders[events.Test()].Add(&ev)
	}
	end := report.EndOf(r.file)
	for _, t := range tests {
		builders[t].Close(min(t.End, end))
	}
	return shapes, events.Err()
}

func (s *shape) enter(c *calltree.Call) {
	for c.Depth >= len(s.levels) {
		s.levels = append(s.levels, level{})
	}
	s.levels[c.Depth].calls++
	open := s.called[c.Goroutine][:c.Depth]
	if c.Depth > 0 && !open[c.Depth-1] {
		open[c.Depth-1] = true
		s.levels[c.Depth-1].callers++
	}
	s.called[c.Goroutine] = append(open, false)
}

func (s *shape) call(c *calltree.Call) {
	if c.Flags&(calltree.Panicked|calltree.Recovered) == calltree.Panicked {
		s.panic = max(s.panic, c.Depth+1)
	}
	if c.Depth == 0 {
		delete(s.called, c.Goroutine)
	}
}

func (s *shape) calls() (n uint64) {
	for _, l := range s.levels {
		n += l.calls
	}
	return n
}

// below gives the number of calls that a limit to the depth leaves out.
func (s *shape) below(depth int) (n uint64) {
	for d, l := range s.levels {
		if depth > 0 && d >= depth {
			n += l.calls
		}
	}
	return n
}

// depth gives the greatest depth limit with which the calls fit into so many lines,
// but not less than leastDepth, nor so little that a panic's origin is out of sight. 0
// is no limit.
func (s *shape) depth(lines int) int {
	if lines == 0 {
		return 0
	}
	n := uint64(0)
	for d, l := range s.levels {
		if d > 0 {
			n += s.levels[d-1].callers
		}
		if n += l.calls; n > uint64(lines) {
			if limit := max(d, leastDepth, s.panic); limit < len(s.levels) {
				return limit
			}
			return 0
		}
	}
	return 0
}
