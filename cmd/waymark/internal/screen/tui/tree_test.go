package tui

import (
	"fmt"
	"testing"
)

// twins are nodes with two children each, up to a depth.
type twins struct{ most int }

func (t twins) Leaf(id int) bool { return 2*id+1 > t.most }
func (t twins) Below(id int) []int {
	if t.Leaf(id) {
		return nil
	}
	return []int{2*id + 1, 2*id + 2}
}
func (t twins) Cells(id int) []Cell {
	return []Cell{{Text: fmt.Sprint(id, id)}, {Text: fmt.Sprint("f", id)}}
}

func TestTree(t *testing.T) {
	tree := NewTree([]Column{{Head: "Total", Right: true}, {Head: "Function"}}, twins{14})
	press := func(want string, keys ...string) {
		t.Helper()
		for _, key := range keys {
			if !tree.Press(key) {
				t.Fatalf("%s does nothing", key)
			}
		}
		if got := plain(tree.View(40, 8)); got != want {
			t.Errorf("after %v got\n%s\nwant\n%s", keys, got, want)
		}
	}
	press("Total  Function\n  1 1  ▸ f1\n  2 2  ▸ f2\n\n\n\n\n")
	press("Total  Function\n  1 1  ▾ f1\n  3 3    ▸ f3\n  4 4    ▸ f4\n  2 2  ▸ f2\n\n\n", "right")
	press("Total  Function\n  1 1  ▾ f1\n  3 3    ▾ f3\n  7 7        f7\n  8 8        f8\n  4 4    ▸ f4\n  2 2  ▸ f2\n", "right", "right", "right", "right")
	// What is open below stays so.
	tree.Show([]int{1})
	tree.Reload()
	if id, _ := tree.Node(); id != 1 {
		t.Errorf("chosen is %d, want 1", id)
	}
	press("Total  Function\n  1 1  ▸ f1\n  2 2  ▸ f2\n\n\n\n\n", "left")
	press("Total  Function\n  1 1  ▾ f1\n  3 3    ▾ f3\n  7 7        f7\n  8 8        f8\n  4 4    ▸ f4\n  2 2  ▸ f2\n", "right")
	tree.Show([]int{2, 5, 12})
	if id, _ := tree.Node(); id != 12 {
		t.Errorf("chosen is %d, want 12", id)
	}
	tree.Press("left")
	tree.Press("left")
	if id, _ := tree.Node(); id != 5 || tree.Opened(5) {
		t.Errorf("chosen is %d, open %v, want 5 closed", id, tree.Opened(5))
	}
}

// A path of a million levels is opened as far as one key goes.
func TestDeepTree(t *testing.T) {
	tree := NewTree([]Column{{Head: "Function"}}, chain(1e6))
	tree.Press("*")
	if n := tree.Source.Len(); n < 100 || n > 2*mostOpened {
		t.Errorf("%d lines, want some, and not all", n)
	}
	tree.View(80, 24)
}

type chain int

func (c chain) Leaf(id int) bool    { return id >= int(c) }
func (c chain) Below(id int) []int  { return []int{id + 1} }
func (c chain) Cells(id int) []Cell { return []Cell{{Text: "f"}} }
