package callgraph

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/stats"
)

func TestOfStatistics(t *testing.T) {
	f, g := &stats.Func{Name: "m.F", Package: "m"}, &stats.Func{Name: "m.G", Package: "m"}
	snap := &stats.Snapshot{
		Paths: []stats.Path{
			{Func: f, Parent: -1, Calls: 1, Total: 40, Self: 10},
			{Func: g, Parent: 0, Calls: 3, Total: 10, Self: 10},
			{Parent: 0, Calls: 2, Total: 20, Self: 20},
			{Func: g, Parent: -1, Calls: 4, Total: 60, Self: 60},
		},
		Functions: []stats.Stat{{Func: *g, Numbers: stats.Numbers{Calls: 17, Untimed: 10}}},
	}
	tree := OfStatistics(snap)
	const want = `60% (4 calls) m.G
40% (1 call) m.F
  20% (2 calls) (other)
  10% (3 calls) m.G

the tree is full: 2 paths end early
10 calls not in the tree, because only counted: their time is their callers' own
`
	if tree.String() != want {
		t.Errorf("got\n%s\nwant\n%s", tree, want)
	}
	if n := tree.Root.Child("m.F"); n.Self() != 10 || n.Func.Package != "m" || tree.Root.Total != 100 {
		t.Errorf("m.F has %v itself in package %q, the root %v; want 10 ns, m, 100 ns", n.Self(), n.Func.Package, tree.Root.Total)
	}
	if b, err := tree.MarshalJSON(); err != nil || !strings.Contains(string(b), `"dropped_nodes":2,"untimed":10,`) {
		t.Errorf("%s, %v", b, err)
	}
	if empty := OfStatistics(new(stats.Snapshot)); empty.String() != "" || len(empty.Root.Children) != 0 {
		t.Errorf("of nothing: %s", empty)
	}
}
