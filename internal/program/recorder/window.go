package recorder

import (
	"cmp"
	"slices"
)

// A window is a part of a test's time that is kept, with both clocks.
type window struct{ from, to uint64 }

// A testRun is a test, an example or a fuzz target that runs, or has failed.
type testRun struct {
	begin, end uint64 // clocks; end is never while it runs
	erred      uint64 // clock when it was first marked as failed, or never
	paused     bool
	waited     window // for its turn
	resumed    uint64 // clock; its latest events from then on are kept
	from       uint64 // clock of the first of them
	windows    []window
	left       int64 // bytes until the last window closes; 0: it is closed
	halved     int   // how often its windows were halved

	regions []*region // that it keeps, when it has failed
	gaps    []*gap
}

// open begins a window of so many bytes of what is written from the clock on.
func (t *testRun) open(from uint64, size int64) {
	t.windows = append(t.windows, window{from, never})
	t.left = max(size, 1)
}

// close ends the window that is open.
func (t *testRun) close(at uint64) {
	if t.left > 0 {
		t.left = 0
		t.windows[len(t.windows)-1].to = at
	}
}

// freeze keeps what is kept now of the test's latest events.
func (t *testRun) freeze(clock uint64) {
	t.close(clock)
	if !t.paused {
		t.windows = append(t.windows, window{t.from, clock})
	}
}

// origin returns the clock from which on bytes count for the window that is open.
func (t *testRun) origin() uint64 {
	if t.erred != never && t.erred > t.resumed {
		return t.erred
	}
	return t.resumed
}

// hold has a failed test keep a region if it wants to.
func (t *testRun) hold(g *region) bool {
	if !t.wants(g) {
		return false
	}
	t.regions = append(t.regions, g)
	g.holders++
	return true
}

// wants reports whether a region holds events of the test's windows.
func (t *testRun) wants(g *region) bool {
	for _, w := range t.windows {
		if g.from <= w.to && g.to >= w.from {
			return true
		}
	}
	return t.end == never && !t.paused && g.to >= t.from
}

// overlaps reports whether a region holds events of the test's time.
func (t *testRun) overlaps(g *region) bool {
	waiting := g.from >= t.waited.from && g.to <= t.waited.to
	return g.from <= t.end && g.to >= t.begin && !waiting
}

// union sorts windows, and makes one of those that meet.
func union(list []window) []window {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	out := list[:0]
	for _, w := range list {
		if n := len(out); n > 0 && w.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, w.to)
		} else {
			out = append(out, w)
		}
	}
	return out
}
