package paths

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
)

// An adder adds the nodes of a process's recording.
type adder struct {
	*reader
	nodes  []calltree.Node
	wanted []bool                // by node: the filter's Callers wants it, or a call that it makes; nil: all are
	owner  func(node int) uint32 // row of a goroutine; nil: goroutines are not kept apart
	scale  calltree.Scale
	min    uint64           // ticks
	took   map[uint32]took  // by key, of what has been added
	off    calls.Offs       // of the visited node
	around map[uint32]int32 // calls of each key that the visited node is in
	path   []visited        // to the visited node; the first one is no call
	stack  []uint32         // keys of the shown calls around the visited one, see maxDepth
	has    map[uint32]int32 // of stack, by key
	calls  uint64           // that are shown
}

// took is the time of calls in ticks.
type took struct{ total, self, runnable, off uint64 }

// A visited node is on the path to the one that is visited next.
type visited struct {
	at     uint32 // in the tree of the result: its own node, or that of its nearest caller with one
	pushed bool   // on the stack
	depth  int    // calls that are shown above it and itself
	below  bool   // it is one of the filter's Root, or called by one
}

// add adds the calls of a process, and returns how many the filter shows. owner returns the row of
// the goroutine of a root call; nil if goroutines are not kept apart.
func (r *reader) add(nodes []calltree.Node, scale calltree.Scale, owner func(node int) uint32) uint64 {
	a := &adder{reader: r, nodes: nodes, owner: owner, scale: scale, min: scale.TicksOf(int64(r.filter.Min)),
		took: make(map[uint32]took), around: make(map[uint32]int32), has: make(map[uint32]int32)}
	if r.filter.Callers != nil {
		a.wanted = make([]bool, len(nodes))
		for i := len(nodes) - 1; i >= 0; i-- {
			a.wanted[i] = a.wanted[i] || r.called[nodes[i].Key]
			if caller := nodes[i].Caller; caller >= 0 && a.wanted[i] {
				a.wanted[caller] = true
			}
		}
	}
	a.path = []visited{{below: r.filter.Root == nil}}
	below := calls.Below(len(nodes)+1, func(n uint32) uint32 { return uint32(nodes[n-1].Caller + 1) })
	below.Visit(func(n uint32, depth int) bool {
		a.path = append(a.path[:depth+1], a.enter(int(n-1), a.path[depth]))
		return true
	}, func(n uint32, depth int) { a.leave(nodes[n-1].Key, a.path[depth+1].pushed) })
	return a.calls
}

// enter adds the calls of a node.
func (a *adder) enter(number int, caller visited) visited {
	n := &a.nodes[number]
	v := visited{at: caller.at, depth: caller.depth, below: caller.below || a.roots[n.Key]}
	if n.Caller == calltree.NoCaller && a.owner != nil {
		v.at = a.tree.paths.Child(0, a.owner(number))
	}
	outermost := a.around[n.Key] == 0
	a.around[n.Key]++
	sum := a.numbers(n, outermost)
	limit := a.filter.Depth
	if !v.below || !a.shown[n.Key] || limit > 0 && v.depth >= limit || n.Total < a.min || a.wanted != nil && !a.wanted[number] {
		if v.depth > 0 && (sum.Self != 0 || sum.Objects != 0) {
			left := calls.Numbers{Self: sum.Self, Off: sum.Off, Objects: sum.Objects, Bytes: sum.Bytes}
			a.tree.paths.Add(v.at, uint32(a.function(function.Func{Name: Left})), &left)
		}
		return v
	}
	v.depth++
	a.calls += n.Calls
	node := a.tree.paths.Add(v.at, n.Key, &sum)
	if len(a.stack) < maxDepth || a.has[n.Key] == 0 {
		v.at, v.pushed = node, true
		a.stack = append(a.stack, n.Key)
		a.has[n.Key]++
	}
	return v
}

func (a *adder) leave(key uint32, pushed bool) {
	a.around[key]--
	if pushed {
		a.stack = a.stack[:len(a.stack)-1]
		a.has[key]--
	}
}

// numbers returns those of a node, valid until the next one's. Times are rounded so that the sums of a
// function are those of its ticks.
func (a *adder) numbers(n *calltree.Node, outermost bool) calls.Numbers {
	t := a.took[n.Key]
	before := t
	t.self += n.Self
	if outermost {
		t.total += n.Total
	}
	ns := func(after, before uint64) int64 { return a.scale.Nanoseconds(after) - a.scale.Nanoseconds(before) }
	sum := n.Counts()
	sum.Total, sum.Self = ns(t.total, before.total), ns(t.self, before.self)
	if n.Off != nil {
		a.tree.waits = true
		t.runnable += n.Off.Self.Runnable
		t.off += n.Off.Self.Sum()
		off := &a.off.Self
		off.Runnable = ns(t.runnable, before.runnable)
		off.Untold = ns(t.off, before.off) - off.Runnable
		sum.Off = &a.off
	}
	a.took[n.Key] = t
	a.tree.makes = a.tree.makes || n.Made.Objects > 0
	return sum
}
