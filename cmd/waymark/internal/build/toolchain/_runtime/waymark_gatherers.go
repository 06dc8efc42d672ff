// Package runtime, as waymark adds to it: gatherers of traces, side by side.
//
// Each has its own strands, rule and bounds: one's trace that never ends takes nothing from the traces of
// others that lie within. A goroutine's strands are a list, of one trace of each gatherer at most.
//
// While there is one gatherer, the words of sites say all that it wants, and the assembly writes records. As
// soon as there are two, all calls that any of them wants take the path in Go, which asks by site who wants
// them.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// WMGatherers is how many gatherers there may be at a time.
const WMGatherers = 8

// wmTraces are all traces. The lock guards what the gatherers have.
var wmTraces struct {
	lock  mutex
	on    atomic.Uint32 // bits of the gatherers whose root calls begin traces
	taken uint32        // bits of those that are in use
	only  uint32        // the bit of the only one in use, 0 if there are several; set while the world is stopped

	tickets uint64 // the number of the latest one
	keys    uint64 // of traces that were kept

	list [WMGatherers]wmGatherer
}

// A wmGatherer has the traces of a collector.
type wmGatherer struct {
	number uint32

	// Which are kept: those for which any of these holds.
	all, failed bool
	longer      atomic.Uint64 // the root call took more ticks
	ranked      bool          // of those only the ones that took longest matter, fewer than wmMostQueued
	oneIn       uint64        // one in so many; 0: none
	rules       []WMRule

	most   uint64 // records of a trace
	linger uint64 // ticks that a kept trace waits for goroutines that run still

	args, results bool // values are gathered, too

	// Those that are kept, until the library takes them.
	head, tail uintptr
	queued     int
	waiter     *g

	// Strands of traces that nobody will read, whose goroutines have not left: they hold memory, see reclaim.
	stale   int32
	starved bool // they are to leave now

	void uint64 // number of the latest ticket whose trace's memory has been given back to the system

	kept    uint64        // traces
	dropped uint64        // kept ones for which there was no place in the queue
	lost    atomic.Uint64 // calls that were not gathered, of traces that have ended

	blocks wmBlocks
}

// bit returns the bit of the gatherer.
func (c *wmGatherer) bit() uint32 { return 1 << c.number }

// on reports whether root calls begin traces.
func (c *wmGatherer) on() bool { return wmTraces.on.Load()&c.bit() != 0 }

// wmTakeGatherer takes a gatherer into use, nil if none is free.
func wmTakeGatherer() *wmGatherer {
	lock(&wmTraces.lock)
	n := uint32(0)
	for n < WMGatherers && wmTraces.taken&(1<<n) != 0 {
		n++
	}
	if n == WMGatherers {
		unlock(&wmTraces.lock)
		return nil
	}
	wmTraces.taken |= 1 << n
	c := &wmTraces.list[n]
	c.number = n
	unlock(&wmTraces.lock)
	stw := stopTheWorld(stwReadMemStats)
	wmShareGoroutines()
	for _, pp := range allp[:cap(allp)] {
		if pp != nil {
			pp.wm.traces[n] = wmTracesOfP{}
		}
	}
	startTheWorld(stw)
	return c
}

// wmShareGoroutines notes whether there are several gatherers. The world is stopped: so no thread writes to
// a strand, as neither the assembly nor whoever holds an M can be preempted.
func wmShareGoroutines() {
	if wmTraces.only = wmTraces.taken; wmTraces.only&(wmTraces.only-1) != 0 {
		wmTraces.only = 0
		forEachGRace(wmSlowGather)
	}
}

