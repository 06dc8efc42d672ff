package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/internal/table"
)

// A View says what to show of a call tree. The zero value shows all of it.
type View struct {
	Root    func(*Row) bool // trees of these functions, merged over all places they are called from
	Callers func(*Row) bool // instead, who calls these functions: children are callers
}

// A node of a call tree adds up the calls of one function on one path of callers.
type node struct {
	*Row          // for the name; its numbers are not the node's
	calls, panics uint64
	total, self   int64
	children      []*node
	childrenByRow map[*Row]*node
}

// child gives the child for a function, making it if need be.
func (n *node) child(r *Row) *node {
	c := n.childrenByRow[r]
	if c == nil {
		c = &node{Row: r}
		if n.childrenByRow == nil {
			n.childrenByRow = make(map[*Row]*node)
		}
		n.childrenByRow[r] = c
		n.children = append(n.children, c)
	}
	return c
}

// count adds the numbers of another node.
func (n *node) count(o *node) {
	n.calls += o.calls
	n.panics += o.panics
	n.total += o.total
	n.self += o.self
}

// merge adds another tree.
func (n *node) merge(o *node) {
	n.count(o)
	for _, c := range o.children {
		n.child(c.Row).merge(c)
	}
}

// addTree adds the trees of a recording.
func (r *Report) addTree(to *node, list []*calltree.Node, scale calltree.Scale) {
	for _, c := range list {
		n := to.child(r.rows[c.Key])
		n.count(&node{calls: c.Calls, panics: c.Panics, total: scale.Nanoseconds(c.Total), self: scale.Nanoseconds(c.Self)})
		r.addTree(n, c.Children, scale)
	}
}

// view gives a node whose children are the trees to show, sorted.
func (r *Report) view(v View) *node {
	out := &r.tree
	switch {
	case v.Callers != nil:
		out = new(node)
		callers(out, &r.tree, nil, v.Callers)
	case v.Root != nil:
		out = new(node)
		roots(out, &r.tree, v.Root)
	}
	out.sort()
	return out
}

// roots merges into out the trees below n whose functions match.
func roots(out, n *node, match func(*Row) bool) {
	for _, c := range n.children {
		if match(c.Row) {
			out.child(c.Row).merge(c)
		} else {
			roots(out, c, match)
		}
	}
}

// callers merges into out the paths upwards from the nodes below n whose
// functions match; path leads to n, outermost first. Each node on the way up has
// the numbers of the calls at its foot. The time of a recursive function counts
// where it is entered first.
func callers(out, n *node, path []*node, match func(*Row) bool) {
	for _, c := range n.children {
		if match(c.Row) {
			numbers := &node{calls: c.calls, panics: c.panics, total: c.total, self: c.self}
			if slices.ContainsFunc(path, func(p *node) bool { return p.Row == c.Row }) {
				numbers.total = 0
			}
			at := out.child(c.Row)
			at.count(numbers)
			for i := len(path) - 1; i >= 0; i-- {
				at = at.child(path[i].Row)
				at.count(numbers)
			}
		}
		callers(out, c, append(path, c), match)
	}
}

// sort puts what took the most time first.
func (n *node) sort() {
	slices.SortFunc(n.children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, c := range n.children {
		c.sort()
	}
}

// WriteTree prints the call tree of a report made with Options.Tree.
func (r *Report) WriteTree(w io.Writer, v View, f Format) error {
	root := r.view(v)
	switch f {
	case JSON:
		return writeJSON(w, jsonNodes(root.children))
	case CSV:
		c := csv.NewWriter(w)
		c.Write([]string{"depth", "total_ns", "self_ns", "calls", "panics", "name"})
		root.walk(0, func(n *node, depth int) {
			c.Write([]string{strconv.Itoa(depth), strconv.FormatInt(n.total, 10), strconv.FormatInt(n.self, 10),
				strconv.FormatUint(n.calls, 10), strconv.FormatUint(n.panics, 10), n.Name})
		})
		c.Flush()
		return c.Error()
	}
	var all int64
	for _, c := range root.children {
		all += c.total
	}
	t := &table.Table{Columns: []table.Column{
		{Head: "Total time", Right: true}, {Head: "Self time", Right: true}, {Head: "%", Right: true},
		{Head: "Calls", Right: true}, {Head: "Panics", Right: true}, {Head: "Function"},
	}}
	root.walk(0, func(n *node, depth int) {
		percent := 0.0
		if all > 0 {
			percent = 100 * float64(n.total) / float64(all)
		}
		name := strings.Repeat("  ", depth) + r.names.Short(n.Name)
		if n.Open > 0 && n.Open == n.Row.Calls {
			name += table.AllOpen
		}
		t.Rows = append(t.Rows, []table.Cell{
			table.Duration(n.total), table.Duration(n.self), {Text: fmt.Sprintf("%.1f", percent)},
			table.Count(n.calls), table.Panics(n.panics), {Text: name},
		})
	})
	if err := t.Write(w, r.Style); err != nil {
		return err
	}
	return r.writeFoot(w)
}

// walk calls f for the nodes below n, callers before callees.
func (n *node) walk(depth int, f func(n *node, depth int)) {
	for _, c := range n.children {
		f(c, depth)
		c.walk(depth+1, f)
	}
}

type jsonNode struct {
	Name     string     `json:"name"`
	Calls    uint64     `json:"calls"`
	Panics   uint64     `json:"panics"`
	TotalNS  int64      `json:"total_ns"`
	SelfNS   int64      `json:"self_ns"`
	Children []jsonNode `json:"children"`
}

func jsonNodes(list []*node) []jsonNode {
	out := make([]jsonNode, len(list))
	for i, n := range list {
		out[i] = jsonNode{n.Name, n.calls, n.panics, n.total, n.self, jsonNodes(n.children)}
	}
	return out
}
