package traces

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
)

// A namer finds in which calls the segments of a critical path are.
type namer struct {
	p        *recording.Process
	segments map[uint64][]*Segment // by goroutine, in the order of time: those without their call yet
	stacks   map[uint64][]frame
	left     int // segments
}

// A frame is an open call.
type frame struct {
	site  uint32
	began uint64 // clock
}

// follow returns what is to be told of a process.
func (n *namer) follow(p *recording.Process) recording.Follower {
	if p.Label != n.p.Label {
		return recording.Follower{Enter: func(*calltree.Call) {}, Call: func(*calltree.Call) {}}
	}
	return recording.Follower{
		Enter: func(c *calltree.Call) {
			n.until(c.Goroutine, c.Start)
			stack := n.stacks[c.Goroutine]
			n.stacks[c.Goroutine] = append(stack[:min(c.Depth, len(stack))], frame{c.Site, c.Began})
		},
		Call: func(c *calltree.Call) {
			if c.Flags&(calltree.Info|calltree.Long) != 0 {
				return
			}
			n.until(c.Goroutine, c.End)
			stack := n.stacks[c.Goroutine]
			n.stacks[c.Goroutine] = stack[:min(c.Depth, len(stack))]
		},
		Done: func(uint64) bool { return n.left == 0 },
	}
}

// until finds the calls of a goroutine's segments that are over at a clock: nothing has happened to the
// stack since the end of any.
func (n *namer) until(goroutine, clock uint64) {
	list := n.segments[goroutine]
	for len(list) > 0 && list[0].to <= clock {
		s := list[0]
		list = list[1:]
		n.left--
		stack := n.stacks[goroutine]
		for len(stack) > 0 && stack[len(stack)-1].began > s.from {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 && s.State == Running {
			stack = n.stacks[goroutine] // a goroutine's first call begins soon after it
			stack = stack[:min(1, len(stack))]
		}
		if len(stack) == 0 {
			continue
		}
		if f, ok := n.p.File.Func(stack[len(stack)-1].site); ok {
			s.Func = &f.Func
		}
	}
	n.segments[goroutine] = list
}

// end finds the calls of the segments after which no call of the goroutine begins or ends.
func (n *namer) end() {
	for goroutine := range n.segments {
		n.until(goroutine, 1<<64-1)
	}
}
