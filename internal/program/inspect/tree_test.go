package inspect

import (
	"reflect"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/trace"
)

func called(name string, took time.Duration, calls ...*trace.Call) *trace.Call {
	return &trace.Call{Func: &trace.Func{Name: name}, Duration: took, Self: 1, Calls: calls}
}

func TestTree(t *testing.T) {
	slow, started := called("m.G", 5), called("m.G", 2)
	slow.Panicked, slow.Failed, started.Go, started.Open = true, true, true, true
	b := treeBuilder{left: mostTree}
	got := b.node([]*trace.Call{called("m.F", 9, called("m.G", 3), slow, started)}, 0)
	want := &control.Node{Name: "m.F", Calls: 1, TotalNS: 9, SelfNS: 1, MinNS: 9, AvgNS: 9, MaxNS: 9, Children: []*control.Node{
		{Name: "m.G", Calls: 2, Panics: 1, Errors: 1, TotalNS: 8, SelfNS: 2, MinNS: 3, AvgNS: 4, MaxNS: 5},
		{Name: "m.G", Go: true, Calls: 1, TotalNS: 2, SelfNS: 1, MinNS: 2, AvgNS: 2, MaxNS: 2, Open: 1},
	}}
	if !reflect.DeepEqual(got, want) || b.omitted != 0 {
		t.Errorf("tree %+v, %d calls omitted, want %+v", got, b.omitted, want)
	}
}

// What is too deep or too much is counted.
func TestTreeBounds(t *testing.T) {
	deep := called("m.F", 1, called("m.H", 1), called("m.H", 1))
	for i := 1; i < mostDepth+7; i++ {
		deep = called("m.F", 1, deep)
	}
	b := treeBuilder{left: mostTree}
	depth := 0
	for n := b.node([]*trace.Call{deep}, 0); n != nil; depth++ {
		if len(n.Children) == 0 {
			n = nil
		} else {
			n = n.Children[0]
		}
	}
	if depth != mostDepth || b.omitted != 9 {
		t.Errorf("%d nodes deep, %d calls omitted, want %d and 9", depth, b.omitted, mostDepth)
	}
	b = treeBuilder{left: 3 * (nodeBytes + len("m.F"))}
	wide := called("m.F", 1, called("m.G", 1), called("m.H", 1), called("m.I", 1, called("m.J", 1)))
	if n := b.node([]*trace.Call{wide}, 0); len(n.Children) != 2 || b.omitted != 2 {
		t.Errorf("%d children, %d calls omitted, want 2 and 2", len(n.Children), b.omitted)
	}
}
