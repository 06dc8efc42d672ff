// Package runtime, as waymark adds to it: calls that are counted, without events.
//
// The calls of a site are added up in cells, one for each P. So no two threads write to the same
// cell, and the memory does not depend on the number of goroutines. Calls that are only counted have
// a count of one word beside the cells. Code in package runtime is preempted at calls only: nothing
// else keeps a goroutine on its P while it updates a cell. The runtime asks the line table whose code
// is preempted, so this holds where WMDone is inlined, too. Cells and counts only grow, modulo 2^64,
// and are never set back: what happened between two instants is a difference.
//
// A goroutine knows its P's counts from its first counted call on, until it may get another P, which
// wirep, execute and coroswitch_m say.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmCell adds up timed calls of a site. Times are in ticks of the clock of events.
type wmCell struct {
	calls uint64 // that have begun
	ended uint64 // that have ended
	total uint64 // time of outermost calls: no other call of the site was around them
	inner uint64 // time of the other calls
	self  uint64 // time of all calls, without the timed calls that they made
	least uint64 // ^least is the time of the shortest call, so that zero means none
	most  uint64 // time of the longest call

	more uintptr // *wmCellMore; 0 if there is none yet
}

// wmCellShift is of the size of a cell, a cache line.
const wmCellShift = 6

// A wmCellTable has the cells and the counts of a P, by site.
type wmCellTable struct {
	cells  atomic.Uintptr // stored before n and loaded after it, as counts is: later tables are larger
	counts atomic.Uintptr // of uint64, of calls that aren't timed, which end as they begin
	n      atomic.Uintptr
	next   *wmCellTable
}

// A wmCellMore is the part of a cell that most cells do not need.
type wmCellMore struct {
	panics uint64 // calls that a panic ended, or that recovered a panic
	errors uint64 // calls that returned an error

	// The histogram: calls by their times. There is a line of 32 counts for the times below 32 ticks,
	// and for those of each power of two from 32 on. Lines are made when they are needed.
	lines [wmHistogramLines]uintptr

	off wmOff // of total, and of self
}

// wmCountSites is how many sites each table of counts has at least. WMDone counts their calls.
const wmCountSites = 1 << 16

const (
	wmHistogramLines = 60
	wmHistogramLine  = 32
)

// wmTables lists the tables of all Ps that ever counted a call.
var wmTables struct {
	lock mutex
	list *wmCellTable
}

// wmHistograms says whether histograms are kept of timed calls.
var wmHistograms bool

// wmEverTimed says that calls are timed, or were.
var wmEverTimed bool

// WMHistograms says whether histograms are kept of timed calls.
func WMHistograms(on bool) { wmHistograms = on }

// wmCellOf returns the cell of a site on the P, which stays ours until the caller is preempted.
func wmCellOf(pp *p, site uint32) *wmCell {
	if uintptr(site) >= pp.wm.ncells {
		systemstack(func() { wmGrowCells(pp, site) })
	}
	return wmCellAt(pp.wm.cells, site)
}

func wmCellAt(cells uintptr, site uint32) *wmCell {
	return (*wmCell)(unsafe.Pointer(cells + uintptr(site)<<wmCellShift))
}

func wmCountAt(counts uintptr, site uint32) *uint64 {
	return (*uint64)(unsafe.Pointer(counts + uintptr(site)*8))
}

// wmGrowCells makes larger tables of cells and counts for pp. The old tables stay, for their readers.
func wmGrowCells(pp *p, site uint32) {
	n := uintptr(max(WMSites(), site+1))
	n = max(n, 2*pp.wm.ncells, 64)
	cells, counts := uintptr(persistentalloc(n<<wmCellShift, 64, &memstats.other_sys)), pp.wm.counts
	if pp.wm.ncells > 0 {
		memmove(unsafe.Pointer(cells), unsafe.Pointer(pp.wm.cells), pp.wm.ncells<<wmCellShift)
	}
	if counts == 0 || n > wmCountSites {
		counts = uintptr(persistentalloc(max(n, wmCountSites)*8, 64, &memstats.other_sys))
		if pp.wm.counts != 0 {
			memmove(unsafe.Pointer(counts), unsafe.Pointer(pp.wm.counts), max(pp.wm.ncells, wmCountSites)*8)
		}
		if gp := getg().m.curg; gp != nil {
			gp.wm.counts = 0
		}
	}
	t := pp.wm.table
	if t == nil {
		t = (*wmCellTable)(persistentalloc(unsafe.Sizeof(wmCellTable{}), 8, &memstats.other_sys))
	}
	t.cells.Store(cells)
	t.counts.Store(counts)
	t.n.Store(n)
	if pp.wm.table == nil {
		lock(&wmTables.lock)
		t.next, wmTables.list = wmTables.list, t
		unlock(&wmTables.lock)
		pp.wm.table = t
	}
	pp.wm.cells, pp.wm.counts, pp.wm.ncells = cells, counts, n
}

// wmCountCall counts a call that isn't timed.
func wmCountCall(site uint32) {
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		wmCellOf(pp, site) // makes room
		*wmCountAt(pp.wm.counts, site)++
		if gp := getg(); gp == mp.curg && gp.wm.flags < wmMute1 {
			gp.wm.counts = pp.wm.counts
		}
	}
	releasem(mp)
}

// panicked counts a call that a panic ended, or that recovered one.
func (c *wmCell) panicked() {
	m := c.moreOf()
	atomic.Store64(&m.panics, m.panics+1)
}

// failed counts a call that returns an error.
func (c *wmCell) failed() {
	m := c.moreOf()
	atomic.Store64(&m.errors, m.errors+1)
}

