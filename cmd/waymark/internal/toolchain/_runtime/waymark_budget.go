// Package runtime, as waymark adds to it: what a budget needs to see.

package runtime

import "internal/runtime/atomic"

// WMPace has the writer woken when a chunk is full and so many ticks have passed since it was last
// woken. 0 has it woken when there is enough to do. WMStart sets it to 0.
func WMPace(ticks uint64) {
	lock(&wm.lock)
	wm.pace = ticks
	unlock(&wm.lock)
}

// WMCounts adds, by site, the calls that were counted to counted, and those that were timed to timed.
// Both are cumulative. Sites beyond the slices are left out.
func WMCounts(counted, timed []uint64) {
	for t := wmTableList(); t != nil; t = t.next {
		n := t.n.Load()
		counts, cells := t.counts.Load(), t.cells.Load()
		for site := uintptr(0); site < min(n, uintptr(len(counted))); site++ {
			counted[site] += atomic.Load64(wmCountAt(counts, uint32(site)))
		}
		for site := uintptr(0); site < min(n, uintptr(len(timed))); site++ {
			timed[site] += atomic.Load64(&wmCellAt(cells, uint32(site)).calls)
		}
	}
}
