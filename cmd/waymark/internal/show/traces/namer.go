package traces

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
)

// A namer finds in which calls the segments of a critical path are.
type namer struct {
	p        *recording.Process
	segments map[uint64][]*Segment // by goroutine, in the order of time: those that have not ended yet
	stacks   map[uint64]*stack
	left     int // segments
}

// A stack is the open calls of a goroutine.
type stack struct {
	sites []uint32
	since uint64 // clock: the innermost one is it since then
	fresh bool   // it is the goroutine's first one, and begins soon after the goroutine
}

// follow returns what is to be told of a process.
func (n *namer) follow(p *recording.Process) recording.Follower {
	if p.Label != n.p.Label {
		return recording.Follower{Enter: func(*calltree.Call) {}, Call: func(*calltree.Call) {}}
	}
	return recording.Follower{
		Enter: func(c *calltree.Call) {
			if n.stacks[c.Goroutine] == nil {
				n.stacks[c.Goroutine] = &stack{sites: []uint32{c.Site}, fresh: true}
				n.until(c.Goroutine, c.Start)
				n.stacks[c.Goroutine].fresh = false
				return
			}
			n.set(c.Goroutine, c.Start, c.Depth, c.Site)
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
func (n *namer) set(goroutine, clock uint64, depth int, others ...uint32) {
	n.until(goroutine, clock)
	s := n.stacks[goroutine]
	s.sites = append(s.sites[:min(depth, len(s.sites))], others...)
}

// until gives the time until a clock to the innermost call of a goroutine.
func (n *namer) until(goroutine, clock uint64) {
	s := n.stacks[goroutine]
	var in *function.Func
	if len(s.sites) > 0 {
		if f, ok := n.p.File.Func(s.sites[len(s.sites)-1]); ok {
			in = &f.Func
		}
	}
	list := n.segments[goroutine]
	for ; len(list) > 0 && list[0].from < clock; list = list[1:] {
		one := list[0]
		if from, to := max(one.from, s.since), min(one.to, clock); from < to {
			if s.fresh && (one.State != Running || one.to <= clock) {
				one.spend(nil, to-from)
			} else {
				one.spend(in, to-from)
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
func (s *Segment) spend(in *function.Func, ticks uint64) {
	i := slices.IndexFunc(s.Parts, func(p Part) bool {
		return p.Func == in || p.Func != nil && in != nil && p.Func.Identity() == in.Identity()
	})
	if i < 0 {
		i = len(s.Parts)
		s.Parts = append(s.Parts, Part{Func: in})
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