// countTime counts a call in the histogram.
func (c *wmCell) countTime(took uint64) {
	m := c.moreOf()
	line, sub := wmHistogramPlace(took)
	if m.lines[line] == 0 {
		systemstack(func() {
			atomic.Storeuintptr(&m.lines[line], uintptr(persistentalloc(wmHistogramLine*8, 64, &memstats.other_sys)))
		})
	}
	*(*uint64)(unsafe.Pointer(m.lines[line] + sub*8))++
}

// moreOf returns the rest of a cell, which it makes if there is none. Other threads see it empty.
func (c *wmCell) moreOf() *wmCellMore {
	if c.more == 0 {
		systemstack(func() {
			atomic.Storeuintptr(&c.more, uintptr(persistentalloc(unsafe.Sizeof(wmCellMore{}), 64, &memstats.other_sys)))
		})
	}
	return (*wmCellMore)(unsafe.Pointer(c.more))
}

// wmHistogramPlace returns the line, and the place in the line, where a time is counted.
func wmHistogramPlace(took uint64) (line, sub uintptr) {
	shift := uintptr(sys.Len64(took|(2*wmHistogramLine-1)) - 6)
	at := uintptr(took >> shift)
	return shift + at/wmHistogramLine, at % wmHistogramLine
}

// A WMSum adds up the calls of a site. Times are in ticks.
type WMSum struct {
	Calls  uint64 // that have begun
	Ended  uint64 // that have ended; calls that aren't timed end as they begin
	Total  uint64 // time of outermost calls: no other call of the site was around them
	Inner  uint64 // time of the other calls
	Self   uint64 // time of all calls, without the timed calls that they made
	Least  uint64 // time of the shortest call; ^0 if no call has ended
	Most   uint64 // time of the longest call
	Panics uint64 // calls that a panic ended, or that recovered a panic
	Errors uint64 // calls that returned an error

	Untimed uint64  // of Calls, those that were only counted
	Guess   WMGuess // of Untimed, those that not even were
	Gaps    bool    // for some time nobody counted

	WMOff
}

// WMSumOf returns the sum of a site's calls. It may have any part of a call that begins or ends
// meanwhile.
func WMSumOf(site uint32) WMSum {
	var sum WMSum
	least, counted := uint64(0), uint64(0)
	// Ends before beginnings, of all Ps: a call may end on another one, and there are never more ends.
	for t := wmTableList(); t != nil; t = t.next {
		if c := t.cell(site); c != nil {
			sum.Ended += atomic.Load64(&c.ended)
		}
	}
	for t := wmTableList(); t != nil; t = t.next {
		c := t.cell(site)
		if c == nil {
			continue
		}
		counted += atomic.Load64(wmCountAt(t.counts.Load(), site))
		sum.Calls += atomic.Load64(&c.calls)
		sum.Total += atomic.Load64(&c.total)
		sum.Inner += atomic.Load64(&c.inner)
		sum.Self += atomic.Load64(&c.self)
		least = max(least, atomic.Load64(&c.least))
		sum.Most = max(sum.Most, atomic.Load64(&c.most))
		if m := (*wmCellMore)(unsafe.Pointer(atomic.Loaduintptr(&c.more))); m != nil {
			sum.Panics += atomic.Load64(&m.panics)
			sum.Errors += atomic.Load64(&m.errors)
			sum.addAll(m.off.all.load())
			sum.addOwn(m.off.own.load())
		}
	}
	sum.Guess, sum.Gaps = WMGuessOf(site)
	counted += sum.Guess.Calls
	sum.Untimed = counted
	sum.Calls += counted
	sum.Ended += counted
	sum.Least = ^least
	return sum
}

// WMHistogramOf calls f for each line of a site's histogram in which a time was counted, in
// ascending order. counts[i] calls took from + i*width ticks, and less than width more.
func WMHistogramOf(site uint32, f func(from, width uint64, counts [wmHistogramLine]uint64)) {
	for line := uintptr(0); line < wmHistogramLines; line++ {
		var counts [wmHistogramLine]uint64
		any := uint64(0)
		for t := wmTableList(); t != nil; t = t.next {
			if c := t.cell(site); c != nil {
				any |= c.addLine(line, &counts)
			}
		}
		switch {
		case any == 0:
		case line == 0:
			f(0, 1, counts)
		default:
			f(wmHistogramLine<<(line-1), 1<<(line-1), counts)
		}
	}
}

// addLine adds a line of the cell's histogram to counts, and returns the bits set in its counts.
func (c *wmCell) addLine(line uintptr, counts *[wmHistogramLine]uint64) (any uint64) {
	m := (*wmCellMore)(unsafe.Pointer(atomic.Loaduintptr(&c.more)))
	if m == nil {
		return 0
	}
	from := (*[wmHistogramLine]uint64)(unsafe.Pointer(atomic.Loaduintptr(&m.lines[line])))
	if from == nil {
		return 0
	}
	for i := range counts {
		n := atomic.Load64(&from[i])
		counts[i] += n
		any |= n
	}
	return any
}

// wmTableList returns the first of all tables.
func wmTableList() *wmCellTable {
	lock(&wmTables.lock)
	defer unlock(&wmTables.lock)
	return wmTables.list
}

// cell returns the cell of a site, nil if the table has neither cell nor count.
func (t *wmCellTable) cell(site uint32) *wmCell {
	if n := t.n.Load(); uintptr(site) >= n {
		return nil
	}
	return wmCellAt(t.cells.Load(), site)
}
