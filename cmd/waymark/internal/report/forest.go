package report

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
)

// A forest is some call trees, with times in ns. Rows are indices in the Report's rows.
type forest struct{ calltree.Paths[numbers] }

// A node of a call tree adds up the calls of one function on one path of callers.
type node = calltree.PathNode[numbers]

// numbers are those of a node.
type numbers struct {
	calls       uint64
	panics      uint64
	errors      uint64
	total, self int64
	off         *recording.Offs // when goroutines did not run; nil if they always did

	objects, bytes uint64 // of the heap, made by the calls themselves
}

// offs returns when goroutines did not run.
func (s *numbers) offs() *recording.Offs {
	if s.off == nil {
		return new(recording.Offs)
	}
	return s.off
}

// count adds to the numbers of a node.
func (f *forest) count(n uint32, o *numbers) {
	to := &f.Nodes[n].Sum
	to.calls += o.calls
	to.panics += o.panics
	to.errors += o.errors
	to.total += o.total
	to.self += o.self
	to.objects += o.objects
	to.bytes += o.bytes
	if o.off != nil {
		if to.off == nil {
			to.off = new(recording.Offs)
		}
		to.off.Total.Join(&o.off.Total)
		to.off.Self.Join(&o.off.Self)
	}
}

// some returns a forest of those nodes that wanted chooses. What others call comes below the
// nearest of their callers that is chosen, whose node there wanted is told, 0 if there is none.
func (f *forest) some(wanted func(n *node, caller uint32) bool) *forest {
	out := new(forest)
	at := make([]uint32, len(f.Nodes)) // the node there, of the call or its caller
	for i := 1; i < len(f.Nodes); i++ {
		n := &f.Nodes[i]
		if at[i] = at[n.Parent]; wanted(n, at[i]) {
			at[i] = out.Child(at[i], n.Row)
			out.count(at[i], &n.Sum)
		}
	}
	return out
}

// children are the nodes below each node, as a list in which those of one follow each other.
type children struct {
	list  []uint32
	first []uint32 // index in list; one more than there are nodes
}

// sorted returns the children of all nodes, those of a node in order.
func (f *forest) sorted(compare func(a, b *node) int) children {
	nodes := max(len(f.Nodes), 1)
	c := children{list: make([]uint32, nodes-1), first: make([]uint32, nodes+1)}
	for i := 1; i < nodes; i++ {
		c.first[f.Nodes[i].Parent+1]++
	}
	for n := range nodes {
		c.first[n+1] += c.first[n]
	}
	next := slices.Clone(c.first)
	for i := 1; i < nodes; i++ {
		parent := f.Nodes[i].Parent
		c.list[next[parent]] = uint32(i)
		next[parent]++
	}
	for n := range nodes {
		slices.SortStableFunc(c.of(uint32(n)), func(a, b uint32) int { return compare(&f.Nodes[a], &f.Nodes[b]) })
	}
	return c
}

// of returns the children of a node.
func (c *children) of(n uint32) []uint32 { return c.list[c.first[n]:c.first[n+1]] }

// visit calls enter for all nodes, callers before callees. It visits a node's callees if enter
// returns true, and then calls leave, if leave isn't nil.
func (c *children) visit(enter func(n uint32, depth int) bool, leave func(n uint32, depth int)) {
	type level struct {
		n    uint32
		rest []uint32 // children that have not been visited
	}
	path := []level{{rest: c.of(0)}}
	for len(path) > 0 {
		top := &path[len(path)-1]
		if len(top.rest) == 0 {
			if leave != nil && len(path) > 1 {
				leave(top.n, len(path)-2)
			}
			path = path[:len(path)-1]
			continue
		}
		n := top.rest[0]
		top.rest = top.rest[1:]
		next := level{n: n}
		if enter(n, len(path)-1) {
			next.rest = c.of(n)
		}
		path = append(path, next)
	}
}
