package report

import "slices"

// A forest is some call trees: lists of nodes, not linked, as a tree may be a million calls
// deep. Nodes are named by their index. Node 0 is no call: root calls are its children.
type forest struct {
	nodes []node // callers before callees
	index map[uint64]uint32
}

// A node of a call tree adds up the calls of one function on one path of callers.
type node struct {
	parent, row   uint32 // row is the index in the Report's rows
	calls, panics uint64
	total, self   int64
}

// child gives the node of the calls of row that those of parent make.
func (f *forest) child(parent, row uint32) uint32 {
	if f.index == nil {
		f.nodes, f.index = make([]node, 1), make(map[uint64]uint32)
	}
	key := uint64(parent)<<32 | uint64(row)
	n, ok := f.index[key]
	if !ok {
		n = uint32(len(f.nodes))
		f.nodes = append(f.nodes, node{parent: parent, row: row})
		f.index[key] = n
	}
	return n
}

// count adds to the numbers of a node.
func (f *forest) count(n uint32, o *node) {
	to := &f.nodes[n]
	to.calls += o.calls
	to.panics += o.panics
	to.total += o.total
	to.self += o.self
}

// some gives a forest of those nodes that wanted chooses. What others call comes below the nearest
// of their callers that is chosen, whose node there wanted is told, 0 if there is none.
func (f *forest) some(wanted func(n *node, caller uint32) bool) *forest {
	out := new(forest)
	at := make([]uint32, len(f.nodes)) // the node there, of the call or its caller
	for i := 1; i < len(f.nodes); i++ {
		n := &f.nodes[i]
		if at[i] = at[n.parent]; wanted(n, at[i]) {
			at[i] = out.child(at[i], n.row)
			out.count(at[i], n)
		}
	}
	return out
}

// children are the nodes below each node, as a list in which those of one follow each other.
type children struct {
	list  []uint32
	first []uint32 // index in list; one more than there are nodes
}

// sorted gives the children of all nodes, those of a node in order.
func (f *forest) sorted(compare func(a, b *node) int) children {
	nodes := max(len(f.nodes), 1)
	c := children{list: make([]uint32, nodes-1), first: make([]uint32, nodes+1)}
	for i := 1; i < nodes; i++ {
		c.first[f.nodes[i].parent+1]++
	}
	for n := range nodes {
		c.first[n+1] += c.first[n]
	}
	next := slices.Clone(c.first)
	for i := 1; i < nodes; i++ {
		parent := f.nodes[i].parent
		c.list[next[parent]] = uint32(i)
		next[parent]++
	}
	for n := range nodes {
		slices.SortStableFunc(c.of(uint32(n)), func(a, b uint32) int { return compare(&f.nodes[a], &f.nodes[b]) })
	}
	return c
}

// of gives the children of a node.
func (c *children) of(n uint32) []uint32 { return c.list[c.first[n]:c.first[n+1]] }

// visit calls enter for all nodes, callers before callees, and what they call if it says so;
// then leave, if it isn't nil.
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
