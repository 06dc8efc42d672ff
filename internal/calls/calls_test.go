package calls

import (
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Rows of the tree that tests have.
const (
	main = iota + 1
	read
	parse
)

// recursive has main, which calls read twice; read calls itself once, and parse.
func recursive() *Tree {
	t := new(Tree)
	top := t.Add(0, main, &Numbers{Calls: 1, Total: 100, Self: 10})
	outer := t.Add(top, read, &Numbers{Calls: 2, Total: 90, Self: 30})
	off := &Offs{}
	off.Total.Waiting[format.WaitOther], off.Self.Waiting[format.WaitOther] = 20, 15
	inner := t.Add(outer, read, &Numbers{Calls: 1, Total: 50, Self: 40, Off: off, About: true})
	t.Add(inner, parse, &Numbers{Calls: 7, Total: 10, Self: 10, Errors: 3, Panics: 2, Objects: 5, Bytes: 80})
	t.Add(outer, parse, &Numbers{Calls: 1, Total: 10, Self: 10})
	return t
}

func is(rows ...uint32) func(uint32) bool {
	return func(row uint32) bool { return slices.Contains(rows, row) }
}

// at returns the numbers of a path.
func at(t *testing.T, tree *Tree, path ...uint32) *Numbers {
	t.Helper()
	node := uint32(0)
	for _, row := range path {
		i := slices.IndexFunc(tree.Nodes, func(n Node) bool { return n.Parent == node && n.Row == row })
		if i < 1 {
			t.Fatalf("there is no path %v", path)
		}
		node = uint32(i)
	}
	return &tree.Nodes[node].Sum
}

func TestCallers(t *testing.T) {
	up, cut := recursive().Callers(is(read), 100)
	if cut {
		t.Error("callers are cut")
	}
	// All three calls are at the foot; the time of the inner one is in the outer ones'.
	if n := at(t, up, read); n.Calls != 3 || n.Total != 90 || n.Self != 70 || !n.About {
		t.Errorf("the calls have %+v", n)
	}
	if off := at(t, up, read, read).Offs(); off.Total.Waited() != 0 || off.Self.Waited() != 15 {
		t.Errorf("the inner call waits %+v, want 15 of its own time", off)
	}
	if n := at(t, up, read, main); n.Calls != 2 || n.Total != 90 {
		t.Errorf("main calls %+v", n)
	}
	if up, cut = recursive().Callers(is(parse), 2); !cut || len(up.Nodes) != 3 {
		t.Errorf("%d nodes, cut: %v; want two, cut", len(up.Nodes)-1, cut)
	}
	if up, cut = new(Tree).Callers(is(read), 100); cut || len(up.Nodes) > 1 {
		t.Errorf("nothing has callers %+v", up.Nodes)
	}
}

func TestCallees(t *testing.T) {
	down := recursive().Callees(is(read))
	if n := at(t, down, read, read, parse); n.Calls != 7 || n.Errors != 3 || n.Panics != 2 || n.Objects != 5 || n.Bytes != 80 {
		t.Errorf("the innermost calls have %+v", n)
	}
	if len(down.Nodes) != 5 {
		t.Errorf("%d nodes, want four", len(down.Nodes)-1)
	}
}

// What is left out of a tree leaves its callees to its callers.
func TestSome(t *testing.T) {
	some := recursive().Some(func(n *Node, _ uint32) bool { return n.Row != read })
	if n := at(t, some, main, parse); n.Calls != 8 || n.Total != 20 {
		t.Errorf("parse has %+v", n)
	}
	if some.Any(func(n *Numbers) bool { return n.Off != nil }) || !some.Any(func(n *Numbers) bool { return n.Objects == 5 }) {
		t.Error("the numbers left are not those of main and parse")
	}
}
