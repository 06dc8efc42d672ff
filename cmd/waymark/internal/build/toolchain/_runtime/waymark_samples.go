// Package runtime, as waymark adds to it: samples of calls that a budget has counted only.
//
// While functions are counted only, there are short windows, in which all of them are timed, or
// recorded. A call that begins in a window is a sample. The id in its word and its frame is the
// site's, with the number of a group above it: ids of sites are smaller. No cell has the id of a
// sample, so the fast path leaves samples to the functions here. Readers of events tell samples
// from other calls by the id.
//
// Samples of timed calls are added up by path, in cells of their own. A path begins with the nearest timed
// call that is no sample, unless all paths are kept. What the hooks take is nobody's time.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

const (
	wmSampleID  = 1<<wmSampleShift - 1 // what a sample's id has of its site
	wmMostEnds  = 64
	wmSampleLog = 6 // of the size of a cell
)

// wmSamples says which windows there were. A window's number is never 0.
var wmSamples struct {
	number atomic.Uint32             // of the latest window
	floor  uint64                    // what the hooks add to a sample's time, ticks
	length atomic.Uint64             // how long it is after its first sample, ticks
	until  atomic.Uint64             // clock when it ends; 0 before its first sample
	ends   [wmMostEnds]atomic.Uint64 // clock, by number; 0 while the window is open
}

// base returns the id of the call's site.
func (f WMFrame) base() uint32 {
	if f.sampled() {
		return f.site() & wmSampleID
	}
	return f.site()
}

// sampled reports whether the call is a sample. A program with more sites than samples can have has none.
func (f WMFrame) sampled() bool { return wmIsSample(f.site()) }

func wmIsSample(site uint32) bool { return site > wmSampleID && site >= wmPackages.nextSite }

// A wmSampleCell adds up the samples of a path on a P. Times are in ticks.
type wmSampleCell struct {
	calls  uint64 // that have begun; what follows is of those that have ended
	total  uint64
	self   uint64 // without the timed calls that they made, in the window
	after  uint64 // the same after its end
	panics uint64
	errors uint64
	least  uint64 // ^least is the time of the shortest one
	most   uint64
}

// A wmSampledOfP is what a P's samples have cost.
type wmSampledOfP struct {
	calls, ticks uint64
	pos          uintptr        // of the next event when the latest window began
	cells        atomic.Uintptr // of wmSampleCell, by node; mapped and empty until it is used
}

// WMSampling begins a window of so many ticks, or ends it if ticks is 0. The words of sites are stored afterwards.
//
// A window of timed calls begins with its first sample, and ends when a sample begins after its
// time. So the window does not depend on when the thread runs that opens and closes it. That thread
// may take the processor from the program, and that would be in every window.
func WMSampling(ticks uint64) {
	n := wmSamples.number.Load()
	if ticks == 0 {
		wmSamples.ends[n%wmMostEnds].CompareAndSwap(0, wmClock())
		return
	}
	wmMakePaths()
	if wmSamples.floor == 0 {
		wmSamples.floor = max(wmFindFloor(), 1)
	}
	if n++; n == 0 {
		n = 1
	}
	wmSamples.ends[n%wmMostEnds].Store(0)
	wmSamples.length.Store(ticks)
	wmSamples.until.Store(0)
	wmSamples.number.Store(n)
	for _, pp := range allp[:cap(allp)] {
		if pp != nil {
			pp.wm.sampled.pos = pp.wm.pos
		}
	}
}

// WMSampleWaits reports whether there was no sample and no event since the latest window began
// though there are goroutines to run. Their threads may have had no CPU.
func WMSampleWaits() bool {
	if wmSamples.until.Load() != 0 {
		return false
	}
	mp := acquirem()
	own := mp.p.ptr()
	waits := !sched.runq.empty() || own != nil && !runqempty(own) || gomaxprocs-sched.npidle.Load() > 1
	releasem(mp)
	for _, pp := range allp[:cap(allp)] {
		if pp != nil && pp.wm.sampled.pos != pp.wm.pos {
			return false
		}
	}
	return waits
}

// WMThread returns the id that the system has for the thread that runs P number i; 0: none does. It reports false if
// there is no such P.
func WMThread(i int) (id uint64, ok bool) {
	mp := acquirem() // until it is released the world isn't stopped: neither allp nor an M's memory goes away
	if ok = i < len(allp); ok {
		if m := allp[i].m.ptr(); m != nil {
			id = m.procid
		}
	}
	releasem(mp)
	return id, ok
}

// wmFindFloor returns how long a call takes that does nothing, from the reading of the clock when
// it begins to that when it ends. The way from the first reading and the way to the second are as
// long as in the hooks.
func wmFindFloor() uint64 {
	least := ^uint64(0)
	for range 100 {
		from := wmFloorEnter()
		least = min(least, wmFloorExit()-from)
	}
	return min(least, 1<<10) // the clock may have been read on two CPUs
}

//go:noinline
func wmFloorEnter() uint64 { return wmFloorClock() }

//go:noinline
func wmFloorExit() uint64 { return wmFloorEnter() }

//go:noinline
func wmFloorClock() uint64 { return wmClock() }

// WMSampleCost returns how many samples of timed calls there were since the program began, and how
// long their hooks took, in ticks. floor is how much the hooks would have added to each sample. It
// has been subtracted.
func WMSampleCost() (calls, ticks, floor uint64) {
	floor = wmSamples.floor
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may have been greater
		if pp != nil {
			calls += pp.wm.sampled.calls
			ticks += pp.wm.sampled.ticks
		}
	}
	return calls, ticks, floor
}

