package calltree

// A Node adds up the calls that were reached on one path of callers, over all
// goroutines. Times are in ticks. A recursion is a path: each level has a node of
// its own, and the totals along it are not added up anywhere.
//
// Nodes are a list, in which callers come before callees, and not linked: paths are as
// long as the stack was deep, which may be a million calls.
type Node struct {
	Caller int    // index of the caller's node, NoCaller for root calls
	Key    uint32 // as in Row
	Calls  uint64
	Total  uint64 // of all calls, which contains that of the nodes they call
	Self   uint64
	Panics uint64
	Errors uint64
}

// NoCaller is the Caller of root calls.
const NoCaller = -1

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

// list gives the nodes. Those without calls, all of which were too short for
// Options.Min, are left out; their callees were shorter still.
func (f *paths) list(rows []Row) []Node {
	out := make([]Node, 0, len(f.nodes)-1)
	index := make([]int, len(f.nodes)) // in out
	index[0] = NoCaller
	for i := 1; i < len(f.nodes); i++ { // parents come before their children
		n := &f.nodes[i]
		if n.calls == 0 {
			continue
		}
		index[i] = len(out)
		out = append(out, Node{
			Caller: index[n.parent], Key: rows[n.row].Key,
			Calls: n.calls, Total: n.total, Self: n.self, Panics: n.panics, Errors: n.errors,
		})
	}
	return out
}
