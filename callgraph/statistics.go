package callgraph

import "github.com/waymark-go/waymark/stats"

// OfStatistics returns the paths of a snapshot as an exact tree. The root is no function. Package stats
// gathers paths with Options.Paths; without paths the tree is empty.
//
// To keep to a budget, calls of a function may only have been counted. The tree lacks these calls:
// their time is their callers' own, and so are the calls that they made. Untimed counts them.
func OfStatistics(s *stats.Snapshot) *Tree {
	t := &Tree{Root: new(Node), From: s.From, To: s.To}
	nodes := make([]Node, len(s.Paths))
	for i := range s.Paths {
		p := &s.Paths[i]
		n, parent := &nodes[i], t.Root
		if p.Parent >= 0 {
			parent = &nodes[p.Parent]
		} else {
			t.Root.Total += p.Total
		}
		n.Calls, n.Total = int64(p.Calls), p.Total
		if n.Func.Name = p.Name(); p.Func != nil {
			n.Func = *p.Func
		} else {
			t.DroppedNodes += n.Calls
		}
		parent.Children = append(parent.Children, n)
	}
	for i := range s.Functions {
		t.Untimed += int64(s.Functions[i].Untimed)
	}
	t.Sort()
	return t
}
