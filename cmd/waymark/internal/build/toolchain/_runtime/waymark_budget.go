// Package runtime, as waymark adds to it: what a budget needs to see.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// WMPace has the writer woken when a chunk is full and so many ticks have passed since it was last
// woken. 0 has it woken when there is enough to do. WMStart sets it to 0.
func WMPace(ticks uint64) {
	lock(&wm.lock)
	wm.pace = ticks
	unlock(&wm.lock)
}

// A wmValueTimes adds up how long it took a P to write values, of a part of its events.
type wmValueTimes struct {
	wait   uint32 // events with values that follow before the next one is timed
	events uint64 // timed
	bytes  uint64 // of their values
	ticks  uint64
}

const (
	// One in so many events is timed. It is odd: beginnings and ends take turns.
	wmTimedValues = 31

	// What takes more ticks was interrupted.
	wmMostTicks = 1 << 16
)

// time takes note of an event with so many bytes of values, which began at the clock from.
//
//go:nosplit
//go:noinline
func (v *wmValueTimes) time(from uint64, bytes uintptr) {
	v.wait = wmTimedValues - 1
	if !wm.counter {
		return
	}
	if took := wmTicks() - from; took < wmMostTicks {
		v.events++
		v.bytes += uint64(bytes)
		v.ticks += took
	}
}

// WMValueTimes returns how many ticks it took to write the values of some events, with one reading
// of the clock each. It also returns how many events and bytes these were. All are 0 if the clock
// isn't the processor's counter. All are sums since the program began.
func WMValueTimes() (events, bytes, ticks uint64) {
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may have been greater
		if pp != nil {
			v := &pp.wm.values
			events += v.events
			bytes += v.bytes
			ticks += v.ticks
		}
	}
	return events, bytes, ticks
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
		if !wmEverTimed { // cells are large
			continue
		}
		for site := uintptr(0); site < min(n, uintptr(len(timed))); site++ {
			timed[site] += atomic.Load64(&wmCellAt(cells, uint32(site)).calls)
		}
	}
	for site := range min(wmGuesses.n.Load(), uintptr(len(counted))) {
		guess, _ := WMGuessOf(uint32(site))
		counted[site] += guess.Calls
	}
}

// A WMGuess is how many calls of a site nobody counted: an estimate, by what was counted in windows. All
// fields add up.
type WMGuess struct {
	Calls   uint64
	Windows uint64  // in which calls were counted
	Squares float64 // of the calls that each window stands for
	Most    float64 // calls, if there were as many all the time as there ever were while they were counted
}

// wmGuesses has those of all sites.
var wmGuesses struct {
	list atomic.Uintptr // of WMGuess, by site, with one call more than there are, 0: all were counted; stored before n and loaded after it
	n    atomic.Uintptr
}

func wmGuessAt(list uintptr, site uint32) *WMGuess {
	return (*WMGuess)(unsafe.Pointer(list + uintptr(site)*unsafe.Sizeof(WMGuess{})))
}

// WMEstimate adds to what is known of a site's calls that nobody counted. WMCounts and WMSumOf have them among those
// that were counted. Only one goroutine may call it at a time.
func WMEstimate(site uint32, more WMGuess) {
	e := &wmGuesses
	if n := e.n.Load(); uintptr(site) >= n {
		room := uintptr(max(WMSites(), site+1))
		larger := persistentalloc(room*unsafe.Sizeof(WMGuess{}), 64, &memstats.other_sys)
		if n > 0 {
			memmove(larger, unsafe.Pointer(e.list.Load()), n*unsafe.Sizeof(WMGuess{}))
		}
		e.list.Store(uintptr(larger))
		e.n.Store(room)
	}
	g := wmGuessAt(e.list.Load(), site)
	g.Windows += more.Windows
	g.Squares += more.Squares
	g.Most += more.Most
	atomic.Store64(&g.Calls, max(g.Calls, 1)+more.Calls)
}

// WMGuessOf returns what is known of a site's calls that nobody counted; false: all were counted. It may have any part of
// what is added meanwhile.
func WMGuessOf(site uint32) (guess WMGuess, some bool) {
	if e := &wmGuesses; uintptr(site) < e.n.Load() {
		g := wmGuessAt(e.list.Load(), site)
		if n := atomic.Load64(&g.Calls); n > 0 {
			return WMGuess{n - 1, g.Windows, g.Squares, g.Most}, true
		}
	}
	return WMGuess{}, false
}