// free ends the use of a gatherer: goroutines leave the traces that they are in, and all memory is given
// back. The library has taken what was kept.
func (c *wmGatherer) free() {
	stw := stopTheWorld(stwReadMemStats)
	forEachGRace(func(gp *g) {
		if s := gp.strandOf(c.number); s != nil {
			s.leave(gp)
		}
		for s := gp.strand(); s != nil; s = s.outer {
			s.without = 0 // nobody sees to it while there is one gatherer
		}
	})
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may grow again
		if pp != nil {
			own := &pp.wm.traces[c.number]
			own.traces, own.strands, own.ntraces, own.nstrands = nil, nil, 0, 0
		}
	}
	lock(&wmTraces.lock)
	c.head, c.tail, c.queued, c.stale, c.starved = 0, 0, 0, 0, false
	c.void = wmTraces.tickets
	c.blocks.release()
	wmTraces.taken &^= c.bit()
	unlock(&wmTraces.lock)
	wmShareGoroutines()
	startTheWorld(stw)
}

// Words of WMWant also have a bit for each gatherer that wants the calls, and one for each whose traces they
// begin.
const (
	wmGatheredShift = 4
	wmRootShift     = wmGatheredShift + WMGatherers
	wmGatheredMask  = 1<<WMGatherers - 1
	wmByGatherers   = (1<<(2*WMGatherers) - 1) << wmGatheredShift
)

// WMGatheredBy returns what WMWant can want of a site for the gatherer with that number, with WMGathered.
func WMGatheredBy(n int) uint32 { return 1 << (wmGatheredShift + n) }

// WMRootOf returns the same, with WMRoot.
func WMRootOf(n int) uint32 { return 1<<(wmRootShift+n) | WMGatheredBy(n) }

// wmSiteGatherers has these bits of sites, without the shift, by id. Pages are there when they are needed.
var wmSiteGatherers [(wmSiteID + 1) / wmSitesOfPage]*[wmSitesOfPage]uint16

const wmSitesOfPage = 4096

// wmSetGatherers says which gatherers want the calls of a site. The library calls it for one site at a time.
func wmSetGatherers(id, by uint32) {
	at := &wmSiteGatherers[id/wmSitesOfPage]
	page := *at
	if page == nil {
		if by == 0 {
			return
		}
		page = (*[wmSitesOfPage]uint16)(persistentalloc(unsafe.Sizeof(*page), 0, &memstats.other_sys))
		atomic.StorepNoWB(unsafe.Pointer(at), unsafe.Pointer(page))
	}
	page[id%wmSitesOfPage] = uint16(by)
}

// gatherers returns the bits of the gatherers that want the call, and of those whose traces the
// call begins. The word of the call's site says that some gatherers want the call.
func (f WMFrame) gatherers() (calls, roots uint32) {
	if only := wmTraces.only; only != 0 {
		if f&wmFrameRoot != 0 {
			roots = only
		}
		return only, roots
	}
	page := wmSiteGatherers[f.site()/wmSitesOfPage]
	if page == nil {
		return 0, 0
	}
	by := uint32(page[f.site()%wmSitesOfPage])
	return by & wmGatheredMask, by >> WMGatherers
}

// strandOf returns what gp does in a trace of the gatherer with that number, nil if it is in none.
func (gp *g) strandOf(number uint32) *wmStrand {
	for s := gp.strand(); s != nil; s = s.outer {
		if s.trace.of == number {
			return s
		}
	}
	return nil
}

// join has gp be in the strand's trace, too.
func (s *wmStrand) join(gp *g) {
	s.outer = gp.strand()
	gp.wm.strand, gp.wm.gather = uintptr(unsafe.Pointer(s)), wmGatherSlow
}

// leave takes gp out of the trace.
func (s *wmStrand) leave(gp *g) {
	if gp.wm.gather != wmGatherSlow { // it is the only one
		s.pos = gp.wm.gather
	}
	if first := gp.strand(); first == s {
		gp.wm.strand = uintptr(unsafe.Pointer(s.outer))
	} else {
		for first.outer != s {
			first = first.outer
		}
		first.outer = s.outer
	}
	s.outer = nil
	if gp.wm.gather = 0; gp.wm.strand != 0 {
		gp.wm.gather = wmGatherSlow
	}
}
