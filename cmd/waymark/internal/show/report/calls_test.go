package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// draw returns a tree as text.
func draw(t *Tree) string {
	var b strings.Builder
	var below func(n uint32, depth int)
	below = func(n uint32, depth int) {
		for _, c := range t.Below(n) {
			node := t.Node(c)
			if t.Parent(c) != n {
				fmt.Fprintf(&b, "parent %d, want %d: ", t.Parent(c), n)
			}
			fmt.Fprintf(&b, "%s%s %d %d\n", strings.Repeat(" ", depth), node.Row.Name, node.Calls, node.Total)
			below(c, depth+1)
		}
	}
	below(0, 0)
	return b.String()
}

// What is shown level by level has the numbers of the rows, around each function too.
func TestCallTree(t *testing.T) {
	r := New(Options{Tree: true})
	if err := r.Read(join(t, made(t, shop))); err != nil {
		t.Fatal(err)
	}
	rows, _ := r.Rows()
	tree := r.CallTree()
	calls, self := make(map[string]uint64), make(map[string]int64)
	for n := 1; n < tree.Len(); n++ {
		node := tree.Node(uint32(n))
		calls[node.Row.Name] += node.Calls
		self[node.Row.Name] += node.Self
	}
	for _, row := range rows {
		if calls[row.Name] != row.Calls || self[row.Name] != row.Self {
			t.Errorf("%s has %d calls and %d ns in the tree, want %d and %d", row.Name, calls[row.Name], self[row.Name], row.Calls, row.Self)
		}
		for _, around := range []*Tree{r.CallersOf(row), r.CalleesOf(row)} {
			roots := around.Below(0)
			if len(roots) != 1 || around.Node(roots[0]).Row != row {
				t.Fatalf("around %s there is\n%s\nwant it as the only root", row.Name, draw(around))
			}
		}
		if node := r.CallersOf(row).Node(1); node.Calls != row.Calls || node.Total != row.Total {
			t.Errorf("callers of %s: %d calls, %d ns, want %d and %d", row.Name, node.Calls, node.Total, row.Calls, row.Total)
		}
	}
	get := rows[slices.IndexFunc(rows, func(r *Row) bool { return strings.Contains(r.Name, "Get") })]
	callers := draw(r.CallersOf(get))
	for _, want := range []string{"\n main.main 2", "\n main.worker 2"} {
		if !strings.Contains(callers, want) {
			t.Errorf("callers of Get:\n%s\nwant %q", callers, want)
		}
	}
	if got := draw(r.CallTree()); got != draw(tree) {
		t.Errorf("the tree has changed to\n%s", got)
	}
}
