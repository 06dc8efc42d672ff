package calltree

import "github.com/waymark-go/waymark/internal/calls"

// A Node adds up the calls that were reached on one path of callers, over all
// goroutines. Times are in ticks. A recursion is a path: each level has a node of
// its own, and the totals along it are not added up anywhere.
//
// Nodes are a list, in which callers come before callees. They are not linked: paths
// are as long as the stack was deep, which may be a million calls.
type Node struct {
	Caller int    // index of the caller's node, NoCaller for root calls
	Key    uint32 // as in Row
	Calls  uint64
	Long   uint64 // of Total, what Long events say
	Total  uint64 // of all calls, which contains that of the nodes they call, see Row.Long
	Self   uint64
	Panics uint64
	Errors uint64
	Off    *Offs // in which goroutines did not run
	Made   Made  // by the calls themselves
	About  bool  // the numbers are estimated
}

// Add adds a call that has ended.
func (n *Node) Add(c *Call) {
	n.Calls++
	n.Total += c.End - c.Start
	n.Self += c.Self
	if c.Flags&Panicked != 0 {
		n.Panics++
	}
	if c.Flags&Failed != 0 {
		n.Errors++
	}
	if c.Off != nil {
		addOff(&n.Off, c.Off, true)
	}
	n.Made.add(c.Made)
}

// NoCaller is the Caller of root calls.
const NoCaller = -1

// paths collects nodes while calls go on.
type paths struct{ calls.Paths[pathSum] }

// A pathSum adds up the calls of a node.
type pathSum struct {
	calls       uint64
	total, self uint64
	long        uint64
	panics      uint64
	errors      uint64
	off         *Offs
	made        Made
}

func (f *paths) add(node uint32, total, self uint64, flags Flags) {
	n := &f.Nodes[node].Sum
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
	n := &f.Nodes[node].Sum
	n.calls += s.calls
	n.total += s.total
	n.self += s.self
	n.errors += s.errors
}

// list returns the nodes. Those without calls, all of which were too short for
// Options.Min, are left out; their callees were shorter still.
func (f *paths) list(rows []Row) []Node {
	if len(f.Nodes) == 0 {
		return []Node{}
	}
	out := make([]Node, 0, len(f.Nodes)-1)
	index := make([]int, len(f.Nodes)) // in out
	index[0] = NoCaller
	for i := 1; i < len(f.Nodes); i++ { // parents come before their children
		n, sum := &f.Nodes[i], &f.Nodes[i].Sum
		if sum.calls == 0 {
			index[i] = index[n.Parent] // a Long call may be below
			continue
		}
		index[i] = len(out)
		out = append(out, Node{
			Caller: index[n.Parent], Key: rows[n.Row].Key,
			Calls: sum.calls, Long: sum.long, Total: sum.total, Self: sum.self, Panics: sum.panics, Errors: sum.errors, Off: sum.off, Made: sum.made,
		})
	}
	return out
}
