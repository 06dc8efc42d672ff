// Package runtime, as waymark adds to it: traces, gathered while the program runs.
//
// A trace is the life of a root call: the calls of its goroutine from the root call's start to its
// end, and those of the goroutines that are started meanwhile by a goroutine of the trace. Whether
// it is kept is decided when the root call ends, without a look at its events.
//
// What a goroutine does in a trace is a strand. Only the goroutine writes to its strand, without a
// lock (waymark_strands.go). A trace that has one strand, and isn't kept, is known to its goroutine
// only: it begins and ends without a lock, in memory that stays with the P. All else about traces
// that others may know of is guarded by wmTraces.lock: once somebody has a ticket (waymark_tickets.go)
// its end takes the lock.
//
// A goroutine of a trace that is over learns so when it needs memory, makes a root call or ends, and
// leaves the trace then.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A wmTrace lies outside of the heap.
type wmTrace struct {
	root    wmStrand // of the goroutine that makes the root call; its start is the root call's
	next    uintptr  // the next one in the queue
	last    *wmStrand
	frame   WMFrame // of the root call
	ended   uint64  // clock, when the root call ended
	records atomic.Uint64
	lost    atomic.Uint64
	running int32         // strands whose goroutines have not left
	over    atomic.Uint32 // nothing more is gathered
	done    bool          // nobody will read it
	flags   uint32        // of the root call
	key     uint64        // when it is kept
	ticket  uint64        // number of its first ticket, 0 if it has none; see waymark_tickets.go
}

// Bits of wmTrace.flags.
const (
	WMTraceFailed   = 1 // the root call returned an error
	WMTracePanicked = 2 // a panic ended the root call, or it recovered one
	WMTraceExited   = 4 // runtime.Goexit ended it
)

// wmTraces are all traces.
var wmTraces struct {
	lock mutex
	on   atomic.Uint32 // root calls begin traces

	// Which are kept: those for which any of these holds.
	all, failed bool
	longer      atomic.Uint64 // the root call took more ticks
	oneIn       uint64        // one in so many; 0: none

	most   uint64 // records of a trace
	linger uint64 // ticks that a kept trace waits for goroutines that run still

	// Those that are kept, until the library takes them.
	head, tail uintptr
	queued     int
	waiter     *g

	// Strands of traces that nobody will read, whose goroutines have not left: they hold memory, see wmReclaim.
	stale   int32
	starved bool // they are to leave now

	tickets uint64 // the number of the latest one
	void    uint64 // of the latest one whose trace's memory has been given back to the system

	number  uint64        // of traces that were kept
	dropped uint64        // kept ones for which there was no place in the queue
	lost    atomic.Uint64 // calls that were not gathered, of traces that have ended
}

// wmMostQueued is how many kept traces may wait for the library.
const wmMostQueued = 1024

// A wmTracesOfP is what a P knows of traces.
type wmTracesOfP struct {
	spare *wmTrace // with one block, for the next root call
	begun uint64
	ended uint64
}

// wmBeginTrace begins a trace with the root call f, and reports whether there was memory for that. The
// caller keeps the P.
func wmBeginTrace(gp *g, pp *p, f WMFrame) bool {
	t := pp.wm.traces.spare
	if t != nil {
		pp.wm.traces.spare = nil
	} else if t = wmNewTrace(); t == nil {
		wmTraces.lost.Add(1)
		return false
	}
	pp.wm.traces.begun++
	s := &t.root
	t.frame, t.last, t.running = WMFrame(f.plain()), s, 1
	s.trace, s.goid, s.parent = t, gp.goid, gp.parentGoid
	s.pos = s.first + wmBlockHead
	if wmTraces.most < uint64(wmBlockRecords) {
		s.pos = s.first + wmBlockSize - uintptr(wmTraces.most)*wmRecordSize
	}
	(*wmBlock)(unsafe.Pointer(s.first)).start = s.pos
	gp.wm.strand, gp.wm.gather = uintptr(unsafe.Pointer(s)), wmGatherSlow
	s.started = s.put(gp, s.pos, f.enters())
	return true
}

