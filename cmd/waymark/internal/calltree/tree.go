package calltree

import (
	"cmp"
	"slices"
)

// A Node adds up the calls that were reached on one path of callers, over all
// goroutines. Times are in ticks. A recursion is a path: each level has a node of
// its own, and the totals along it are not added up anywhere.
type Node struct {
	Key      uint32 // as in Row
	Calls    uint64
	Total    uint64 // of all calls, which contains that of Children
	Self     uint64
	Panics   uint64
	Errors   uint64
	Children []*Node // by key
}

// paths collects nodes while calls go on. Node 0 is the root of all trees, whose
// children are the root calls.
type paths struct {
	nodes []treeNode
	index map[uint64]uint32 // by parent<<32 | row
}

type treeNode struct {
	parent, row uint32
	recent      uint32 // the child entered last: most calls repeat the one before
	calls       uint64
	total, self uint64
	panics      uint64
	errors      uint64
}

func newPaths() *paths {
	return &paths{nodes: make([]treeNode, 1), index: make(map[uint64]uint32)}
}

// child gives the node of calls of row from the calls of the node parent.
func (f *paths) child(parent, row uint32) uint32 {
	if r := f.nodes[parent].recent; r != 0 && f.nodes[r].row == row {
		return r
	}
	key := uint64(parent)<<32 | uint64(row)
	n, ok := f.index[key]
	if !ok {
		n = uint32(len(f.nodes))
		f.nodes = append(f.nodes, treeNode{parent: parent, row: row})
		f.index[key] = n
	}
	f.nodes[parent].recent = n
	return n
}

func (f *paths) add(node uint32, total, self uint64, flags Flags) {
	n := &f.nodes[node]
	n.calls++
	n.total += total
	n.self += self
	if flags&Panicked != 0 {
		n.panics++
	}
	if flags&Failed != 0 {
		n.errors++
	}
}

// addAll adds calls that have been added up.
func (f *paths) addAll(node uint32, s *spanNode) {
	n := &f.nodes[node]
	n.calls += s.calls
	n.total += s.total
	n.self += s.self
	n.errors += s.errors
}

// roots makes the trees. Nodes without calls, all of which were too short for
// Options.Min, are left out; their callees were shorter still.
func (f *paths) roots(rows []Row) []*Node {
	out := make([]Node, len(f.nodes))
	for i := 1; i < len(f.nodes); i++ { // parents come before their children
		n := &f.nodes[i]
		if n.calls == 0 {
			continue
		}
		out[i] = Node{Key: rows[n.row].Key, Calls: n.calls, Total: n.total, Self: n.self, Panics: n.panics, Errors: n.errors}
		out[n.parent].Children = append(out[n.parent].Children, &out[i])
	}
	for i := range out {
		slices.SortFunc(out[i].Children, func(a, b *Node) int { return cmp.Compare(a.Key, b.Key) })
	}
	return out[0].Children
}
