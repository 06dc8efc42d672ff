package trace

import (
	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/calls"
)

// Tree returns the calls of the trace, added up by the paths of their callers. Its times are times
// of goroutines: the Total of its Root is more than Duration if goroutines ran side by side. Lost
// calls are its DroppedNodes.
func (t *Trace) Tree() *callgraph.Tree {
	tree := &callgraph.Tree{From: t.Start, To: t.Start.Add(t.Duration), DroppedNodes: int64(t.Lost)}
	if root := t.Call(); root != nil {
		tree.Root = add([]*Call{root})
	}
	tree.Sort()
	return tree
}

// add returns the node of calls of the same function.
func add(same []*Call) *callgraph.Node {
	n := &callgraph.Node{Func: *same[0].Func, Calls: int64(len(same))}
	var order []string
	below := make(map[string][]*Call)
	for _, c := range same {
		n.Total += c.Self
		for _, b := range c.Calls {
			name := b.Func.Name
			if below[name] == nil {
				order = append(order, name)
			}
			below[name] = append(below[name], b)
		}
	}
	for _, name := range order {
		child := add(below[name])
		n.Total += child.Total
		n.Children = append(n.Children, child)
	}
	return n
}

// nodes returns the calls as they are printed: those of the same function with the same callers are
// one node.
func (t *Trace) nodes() *calls.Trace {
	root := t.Call()
	if root == nil {
		return new(calls.Trace)
	}
	return calls.Fold(root, func(c *Call) (string, bool, calls.Call, []*Call) {
		return c.Func.Name, c.Go, calls.Call{
			Took: int64(c.Duration), Self: int64(c.Self), Panicked: c.Panicked, Failed: c.Failed, Open: c.Open, Detached: c.Detached,
		}, c.Calls
	})
}