// overtaken reports whether the root call has been left, without a hook, when a call begins in the
// frame f: as wmStack.reach.
func (t *wmTrace) overtaken(f WMFrame) bool {
	return f.token() < t.frame.token() || f.token() == t.frame.token() && f.site() == t.frame.site()
}

// wmEndTrace ends the trace of a root call that has ended. The caller keeps the P.
func wmEndTrace(gp *g, pp *p, t *wmTrace) {
	t.root.leave(gp)
	t.ended = wmClock()
	pp.wm.traces.ended++
	if lost := t.lost.Load(); lost > 0 {
		wmTraces.lost.Add(int64(lost))
	}
	keep := t.wanted(pp)
	if !keep && t.ticket == 0 && t.last == &t.root { // with a ticket others may look at it at any time
		t.reuse(pp)
		return
	}
	lock(&wmTraces.lock)
	var wake *g
	if keep && wmTraces.queued == wmMostQueued {
		wmTraces.dropped++
		keep = false
	}
	t.root.left = wmLeft
	t.running--
	if keep {
		wake = t.queue()
	} else {
		t.over.Store(1)
		t.release()
		wake = wmStarve()
	}
	unlock(&wmTraces.lock)
	wmWake(wake)
}

// wanted reports whether the trace is kept.
func (t *wmTrace) wanted(pp *p) bool {
	if wmTraces.on.Load() == 0 {
		return false
	}
	return wmTraces.all ||
		wmTraces.failed && t.flags&(WMTraceFailed|WMTracePanicked) != 0 ||
		t.ended > t.root.started && t.ended-t.root.started > wmTraces.longer.Load() || // clocks of CPUs may differ
		wmTraces.oneIn > 0 && pp.wm.traces.ended%wmTraces.oneIn == 0
}

// queue appends the trace to the queue, and returns the goroutine to wake. The caller has the lock.
func (t *wmTrace) queue() (wake *g) {
	if wmTraces.tail == 0 {
		wmTraces.head = uintptr(unsafe.Pointer(t))
	} else {
		(*wmTrace)(unsafe.Pointer(wmTraces.tail)).next = uintptr(unsafe.Pointer(t))
	}
	wmTraces.tail = uintptr(unsafe.Pointer(t))
	wmTraces.queued++
	wmTraces.number++
	t.key = wmTraces.number
	if wmTraces.linger == 0 {
		t.over.Store(1)
	}
	wake, wmTraces.waiter = wmTraces.waiter, nil
	return wake
}

// reuse makes the memory of a trace that nobody else knows ready for the next one.
func (t *wmTrace) reuse(pp *p) {
	s := &t.root
	if rest := (*wmBlock)(unsafe.Pointer(s.first)).next; rest != 0 {
		lock(&wmTraces.lock)
		wmFreeBlocks(rest)
		unlock(&wmTraces.lock)
		s.pos = s.first + wmBlockSize
	}
	start := (*wmBlock)(unsafe.Pointer(s.first)).start
	memclrNoHeapPointers(unsafe.Pointer(start), s.pos-start)
	first := s.first
	*t = wmTrace{}
	s.first, s.block = first, first
	(*wmBlock)(unsafe.Pointer(first)).next = 0
	if pp.wm.traces.spare == nil {
		pp.wm.traces.spare = t
		return
	}
	lock(&wmTraces.lock)
	wmFreeBlocks(first)
	wmFreeTraces.free(uintptr(unsafe.Pointer(t)))
	unlock(&wmTraces.lock)
}

// release gives the memory of a trace back that is over and that nobody will read: of the strands
// that have been left, and when all have been left that of the trace. The caller has the lock.
func (t *wmTrace) release() {
	t.done = true
	wmTraces.stale += t.running
	for s := &t.root; s != nil; s = s.next {
		if s.left != 0 {
			s.release()
		}
	}
	t.forget()
}

// forget gives back what is left of a trace that nobody will read, if no goroutine knows it. The caller
// has the lock.
func (t *wmTrace) forget() {
	if !t.done || t.running > 0 {
		return
	}
	for s := t.root.next; s != nil; {
		next := s.next
		wmFreeStrands.free(uintptr(unsafe.Pointer(s)))
		s = next
	}
	t.ticket = 0 // those that there are are void
	wmFreeTraces.free(uintptr(unsafe.Pointer(t)))
}