// wmSampleCellOf returns the cell of a node on the P, which stays ours until the caller is preempted.
func wmSampleCellOf(pp *p, node uint32) *wmSampleCell {
	s := &pp.wm.sampled
	if s.cells.Load() == 0 {
		systemstack(func() {
			s.cells.Store(uintptr(persistentalloc(2*wmMostPaths<<wmSampleLog, 64, &memstats.other_sys)))
		})
	}
	return wmSampleCellAt(s.cells.Load(), node)
}

func wmSampleCellAt(cells uintptr, node uint32) *wmSampleCell {
	return (*wmSampleCell)(unsafe.Pointer(cells + uintptr(node)<<wmSampleLog))
}

// wmEnterSampled begins a sample, and reports whether its end is wanted.
func wmEnterSampled(gp *g, f WMFrame, watched watchedCall) bool {
	if gp.m.p == 0 { // in a system call
		return false
	}
	from := wmClock()
	window := wmSamples.number.Load()
	end := &wmSamples.ends[window%wmMostEnds]
	if until := wmSamples.until.Load(); until == 0 {
		wmSamples.until.CompareAndSwap(0, from+wmSamples.length.Load())
	} else if from > until {
		end.CompareAndSwap(0, from)
	}
	if end.Load() != 0 && f&wmFrameRecorded == 0 {
		wmCountCall(f.base())
		return false
	}
	wmPushCall(gp, f, watched)
	mp := acquirem()
	pp := mp.p.ptr()
	if gp.wm.flags&wmTimes == 0 {
		gp.wm.flags |= wmTimes
		wmTimedGoroutines.Add(1)
	}
	s, call := wmStackOf(gp), wmBelow(gp.wm.top)
	below := s.timedBelow(gp.wm.top - wmCallBytes)
	parent := uint32(0)
	switch {
	case below == nil:
		if wmPaths.on {
			parent = gp.wm.node
		}
	case below.flags&wmCallPath != 0:
		parent = below.node()
	default:
		parent = uint32(wmPathOf(0, below.frame.base()) >> wmPathNodeShift)
	}
	call.path = wmPathOf(parent, f.site())
	call.flags = wmCallPath
	call.next = window
	if wm.counter {
		gp.quickTimes()
	}
	wmSampleCellOf(pp, call.node()).calls++
	pp.wm.sampled.calls++
	call.enter = wmClock()
	pp.wm.sampled.ticks += call.enter - min(from, call.enter)
	wmBelow(gp.wm.top - wmCallBytes).children += call.enter - min(from, call.enter)
	releasem(mp)
	return true
}

// endSample ends a sample that took so long, of which its timed calls took a part.
func (call *wmCall) endSample(pp *p, now, took, children uint64, panicked bool) {
	after := uint64(0)
	if end := wmSamples.ends[call.next%wmMostEnds].Load(); wmSamples.number.Load()-call.next >= wmMostEnds {
		after = took // nobody knows any more when its window ended
	} else if end != 0 && now > end {
		after = min(now-end, took)
	}
	self := took - min(children, took)
	// What the calls that it made have taken after the window is known if they took longer than the window.
	after = min(after-min(after, children-min(children, took-after)), self)
	took, self = took-min(wmSamples.floor, took), self-min(wmSamples.floor, self)
	after = min(after, self)
	c := wmSampleCellOf(pp, call.node())
	c.total += took
	c.self += self - after
	c.after += after
	c.least, c.most = max(c.least, ^took), max(c.most, took)
	if panicked {
		c.panics++
	}
}

// hooked notes that the hooks worked for a sample until now, after it had ended.
func (gp *g) hooked(pp *p, from uint64) {
	now := wmClock()
	pp.wm.sampled.ticks += now - min(from, now)
	wmBelow(gp.wm.top).children += now - min(from, now)
}

// wmFailSample counts that a sample returns an error.
func wmFailSample(gp *g, pp *p, f WMFrame) {
	if s := wmStackOf(gp); s != nil {
		if top := s.find(gp.wm.top, f); top != 0 && wmBelow(top).flags&wmCallPath != 0 {
			wmSampleCellOf(pp, wmBelow(top).node()).errors++
		}
	}
}

// A WMSample adds up samples of a path. Times are in ticks.
type WMSample struct {
	Calls, Total, Self, After, Panics, Errors uint64
	Least, Most                               uint64 // ^Least is the time of the shortest call
}

func (s *WMSample) add(c *wmSampleCell) {
	s.Calls += atomic.Load64(&c.calls)
	s.Total += atomic.Load64(&c.total)
	s.Self += atomic.Load64(&c.self)
	s.After += atomic.Load64(&c.after)
	s.Panics += atomic.Load64(&c.panics)
	s.Errors += atomic.Load64(&c.errors)
	s.Least, s.Most = max(s.Least, atomic.Load64(&c.least)), max(s.Most, atomic.Load64(&c.most))
}

// wmSumSamples adds the samples of all nodes to list, by id.
func wmSumSamples(list []WMPath) {
	nodes := min(len(list), int(wmPaths.n.Load()))
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may have been greater
		if pp == nil {
			continue
		}
		cells := pp.wm.sampled.cells.Load()
		if cells == 0 {
			continue
		}
		for id := 1; id < nodes; id++ {
			if wmIsSample(list[id].Site) {
				list[id].Sample.add(wmSampleCellAt(cells, uint32(id)))
			}
		}
	}
}
