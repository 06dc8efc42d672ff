package inspect

import (
	calltree "github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/trace"
)

// tree returns the calls of a trace. omitted is the number of calls that the tree has no room for.
func tree(t *trace.Trace) (root *control.Node, omitted uint64) {
	call := t.Call()
	if call == nil {
		return nil, 0
	}
	return nodes(call, mostTree)
}

// nodes returns the nodes below a call for which as many bytes are room.
func nodes(root *trace.Call, bytes int) (node *control.Node, omitted uint64) {
	t := calltree.Fold(root, func(c *trace.Call) (string, bool, calltree.Call, []*trace.Call) {
		return c.Func.Name, c.Go, calltree.Call{
			Took: int64(c.Duration), Self: int64(c.Self), Panicked: c.Panicked, Failed: c.Failed, Open: c.Open, Detached: c.Detached,
		}, c.Calls
	})
	return control.NodesOf(t, bytes)
}
