package inspect

import (
	"reflect"
	"testing"
	"time"

	calltree "github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/trace"
)

func called(name string, took time.Duration, calls ...*trace.Call) *trace.Call {
	return &trace.Call{Func: &trace.Func{Name: name}, Duration: took, Self: 1, Calls: calls}
}

func TestTree(t *testing.T) {
	slow, started := called("m.G", 5), called("m.G", 2)
	slow.Panicked, slow.Failed, started.Go, started.Open = true, true, true, true
	got, omitted := nodes(called("m.F", 9, called("m.G", 3), slow, started), mostTree)
	want := &control.Node{JSONTraced: calltree.JSONTraced{Name: "m.F", Calls: 1, TotalNS: 9, SelfNS: 1, MinNS: 9, AvgNS: 9, MaxNS: 9}, Children: []*control.Node{
		{JSONTraced: calltree.JSONTraced{Name: "m.G", Calls: 2, Panics: 1, Errors: 1, TotalNS: 8, SelfNS: 2, MinNS: 3, AvgNS: 4, MaxNS: 5}},
		{JSONTraced: calltree.JSONTraced{Name: "m.G", Go: true, Calls: 1, TotalNS: 2, SelfNS: 1, MinNS: 2, AvgNS: 2, MaxNS: 2, Open: 1}},
	}}
	if !reflect.DeepEqual(got, want) || omitted != 0 {
		t.Errorf("tree %+v, %d calls omitted, want %+v", got, omitted, want)
	}
}

// What is too deep or too much is counted.
func TestTreeBounds(t *testing.T) {
	deep := called("m.F", 1, called("m.H", 1), called("m.H", 1))
	for i := 1; i < control.MostDepth+7; i++ {
		deep = called("m.F", 1, deep)
	}
	n, omitted := nodes(deep, mostTree)
	depth := 0
	for ; n != nil; depth++ {
		if len(n.Children) == 0 {
			n = nil
		} else {
			n = n.Children[0]
		}
	}
	if depth != control.MostDepth || omitted != 9 {
		t.Errorf("%d nodes deep, %d calls omitted, want %d and 9", depth, omitted, control.MostDepth)
	}
	wide := called("m.F", 1, called("m.G", 1), called("m.H", 1), called("m.I", 1, called("m.J", 1)))
	if n, omitted = nodes(wide, 3*(control.NodeBytes+len("m.F"))); len(n.Children) != 2 || omitted != 2 {
		t.Errorf("%d children, %d calls omitted, want 2 and 2", len(n.Children), omitted)
	}
}
