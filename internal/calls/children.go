package calls

import "slices"

// Children are the nodes below each node of a tree, as a list in which those of one follow each other.
type Children struct {
	list  []uint32
	first []uint32 // index in list; one more than there are nodes
}

// Below returns the children of all nodes of a list with so many, those of a node in the list's order.
// Node 0 has no parent.
func Below(nodes int, parent func(n uint32) uint32) Children {
	nodes = max(nodes, 1)
	c := Children{list: make([]uint32, nodes-1), first: make([]uint32, nodes+1)}
	for i := 1; i < nodes; i++ {
		c.first[parent(uint32(i))+1]++
	}
	for n := 0; n < nodes; n++ {
		c.first[n+1] += c.first[n]
	}
	next := slices.Clone(c.first)
	for i := 1; i < nodes; i++ {
		p := parent(uint32(i))
		c.list[next[p]] = uint32(i)
		next[p]++
	}
	return c
}

// Sorted returns the children of all nodes, those of a node in the order of a comparison of nodes.
func (p *Paths[S]) Sorted(compare func(a, b uint32) int) Children {
	c := Below(len(p.Nodes), func(n uint32) uint32 { return p.Nodes[n].Parent })
	c.Sort(compare)
	return c
}

// Sort brings the children of each node into an order.
func (c *Children) Sort(compare func(a, b uint32) int) {
	for n := 0; n < len(c.first)-1; n++ {
		slices.SortStableFunc(c.Of(uint32(n)), compare)
	}
}

// Of returns the children of a node.
func (c *Children) Of(n uint32) []uint32 { return c.list[c.first[n]:c.first[n+1]] }

// Visit calls enter for all nodes, callers before callees. It visits a node's callees if enter
// returns true, and then calls leave, if leave isn't nil.
func (c *Children) Visit(enter func(n uint32, depth int) bool, leave func(n uint32, depth int)) {
	type level struct {
		n    uint32
		rest []uint32 // children that have not been visited
	}
	path := []level{{rest: c.Of(0)}}
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
			next.rest = c.Of(n)
		}
		path = append(path, next)
	}
}
