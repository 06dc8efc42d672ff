package gather

import (
	"testing"
	"time"
)

// Each root has a quantile of its own, of its latest calls, once there are enough.
func TestTails(t *testing.T) {
	w := tails{0.9, make(map[uint32]*tail)}
	look := func() map[uint32]uint64 {
		set := make(map[uint32]uint64)
		w.look(func(site uint32, ticks uint64) { set[site] = ticks })
		return set
	}
	// What takes as long as the others is not among the slowest.
	near := func(got, want uint64) bool { return got >= want && got <= want*104/100 }
	for i := uint64(1); i < leastCalls; i++ {
		w.add(1, i*1000)
	}
	if got := look(); len(got) > 0 {
		t.Errorf("%v of too few calls", got)
	}
	w.add(1, leastCalls*1000)
	for i := uint64(1); i <= 1000; i++ {
		w.add(2, i)
	}
	if got := look(); len(got) != 2 || !near(got[1], 90_000) || !near(got[2], 900) {
		t.Errorf("%v, want 90000 and 900", got)
	}
	if got := look(); len(got) > 0 {
		t.Errorf("%v without news", got)
	}
	w.turn()
	for range make([]struct{}, 300) {
		w.add(1, 1e6)
	}
	if got := look(); len(got) != 1 || !near(got[1], 1e6) {
		t.Errorf("%v, want a million", got)
	}
	w.turn()
	w.turn()
	if len(w.roots) != 0 {
		t.Errorf("%d roots without calls for %v", len(w.roots), 2*tailTurn)
	}
	w.add(1, uint64(time.Hour))
	if got := look(); len(got) > 0 {
		t.Errorf("%v of one call", got)
	}
}
