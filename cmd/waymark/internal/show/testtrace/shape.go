package testtrace

import (
	"fmt"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A shape is the number of calls of a test at each depth: enough to know how many
// lines they will take. What matters most is what the test did right before it was
// marked as failed, or else before it ended: its latest steps. A step is a call that
// the test's function makes, with all that it calls.
type shape struct {
	all    levels
	recent [steps]levels // a ring
	step   int           // index of the latest step in recent
	panic  int           // depth of the deepest call that an unrecovered panic ended, from 1

	began  uint64            // clock when the latest step began
	erred  uint64            // clock when the test was marked as failed
	called map[uint64][]bool // by goroutine: which of the open calls have called something
}

// steps is how many of the latest steps should be seen as deep as they go. These are mostly some
// preparation, the call that went wrong, and a check.
const steps = 3

// levels holds the calls by the number of their callers.
type levels []level

type level struct {
	calls   uint64
	callers uint64 // calls that called something: they take a line more
}

// shapes finds the shapes of tests.
func (r *Recording) shapes(tests []*Test) (map[*Test]*shape, error) {
	shapes := make(map[*Test]*shape)
	builders := make(map[*Test]*calltree.Builder)
	lacks := make(map[*Test]*lacking)
	for _, t := range tests {
		s := &shape{erred: t.erred, called: make(map[uint64][]bool)}
		shapes[t] = s
		lacks[t] = r.lacks(t)
		builders[t] = calltree.New(calltree.Options{OnEnter: s.enter, OnCall: s.call})
	}
	events := r.Events(tests)
	var ev tracefile.Event
	for events.Next(&ev) {
		t := events.Test()
		lacks[t].before(builders[t], &ev)
		builders[t].Add(&ev)
	}
	end := recording.EndOf(r.file)
	for _, t := range tests {
		builders[t].Close(min(t.End, end))
	}
	return shapes, events.Err()
}

func (s *shape) enter(c *calltree.Call) {
	open := s.called[c.Goroutine][:c.Depth]
	calls := c.Depth > 0 && !open[c.Depth-1]
	if calls {
		open[c.Depth-1] = true
	}
	s.called[c.Goroutine] = append(open, false)

	s.all.add(c.Depth, calls)
	if c.Start > s.erred {
		return
	}
	if c.Depth <= 1 {
		s.began = c.Start
		s.step = (s.step + 1) % steps
		s.recent[s.step] = s.recent[s.step][:0]
	}
	s.recent[s.step].add(c.Depth, calls)
}

func (s *shape) call(c *calltree.Call) {
	if c.Flags&(calltree.Info|calltree.Long) != 0 {
		return
	}
	if c.Flags&(calltree.Panicked|calltree.Recovered) == calltree.Panicked {
		s.panic = max(s.panic, c.Depth+1)
	}
	if c.Depth == 0 {
		delete(s.called, c.Goroutine)
	}
}

// add counts a call, and its caller if it is the first that this one calls.
func (l *levels) add(depth int, first bool) {
	for depth >= len(*l) {
		*l = append(*l, level{})
	}
	(*l)[depth].calls++
	if first {
		(*l)[depth-1].callers++
	}
}

func (s *shape) calls() uint64 { return s.below(-1) }

// below returns the number of calls that have more than so many callers.
func (s *shape) below(depth int) (n uint64) {
	for d := depth + 1; d < len(s.all); d++ {
		n += s.all[d].calls
	}
	return n
}

// inFailing reports whether a call that begins at the given clock belongs to the latest step.
func (s *shape) inFailing(clock uint64) bool { return clock >= s.began && clock <= s.erred }

// depths are limits, as in calltree.Selection: for calls of the latest step, which went wrong, and
// for all others. 0 is no limit.
type depths struct{ failing, others int }

// depths returns the greatest limits with which the latest steps fit into so many lines. What the
// last one of them calls comes first. But none takes what a step itself calls out of sight, or
// where a panic came from.
func (s *shape) depths(lines int) depths {
	if lines <= 0 {
		return depths{}
	}
	last := s.recent[s.step : s.step+1]
	others := append(append([]levels(nil), s.recent[:s.step]...), s.recent[s.step+1:]...)
	least := lineCount(others, leastDepth)
	var d depths
	d.failing = s.fit(last, max(lines-least, lines/2))
	d.others = s.fit(others, lines-lineCount(last, d.failing))
	return d
}

// fit returns the greatest limit with which some steps take no more than so many lines, but no less
// than must be seen.
func (s *shape) fit(list []levels, lines int) int {
	for d := range s.all {
		if lineCount(list, d+1) > lines {
			if limit := max(d, leastDepth, s.panic); limit < len(s.all) {
				return limit
			}
			return 0
		}
	}
	return 0
}

// lineCount returns the number of lines that some steps take with a limit to the depth.
func lineCount(list []levels, limit int) int {
	n := uint64(0)
	for _, step := range list {
		for d := range step {
			if limit > 0 && d >= limit {
				break
			}
			n += step[d].calls
			if limit == 0 || d+1 < limit {
				n += step[d].callers
			}
		}
	}
	return int(min(n, 1<<30))
}

// String returns the number of callers that a call has which is left out.
func (d depths) String() string {
	callers := func(n int) string { return units.Things(uint64(n), "caller") + " or more" }
	switch {
	case d.failing == d.others:
		return callers(d.others)
	case d.failing == 0:
		return callers(d.others) + "; of the step that failed all calls are shown"
	case d.others == 0:
		return callers(d.failing)
	}
	return fmt.Sprintf("%s, in the step that failed with %d or more", callers(d.others), d.failing)
}
