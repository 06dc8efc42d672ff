package traces

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/value"
)

// A namer finds in which calls the segments of a critical path are.
type namer struct {
	p        *recording.Process
	segments map[uint64][]*Segment // by goroutine, in the order of time: those that have not ended yet
	stacks   map[uint64]*stack
	values   *value.Printer // of arguments; nil: they are not shown
	left     int            // segments
}

// A stack is the open calls of a goroutine.
type stack struct {
	calls []opened
	since uint64 // clock: the innermost one is it since then
	fresh bool   // it is the goroutine's first one, and begins soon after the goroutine
}

// opened is a call that has not ended.
type opened struct {
	site uint32
	args string
}

// follow returns what is to be told of a process.
func (n *namer) follow(p *recording.Process) recording.Follower {
	if p.Label != n.p.Label {
		return recording.Follower{Enter: func(*calltree.Call) {}, Call: func(*calltree.Call) {}}
	}
	return recording.Follower{
		Enter: func(c *calltree.Call) {
			one := opened{c.Site, arguments(n.values, new(recorded.Receivers), p, c)}
			if n.stacks[c.Goroutine] == nil {
				n.stacks[c.Goroutine] = &stack{calls: []opened{one}, fresh: true}
				n.until(c.Goroutine, c.Start)
				n.stacks[c.Goroutine].fresh = false
				return
			}
			n.set(c.Goroutine, c.Start, c.Depth, one)
		},
		Call: func(c *calltree.Call) {
			if c.Flags&(calltree.Info|calltree.Long) == 0 {
				n.set(c.Goroutine, c.End, c.Depth)
			}
		},
		Done: func(uint64) bool { return n.left == 0 },
	}
}

// set notes that from a clock on the calls of a goroutine are depth of those that were open, and others.
func (n *namer) set(goroutine, clock uint64, depth int, others ...opened) {
	n.until(goroutine, clock)
	s := n.stacks[goroutine]
	s.calls = append(s.calls[:min(depth, len(s.calls))], others...)
}

// until gives the time until a clock to the innermost call of a goroutine.
func (n *namer) until(goroutine, clock uint64) {
	s := n.stacks[goroutine]
	var in *function.Func
	args := ""
	if len(s.calls) > 0 {
		last := s.calls[len(s.calls)-1]
		if f, ok := n.p.File.Func(last.site); ok {
			in, args = &f.Func, last.args
		}
	}
	list := n.segments[goroutine]
	for ; len(list) > 0 && list[0].from < clock; list = list[1:] {
		one := list[0]
		if from, to := max(one.from, s.since), min(one.to, clock); from < to {
			if s.fresh && (one.State != Running || one.to <= clock) {
				one.spend(nil, "", to-from)
			} else {
				one.spend(in, args, to-from)
			}
		}
		if one.to > clock {
			break
		}
		n.left--
	}
	n.segments[goroutine] = list
	s.since = clock
}

// spend adds time of calls of a function themselves.
func (s *Segment) spend(in *function.Func, args string, ticks uint64) {
	i := slices.IndexFunc(s.Parts, func(p Part) bool {
		return p.Args == args && (p.Func == in || p.Func != nil && in != nil && p.Func.Identity() == in.Identity())
	})
	if i < 0 {
		i = len(s.Parts)
		s.Parts = append(s.Parts, Part{Func: in, Args: args})
	}
	s.Parts[i].ticks += ticks
}

// end finds the calls of the segments after which no call of the goroutine begins or ends.
func (n *namer) end() {
	for goroutine := range n.segments {
		if n.stacks[goroutine] == nil {
			n.stacks[goroutine] = new(stack)
		}
		n.until(goroutine, 1<<64-1)
	}
}

// finish puts the parts of a segment in order.
func (n *namer) finish(s *Segment) {
	if len(s.Parts) == 0 {
		s.Parts = []Part{{ticks: s.to - s.from}}
	}
	slices.SortStableFunc(s.Parts, func(a, b Part) int { return cmp.Compare(b.ticks, a.ticks) })
	left := s.Duration
	for i := range s.Parts {
		p := &s.Parts[i]
		p.Duration = min(time.Duration(n.p.Scale.Nanoseconds(p.ticks)), left)
		left -= p.Duration
	}
	s.Parts[0].Duration += left
	s.Func = s.Parts[0].Func
}
