package trace

import (
	"math"

	"github.com/waymark-go/waymark/callgraph"
	"github.com/waymark-go/waymark/internal/text/tracetext"
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
func add(calls []*Call) *callgraph.Node {
	n := &callgraph.Node{Func: *calls[0].Func, Calls: int64(len(calls))}
	var order []string
	below := make(map[string][]*Call)
	for _, c := range calls {
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
func (t *Trace) nodes() (list []tracetext.Node) {
	type key struct {
		name string
		goes bool
	}
	var fold func(calls []*Call, depth int)
	fold = func(calls []*Call, depth int) {
		n := tracetext.Node{Name: calls[0].Func.Name, Goroutine: calls[0].Go, Depth: depth, Min: math.MaxInt64}
		var order []key
		below := make(map[key][]*Call)
		for _, c := range calls {
			n.Calls++
			n.Total += int64(c.Duration)
			n.Self += int64(c.Self)
			n.Min, n.Max = min(n.Min, int64(c.Duration)), max(n.Max, int64(c.Duration))
			for _, mark := range []struct {
				is bool
				n  *uint64
			}{{c.Panicked, &n.Panics}, {c.Failed, &n.Errors}, {c.Open, &n.Open}, {c.Detached && !c.Open, &n.Detached}} {
				if mark.is {
					*mark.n++
				}
			}
			for _, b := range c.Calls {
				k := key{b.Func.Name, b.Go}
				if below[k] == nil {
					order = append(order, k)
				}
				below[k] = append(below[k], b)
			}
		}
		list = append(list, n)
		for _, k := range order {
			fold(below[k], depth+1)
		}
	}
	if root := t.Call(); root != nil {
		fold([]*Call{root}, 0)
	}
	return list
}
