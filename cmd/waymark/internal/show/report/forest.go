package report

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// A forest is some call trees, with times in ns. Rows are indices in the Report's rows.
type forest struct{ calltree.Paths[numbers] }

// A node of a call tree adds up the calls of one function on one path of callers.
type node = calltree.PathNode[numbers]

// numbers are those of a node.
type numbers struct {
	calls       uint64
	panics      uint64
	errors      uint64
	total, self int64
	off         *recording.Offs // when goroutines did not run; nil if they always did

	objects, bytes uint64 // of the heap, made by the calls themselves

	about bool // they are estimated
}

// offs returns when goroutines did not run.
func (s *numbers) offs() *recording.Offs {
	if s.off == nil {
		return new(recording.Offs)
	}
	return s.off
}

// count adds to the numbers of a node.
func (f *forest) count(n uint32, o *numbers) {
	to := &f.Nodes[n].Sum
	to.calls += o.calls
	to.panics += o.panics
	to.errors += o.errors
	to.total += o.total
	to.self += o.self
	to.objects += o.objects
	to.bytes += o.bytes
	to.about = to.about || o.about
	if o.off != nil {
		if to.off == nil {
			to.off = new(recording.Offs)
		}
		to.off.Total.Join(&o.off.Total)
		to.off.Self.Join(&o.off.Self)
	}
}

// some returns a forest of those nodes that wanted chooses. What others call comes below the
// nearest of their callers that is chosen, whose node there wanted is told, 0 if there is none.
func (f *forest) some(wanted func(n *node, caller uint32) bool) *forest {
	out := new(forest)
	at := make([]uint32, len(f.Nodes)) // the node there, of the call or its caller
	for i := 1; i < len(f.Nodes); i++ {
		n := &f.Nodes[i]
		if at[i] = at[n.Parent]; wanted(n, at[i]) {
			at[i] = out.Child(at[i], n.Row)
			out.count(at[i], &n.Sum)
		}
	}
	return out
}

// sorted returns the children of all nodes, those of a node in order.
func (f *forest) sorted(compare func(a, b *node) int) calltree.Children {
	return f.Sorted(func(a, b uint32) int { return compare(&f.Nodes[a], &f.Nodes[b]) })
}
