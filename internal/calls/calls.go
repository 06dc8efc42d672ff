// Package calls adds up calls by the path of callers that led to them, in ns. All that shows a call
// tree is a view of one Tree:
//
//	tree := new(calls.Tree)
//	main := tree.Add(0, row, &calls.Numbers{Calls: 1, Total: 12_000, Self: 2_000})
//	callers, _ := tree.Callers(func(row uint32) bool { return row == read }, 100)
//
// Rows are what the user of the package numbers: functions, packages, groups.
package calls

import "slices"

// Numbers add up calls. Times are in ns. A new number is a field here, with its line in Add, and one of
// Columns.
type Numbers struct {
	Calls  uint64 `json:"calls"`
	Panics uint64 `json:"panics"`
	Errors uint64 `json:"errors"` // calls that returned an error
	Total  int64  `json:"total_ns"`
	Self   int64  `json:"self_ns"`
	Off    *Offs  `json:"-"` // when goroutines did not run; nil if they always did

	Objects uint64 `json:"objects"` // of the heap, made by the calls themselves
	Bytes   uint64 `json:"bytes"`

	About      bool `json:"-"` // they are estimated
	AboutTotal bool `json:"-"` // Total is, because what these calls made was
}

// Add adds other calls.
func (n *Numbers) Add(o *Numbers) {
	n.Calls += o.Calls
	n.Panics += o.Panics
	n.Errors += o.Errors
	n.Total += o.Total
	n.Self += o.Self
	n.Objects += o.Objects
	n.Bytes += o.Bytes
	n.About = n.About || o.About
	n.AboutTotal = n.AboutTotal || o.AboutTotal
	if o.Off != nil {
		n.OwnOff().Add(o.Off)
	}
}

// OwnOff returns Off, to be added to.
func (n *Numbers) OwnOff() *Offs {
	if n.Off == nil {
		n.Off = new(Offs)
	}
	return n.Off
}

// Offs returns when goroutines did not run.
func (n *Numbers) Offs() *Offs {
	if n.Off == nil {
		return new(Offs)
	}
	return n.Off
}

// within returns the numbers of calls that a call of the same function is around: their total is in that
// of the outermost one.
func (n *Numbers) within() *Numbers {
	inner := *n
	inner.Total = 0
	if n.Off != nil {
		inner.Off = &Offs{Self: n.Off.Self}
	}
	return &inner
}

// A Tree is some call trees.
type Tree struct{ Paths[Numbers] }

// A Node adds up the calls of one row on one path of callers.
type Node = PathNode[Numbers]

// Add adds calls of a row that those of the node parent made, 0 if nobody is known to have. It returns
// their node.
func (t *Tree) Add(parent, row uint32, n *Numbers) (node uint32) {
	node = t.Child(parent, row)
	t.Nodes[node].Sum.Add(n)
	return node
}

// Some returns a tree of those nodes that wanted chooses. What others call comes below the nearest of
// their callers that is chosen, whose node there wanted is told, 0 if there is none.
func (t *Tree) Some(wanted func(n *Node, caller uint32) bool) *Tree {
	out := new(Tree)
	at := make([]uint32, len(t.Nodes)) // the node there, of the call or its caller
	for i := 1; i < len(t.Nodes); i++ {
		n := &t.Nodes[i]
		if at[i] = at[n.Parent]; wanted(n, at[i]) {
			at[i] = out.Add(at[i], n.Row, &n.Sum)
		}
	}
	return out
}

// Callees returns the calls of rows that match, with all that they make.
func (t *Tree) Callees(match func(row uint32) bool) *Tree {
	return t.Some(func(n *Node, caller uint32) bool { return caller != 0 || match(n.Row) })
}

// Callers returns the paths upwards from the nodes whose rows match, of as many levels: the work is
// quadratic in the depth of a recursion. Each node on the way up has the numbers of the calls at its
// foot. The time of a recursive function counts where it is entered first. cut says that there are more
// levels.
func (t *Tree) Callers(match func(row uint32) bool, levels int) (up *Tree, cut bool) {
	up = new(Tree)
	rows := uint32(0)
	for i := range t.Nodes {
		rows = max(rows, t.Nodes[i].Row+1)
	}
	open := make([]int32, rows) // calls of the row on the path
	below := t.Order(func(_, _ *Node) int { return 0 })
	below.Visit(func(i uint32, _ int) bool {
		n := &t.Nodes[i]
		if match(n.Row) {
			sum := &n.Sum
			if open[n.Row] > 0 {
				sum = sum.within()
			}
			at := uint32(0)
			for level := 0; i != 0; i = t.Nodes[i].Parent {
				if level++; level > levels {
					cut = true
					break
				}
				at = up.Add(at, t.Nodes[i].Row, sum)
			}
		}
		open[n.Row]++
		return true
	}, func(i uint32, _ int) { open[t.Nodes[i].Row]-- })
	return up, cut
}

// Order returns the children of all nodes, those of a node in order.
func (t *Tree) Order(compare func(a, b *Node) int) Children {
	return t.Sorted(func(a, b uint32) int { return compare(&t.Nodes[a], &t.Nodes[b]) })
}

// Any reports whether the numbers of some calls are as is wanted.
func (t *Tree) Any(wanted func(n *Numbers) bool) bool {
	return slices.ContainsFunc(t.Nodes, func(n Node) bool { return wanted(&n.Sum) })
}
