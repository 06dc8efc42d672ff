package report

import (
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
)

// A Tree is a call tree of a report that was made with Options.Tree, for what shows it level by level.
// Its nodes are numbered; 0 stands for what is above the root calls.
type Tree struct {
	report *Report
	view   *view
}

// A Node adds up the calls of one function on one path of callers. Times are in ns.
type Node struct {
	Row *Row // of the function, with all its calls
	calls.Numbers
}

// CallTree returns the tree that WriteTree prints, but for the filter's Min and Depth.
func (r *Report) CallTree() *Tree { return &Tree{r, r.view()} }

// CallersOf returns who calls a function: its calls at the root, their callers below.
func (r *Report) CallersOf(row *Row) *Tree {
	is := isFunction(row)
	return r.around(is, nil)
}

// CalleesOf returns what a function calls: its calls at the root, with all that they make below.
func (r *Report) CalleesOf(row *Row) *Tree {
	is := isFunction(row)
	return r.around(nil, is)
}

func isFunction(row *Row) func(*function.Func) bool {
	identity := row.Func.Identity()
	return func(f *function.Func) bool { return f.Identity() == identity }
}

// around returns a tree with another filter.
func (r *Report) around(callers, root func(*function.Func) bool) *Tree {
	other := *r
	other.Filter.Callers, other.Filter.Root, other.shown = callers, root, nil
	return &Tree{r, other.view()}
}

// Total returns the total of all root calls, ns.
func (t *Tree) Total() int64 { return t.view.all }

// Len returns how many nodes there are, with node 0.
func (t *Tree) Len() int { return len(t.view.Nodes) }

// Below returns the nodes below a node, those with the most time first.
func (t *Tree) Below(n uint32) []uint32 { return t.view.Of(n) }

// Parent returns the node above a node.
func (t *Tree) Parent(n uint32) uint32 { return t.view.Nodes[n].Parent }

// Node returns what a node adds up. n is not 0.
func (t *Tree) Node(n uint32) Node {
	node := &t.view.Nodes[n]
	return Node{t.report.rows[node.Row], node.Sum}
}

// Short returns the short name of a function, as text has it.
func (r *Report) Short(name string) string { return r.names.Short(name) }

// Waits reports whether the recordings say when goroutines ran.
func (r *Report) Waits() bool { return r.waits() }

// Makes reports whether the recordings say what calls made on the heap.
func (r *Report) Makes() bool { return r.makes() }

// Summary is the line about the recordings that text ends with.
func (r *Report) Summary() string { return r.summary() }
