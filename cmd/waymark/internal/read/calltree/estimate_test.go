package calltree

import (
	"testing"

	"github.com/waymark-go/waymark/internal/estimate"
)

// Totals of functions whose calls were all recorded are those that were measured, whatever is
// estimated of the calls that they made.
func TestEstimateTotals(t *testing.T) {
	const main, leaf, sample = 1, 2, 12
	r := &Result{
		Rows: []Row{
			{Key: main, Calls: 1, Total: 1000, Self: 900, Sum: 1000, Min: 1000, Max: 1000},
			{Key: sample, Calls: 2, Total: 100, Self: 100, Sum: 100, Min: 50, Max: 50},
		},
		Tree: []Node{
			{Caller: NoCaller, Key: main, Calls: 1, Total: 1000, Self: 900},
			{Caller: 0, Key: sample, Calls: 2, Total: 100, Self: 100},
		},
	}
	split := func(site uint32) (uint32, int) { return site % 10, int(site / 10) }
	same := func(site uint32) uint32 { return site }
	e := Estimate(r, split, map[uint32]uint64{leaf: 20}, estimate.Options{Read: 10, Within: true})
	rows, _ := e.Rows(same)
	if rows[0].Key != main || rows[0].Total != 1000 || rows[0].Sum != 1000 {
		t.Errorf("the first row is %+v, want key %d, a total and a sum of 1000", rows[0], main)
	}
	tree := e.Tree(same)
	if tree[0].Key != main || tree[0].Total != 1000 || tree[1].Total == 100 {
		t.Errorf("the tree is %+v, want a total of 1000, and an estimate below", tree)
	}
}
