package paths

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/function"
)

// An adder adds the nodes of a process's recording.
type adder struct {
	*reader
	nodes    []calltree.Node
	children [][2]int32            // of each node: the first child, and the next one of its caller; 0 is none
	wanted   []bool                // by node: the filter's Callers wants it, or a call that it makes; nil: all are
	owner    func(node int) uint32 // row of a goroutine; nil: goroutines are not kept apart
	scale    calltree.Scale
	min      uint64           // ticks
	took     map[uint32]took  // by key, of what has been added
	around   map[uint32]int32 // calls of each key that the visited node is in
	stack    []uint32         // keys of the shown calls around the visited one, see maxDepth
	has      map[uint32]int32 // of stack, by key
	calls    uint64           // that are shown
}

// took is the time of calls in ticks.
type took struct{ total, self, runnable, off uint64 }

// A visited node is on the path to the one that is visited next.
type visited struct {
	node   int32
	at     uint32 // in the tree of the result: its own node, or that of its nearest caller with one
	pushed bool   // on the stack
	depth  int    // calls that are shown above it and itself
	below  bool   // it is one of the filter's Root, or called by one
}

// add adds the calls of a process, and returns how many the filter shows. owner returns the row of
// the goroutine of a root call; nil if goroutines are not kept apart.
func (r *reader) add(nodes []calltree.Node, scale calltree.Scale, owner func(node int) uint32) uint64 {
	if len(nodes) == 0 {
		return 0
	}
	a := &adder{reader: r, nodes: nodes, owner: owner, scale: scale, min: scale.TicksOf(int64(r.filter.Min)),
		took: make(map[uint32]took), around: make(map[uint32]int32), has: make(map[uint32]int32)}
	// Children are numbered from 1 on; those of 0 are the root calls.
	a.children = make([][2]int32, len(nodes)+1)
	for i := len(nodes) - 1; i >= 0; i-- {
		caller := &a.children[nodes[i].Caller+1]
		a.children[i+1][1], caller[0] = caller[0], int32(i+1)
	}
	if r.filter.Callers != nil {
		a.wanted = make([]bool, len(nodes))
		for i := len(nodes) - 1; i >= 0; i-- {
			a.wanted[i] = a.wanted[i] || r.called[nodes[i].Key]
			if caller := nodes[i].Caller; caller >= 0 && a.wanted[i] {
				a.wanted[caller] = true
			}
		}
	}
	path := []visited{{below: r.filter.Root == nil}}
	for next := a.children[0][0]; ; {
		for next != 0 {
			path = append(path, a.enter(next, &path[len(path)-1]))
			next = a.children[next][0]
		}
		last := path[len(path)-1]
		if last.node == 0 {
			return a.calls
		}
		path = path[:len(path)-1]
		a.leave(&last)
		next = a.children[last.node][1]
	}
}

// enter adds the calls of a node.
func (a *adder) enter(number int32, caller *visited) visited {
	n := &a.nodes[number-1]
	v := visited{node: number, at: caller.at, depth: caller.depth, below: caller.below || a.roots[n.Key]}
	if caller.node == 0 && a.owner != nil {
		v.at = a.tree.paths.Child(0, a.owner(int(number-1)))
	}
	outermost := a.around[n.Key] == 0
	a.around[n.Key]++
	values := a.values(n, outermost)
	limit := a.filter.Depth
	if !v.below || !a.shown[n.Key] || limit > 0 && v.depth >= limit || n.Total < a.min || a.wanted != nil && !a.wanted[number-1] {
		if v.depth > 0 && (values[Self] != 0 || values[Objects] != 0) {
			left := &a.tree.paths.Nodes[a.tree.paths.Child(v.at, uint32(a.function(function.Func{Name: Left})))]
			for i := Self; i < len(values); i++ {
				left.Sum.Values[i] += values[i]
			}
		}
		return v
	}
	v.depth++
	a.calls += n.Calls
	node := a.tree.paths.Child(v.at, n.Key)
	sum := &a.tree.paths.Nodes[node].Sum
	for i, value := range values {
		sum.Values[i] += value
	}
	if len(a.stack) < maxDepth || a.has[n.Key] == 0 {
		v.at, v.pushed = node, true
		a.stack = append(a.stack, n.Key)
		a.has[n.Key]++
	}
	return v
}

func (a *adder) leave(v *visited) {
	key := a.nodes[v.node-1].Key
	a.around[key]--
	if v.pushed {
		a.stack = a.stack[:len(a.stack)-1]
		a.has[key]--
	}
}

// values returns the numbers of a node. They are rounded so that the sums of a function are those of
// its ticks.
func (a *adder) values(n *calltree.Node, outermost bool) (v Values) {
	t := a.took[n.Key]
	before := t
	t.self += n.Self
	if outermost {
		t.total += n.Total
	}
	if n.Off != nil {
		a.tree.waits = true
		t.runnable += n.Off.Self.Runnable
		t.off += n.Off.Self.Sum()
	}
	a.took[n.Key] = t
	v[Calls] = int64(n.Calls)
	ns := func(after, before uint64) int64 { return a.scale.Nanoseconds(after) - a.scale.Nanoseconds(before) }
	v[Total] = ns(t.total, before.total)
	v[Self] = ns(t.self, before.self)
	off := ns(t.off, before.off)
	v[Runnable] = ns(t.runnable, before.runnable)
	v[Running], v[Waiting] = v[Self]-off, off-v[Runnable]
	v[Objects], v[Bytes] = int64(n.Made.Objects), int64(n.Made.Bytes)
	a.tree.makes = a.tree.makes || n.Made.Objects > 0
	return v
}
