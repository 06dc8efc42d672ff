// Package runtime, as waymark adds to it: the traces in progress.

package runtime

// A WMActiveTrace is a trace whose root call is in progress.
type WMActiveTrace struct {
	Site       uint32 // of the root call
	Goroutine  uint64 // that made it
	Parent     uint64
	Started    uint64 // clock, when it began
	Lost       uint64 // calls
	Calls      int    // that have begun
	Goroutines int    // that have joined
}

// WMActiveTraces returns the traces of a gatherer that are in progress. The world is stopped meanwhile, for as long as it takes to
// look at all goroutines, and at what these traces have gathered.
func WMActiveTraces(number int) []WMActiveTrace {
	for room := 64; ; {
		list := make([]WMActiveTrace, room)
		n := wmTraces.list[number].fill(list)
		if n <= room {
			return list[:n]
		}
		room = n + n/4
	}
}

// fill fills list as far as it goes, and returns how many traces there are.
func (c *wmGatherer) fill(list []WMActiveTrace) (n int) {
	stw := stopTheWorld(stwReadMemStats)
	forEachGRace(func(gp *g) {
		s := gp.strandOf(c.number)
		if s == nil || s != &s.trace.root || !c.on() {
			return
		}
		if n < len(list) {
			s.trace.describe(&list[n])
		}
		n++
	})
	startTheWorld(stw)
	return n
}

// describe sets what is known of a trace. The world is stopped.
func (t *wmTrace) describe(a *WMActiveTrace) {
	a.Site, a.Goroutine, a.Parent, a.Started, a.Lost = t.frame.site(), t.root.goid, t.root.parent, t.root.started, t.lost.Load()
	calls := 0
	for s := &t.root; s != nil; s = s.next {
		a.Goroutines++
		wmEachRecord(s.first, func(_ uint64, r *wmRecord) {
			if r.word&wmFrameGathered != 0 && r.word&wmFrameFlagged != 0 {
				calls++
			}
		})
	}
	a.Calls = calls
}
