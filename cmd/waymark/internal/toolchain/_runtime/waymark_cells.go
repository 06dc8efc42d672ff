// Package runtime, as waymark adds to it: calls that are counted, without events.
//
// What is known of a site's calls is added up in cells, of which each P has one: so no two threads
// ever write to the same, and what there is does not depend on the number of goroutines. Calls that are
// counted and no more have a count beside it, as nothing of a cell is needed but a word. Code in package
// runtime is preempted at calls only, and so nothing else keeps a goroutine on its P while it updates them.
// Cells and counts only grow, modulo 2^64, and are never set back: who wants to know what happened between
// two instants subtracts.

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
	total uint64 // of those that no other call of the site was around
	inner uint64 // of the others
	self  uint64 // of all, without the timed calls that they made
	least uint64 // ^least is what the shortest one took, so that zero means none
	most  uint64 // what the longest one took

	more uintptr // *wmCellMore; 0 if there is none yet
}

// wmCellShift is of the size of a cell, a cache line.
const wmCellShift = 6

// A wmCellTable has the cells and the counts of a P, by site.
type wmCellTable struct {
	cells  atomic.Uintptr // both stored before n, loaded after it: the tables that a P has one after the other grow
	counts atomic.Uintptr // of uint64, of calls that aren't timed, which end as they begin
	n      atomic.Uintptr
	next   *wmCellTable
}

// A wmCellMore is what a cell has that not every one needs.
type wmCellMore struct {
	panics uint64 // calls that a panic ended, or that recovered one
	errors uint64 // calls that returned an error

	// The histogram: calls by what they took. For the times of each power of two from 32 ticks on, and for those
	// below 32, there is a line of 32 counts. Lines are made when they are needed.
	lines [wmHistogramLines]uintptr
}

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

// WMHistograms says whether histograms are kept of timed calls.
func WMHistograms(on bool) { wmHistograms = on }

// wmCellOf gives the cell of a site on the P, which stays ours as long as the caller isn't preempted.
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

// wmGrowCells makes larger tables of cells and counts for pp. The old ones stay, for those who are reading them.
func wmGrowCells(pp *p, site uint32) {
	n := uintptr(max(WMSites(), site+1))
	n = max(n, 2*pp.wm.ncells, 64)
	cells := uintptr(persistentalloc(n<<wmCellShift, 64, &memstats.other_sys))
	counts := uintptr(persistentalloc(n*8, 64, &memstats.other_sys))
	if pp.wm.ncells > 0 {
		memmove(unsafe.Pointer(cells), unsafe.Pointer(pp.wm.cells), pp.wm.ncells<<wmCellShift)
		memmove(unsafe.Pointer(counts), unsafe.Pointer(pp.wm.counts), pp.wm.ncells*8)
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

// moreOf gives what a cell has beside it, which is there from then on. Others see it when it is empty.
func (c *wmCell) moreOf() *wmCellMore {
	if c.more == 0 {
		systemstack(func() {
			atomic.Storeuintptr(&c.more, uintptr(persistentalloc(unsafe.Sizeof(wmCellMore{}), 64, &memstats.other_sys)))
		})
	}
	return (*wmCellMore)(unsafe.Pointer(c.more))
}

// wmHistogramPlace gives the line and the place in it where a time is counted.
func wmHistogramPlace(took uint64) (line, sub uintptr) {
	shift := uintptr(sys.Len64(took|(2*wmHistogramLine-1)) - 6)
	at := uintptr(took >> shift)
	return shift + at/wmHistogramLine, at % wmHistogramLine
}

// A WMSum adds up the calls of a site. Times are in ticks.
type WMSum struct {
	Calls  uint64 // that have begun
	Ended  uint64 // that have ended; calls that aren't timed end as they begin
	Total  uint64 // of those that no other call of the site was around
	Inner  uint64 // of the others
	Self   uint64 // of all, without the timed calls that they made
	Least  uint64 // what the shortest one took; if none has ended, ^0
	Most   uint64 // what the longest one took
	Panics uint64 // calls that a panic ended, or that recovered one
	Errors uint64 // calls that returned an error
}

// WMSumOf gives what is known of a site. Calls that go on meanwhile are in it or not, and of one that ends
// just then perhaps only a part.
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
		}
	}
	sum.Calls += counted
	sum.Ended += counted
	sum.Least = ^least
	return sum
}

// WMHistogramOf gives the histogram of a site, a line at a time: f is told of each line in which a time was counted, in
// ascending order, how many calls took from + i*width ticks and less than width more.
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

// addLine adds a line of the cell's histogram to counts, and gives the bits that were set in some of its counts.
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

// wmTableList gives the first of all tables.
func wmTableList() *wmCellTable {
	lock(&wmTables.lock)
	defer unlock(&wmTables.lock)
	return wmTables.list
}

// cell gives the cell of a site, nil if the table has none, and no count.
func (t *wmCellTable) cell(site uint32) *wmCell {
	if n := t.n.Load(); uintptr(site) >= n {
		return nil
	}
	return wmCellAt(t.cells.Load(), site)
}
