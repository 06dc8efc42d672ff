package inspect

import (
	"slices"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/trace"
)

// Limits of a trace's tree.
const (
	mostDepth = 100 // as readers of JSON have limits, too
	nodeBytes = 250 // of a node in a message, about, and its name
)

// tree returns the calls of a trace: those of the same function with the same callers are one node.
// omitted is the number of calls that the tree has no room for.
func tree(t *trace.Trace) (root *control.Node, omitted uint64) {
	call := t.Call()
	if call == nil {
		return nil, 0
	}
	b := treeBuilder{left: mostTree}
	root = b.node([]*trace.Call{call}, 0)
	return root, b.omitted
}

type treeBuilder struct {
	left    int // bytes
	omitted uint64
}

// node returns the node of calls of one function; nil: there is no room.
func (b *treeBuilder) node(calls []*trace.Call, depth int) *control.Node {
	n := &control.Node{Name: calls[0].Func.Name, Go: calls[0].Go, MinNS: int64(calls[0].Duration)}
	if b.left -= nodeBytes + len(n.Name); b.left < 0 || depth == mostDepth {
		b.omit(calls)
		return nil
	}
	type key struct {
		name string
		goes bool
	}
	var order []key
	below := make(map[key][]*trace.Call)
	for _, c := range calls {
		d := int64(c.Duration)
		n.Calls++
		n.TotalNS, n.SelfNS = n.TotalNS+d, n.SelfNS+int64(c.Self)
		n.MinNS, n.MaxNS = min(n.MinNS, d), max(n.MaxNS, d)
		for _, mark := range []struct {
			is bool
			n  *uint64
		}{{c.Panicked, &n.Panics}, {c.Failed, &n.Errors}, {c.Open, &n.Open}, {c.Detached && !c.Open, &n.Detached}} {
			if mark.is {
				*mark.n++
			}
		}
		for _, callee := range c.Calls {
			k := key{callee.Func.Name, callee.Go}
			if below[k] == nil {
				order = append(order, k)
			}
			below[k] = append(below[k], callee)
		}
	}
	n.AvgNS = n.TotalNS / int64(n.Calls)
	for _, k := range order {
		if child := b.node(below[k], depth+1); child != nil {
			n.Children = append(n.Children, child)
		}
	}
	return n
}

// omit counts calls with those below.
func (b *treeBuilder) omit(calls []*trace.Call) {
	for rest := slices.Clone(calls); len(rest) > 0; b.omitted++ {
		last := rest[len(rest)-1]
		rest = append(rest[:len(rest)-1], last.Calls...)
	}
}
