// Package runtime, as waymark adds to it: the library takes traces.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A WMTrace is a trace that was kept. Clocks are those of events.
type WMTrace struct {
	Key     uint64 // a number
	Site    uint32 // of the root call
	Ended   uint64 // clock, when the root call ended
	Lost    uint64 // calls
	Flags   uint32
	Strands []WMStrand // the first one is of the root call's goroutine, whose Started is when that began
}

// A WMStrand is what a goroutine did in a trace.
type WMStrand struct {
	Goroutine uint64
	Parent    uint64
	Started   uint64 // clock of the go statement, or when the ticket was taken
	Ticket    uint64 // number of the ticket that the goroutine joined with, 0: a go statement started it
	Handed    bool   // the goroutine ran before it joined with the ticket
	Running   bool   // the goroutine has not ended, nor its work if that was handed to it
	Records   []WMTraceEvent
}

// A WMTraceEvent is an event of a strand.
type WMTraceEvent struct {
	Clock uint64
	Value uint64 // token; of WMGatheredGo the id of the goroutine that was started, of WMGatheredTicket the number
	Site  uint32
	Kind  uint8
	Left  bool // the call has ended without returning
}

// Values of WMTraceEvent.Kind.
const (
	WMGatheredEnter = iota
	WMGatheredExit
	WMGatheredPanic
	WMGatheredRecover
	WMGatheredGoexit
	WMGatheredError
	WMGatheredGo
	WMGatheredTicket
)

// WMStartTraces has root calls begin traces. The clock has been chosen. All traces may take so many
// bytes, one most calls. After its root's end a kept trace waits linger ns for goroutines that run still. It
// returns the ticks per second of the clock.
func WMStartTraces(bytes uintptr, most uint64, linger int64) (rate uint64) {
	rate = wmRate()
	lock(&wmTraces.lock)
	wmBlocks.most = max(bytes/wmBlockSize, 16)
	wmBlocks.kept = wmBlocks.most / 16
	wmTraces.most = 2 * most
	wmTraces.linger = wmTicksOf(linger, rate)
	unlock(&wmTraces.lock)
	wmTraces.on.Store(1)
	return rate
}

// WMKeepTraces says which traces are kept: all, those that failed, those that took longer than so many
// ns, one in so many. 0 stands for none.
func WMKeepTraces(all, failed bool, longer int64, oneIn uint64) {
	ticks := ^uint64(0)
	if longer > 0 {
		ticks = wmTicksOf(longer, wmRate())
	}
	wmTraces.all, wmTraces.failed, wmTraces.oneIn = all, failed, oneIn
	wmTraces.longer.Store(ticks)
}

// wmTicksOf returns how many ticks of a clock take so many ns.
func wmTicksOf(ns int64, rate uint64) uint64 {
	n := uint64(ns)
	return n/1e9*rate + n%1e9*rate/1e9
}

// WMEndTraces has no more traces begin. Those in progress are given up.
func WMEndTraces() {
	lock(&wmTraces.lock)
	wmTraces.on.Store(0)
	w := wmTraces.waiter
	wmTraces.waiter = nil
	unlock(&wmTraces.lock)
	wmWake(w)
}

// WMWaitTraces waits until there is something to do for WMTakeTrace, and reports whether there may be more
// traces. One goroutine at a time may call it.
func WMWaitTraces() bool {
	lock(&wmTraces.lock)
	for wmTraces.head == 0 && !wmTraces.starved && wmTraces.on.Load() != 0 {
		wmTraces.waiter = getg()
		goparkunlock(&wmTraces.lock, waitReasonZero, traceBlockSystemGoroutine, 1)
		lock(&wmTraces.lock)
	}
	more := wmTraces.head != 0 || wmTraces.on.Load() != 0
	unlock(&wmTraces.lock)
	return more
}

// WMTakeTrace returns the oldest trace in the queue that waits for no goroutine, nil if there is none. It
// also sees to it that there is memory.
func WMTakeTrace() *WMTrace {
	if wmTraces.starved {
		wmReclaim()
	}
	now := wmClock()
	lock(&wmTraces.lock)
	var before, t *wmTrace
	for t = (*wmTrace)(unsafe.Pointer(wmTraces.head)); t != nil; before, t = t, (*wmTrace)(unsafe.Pointer(t.next)) {
		if t.running == 0 || now-t.ended >= wmTraces.linger && now >= t.ended || wmTraces.on.Load() == 0 {
			break
		}
	}
	if t == nil {
		unlock(&wmTraces.lock)
		return nil
	}
	if before == nil {
		wmTraces.head = t.next
	} else {
		before.next = t.next
	}
	if t.next == 0 {
		wmTraces.tail = uintptr(unsafe.Pointer(before))
	}
	wmTraces.queued--
	t.over.Store(1)
	unlock(&wmTraces.lock)
	// The list of strands, and all blocks but those that goroutines add that don't know yet, stay.
	out := t.copy()
	lock(&wmTraces.lock)
	t.release()
	wmStarve()
	unlock(&wmTraces.lock)
	return out
}

// wmStarve notes whether there is little memory left, and goroutines that could give back some don't know
// that their traces are over. It returns the goroutine to wake for that. The caller has the lock.
func wmStarve() (wake *g) {
	if uintptr(wmTraces.stale) <= wmBlocks.most/64 || wmBlocks.used < wmBlocks.most/4*3 {
		return nil
	}
	wmTraces.starved = true
	wake, wmTraces.waiter = wmTraces.waiter, nil
	return wake
}

// wmReclaim has all goroutines leave the traces that are over. The world is stopped meanwhile, see
// WMForgetTraces.
func wmReclaim() {
	stw := stopTheWorld(stwReadMemStats)
	wmTraces.starved = false
	forEachGRace(func(gp *g) {
		if s := gp.strand(); s != nil && s.trace.over.Load() != 0 {
			s.depart(gp, wmLeft)
		}
	})
	startTheWorld(stw)
}

// copy returns what has been gathered until now.
func (t *wmTrace) copy() *WMTrace {
	out := &WMTrace{Key: t.key, Site: t.frame.site(), Ended: t.ended, Lost: t.lost.Load(), Flags: t.flags}
	n := 0
	for s := &t.root; s != nil; s = s.next {
		n++
	}
	out.Strands = make([]WMStrand, n)
	i := 0
	for s := &t.root; s != nil; s = s.next {
		o := &out.Strands[i]
		o.Goroutine, o.Parent, o.Started, o.Ticket, o.Handed = s.goid, s.parent, s.started, s.ticket, s.handed
		o.Running = s != &t.root && atomic.Load(&s.left) != wmEnded
		s.copy(o)
		i++
	}
	return out
}

func (s *wmStrand) copy(o *WMStrand) {
	first := atomic.Loaduintptr(&s.first)
	n := 0
	wmEachRecord(first, func(uint64, *wmRecord) { n++ })
	if n == 0 {
		return
	}
	o.Records = make([]WMTraceEvent, 0, n)
	wmEachRecord(first, func(clock uint64, r *wmRecord) {
		o.Records = append(o.Records, wmGatheredOf(clock, r.word))
	})
}

// wmEachRecord calls f for each record in the block and those that follow it.
func wmEachRecord(block uintptr, f func(clock uint64, r *wmRecord)) {
	for ; block != 0; block = atomic.Loaduintptr(&(*wmBlock)(unsafe.Pointer(block)).next) {
		for at := (*wmBlock)(unsafe.Pointer(block)).start; at < block+wmBlockSize; at += wmRecordSize {
			r := (*wmRecord)(unsafe.Pointer(at))
			clock := atomic.Load64(&r.clock)
			if clock == 0 {
				break
			}
			f(clock, r)
		}
	}
}

// wmGatheredOf returns what a record says.
func wmGatheredOf(clock, word uint64) WMTraceEvent {
	e := WMTraceEvent{Clock: clock, Value: word & wmGatherValue}
	if word&wmFrameGathered != 0 {
		f := WMFrame(word)
		e.Site, e.Value = f.site(), uint64(f.token())
		e.Left = word&wmGatherLeft != 0
		e.Kind = WMGatheredExit
		if word&wmFrameFlagged != 0 {
			e.Kind, e.Left = WMGatheredEnter, false
		}
		return e
	}
	switch word & wmGatherCode {
	case wmGatherPanic:
		e.Kind = WMGatheredPanic
	case wmGatherRecover:
		e.Kind = WMGatheredRecover
	case wmGatherGoexit:
		e.Kind = WMGatheredGoexit
	case wmGatherError:
		e.Kind, e.Site, e.Value = WMGatheredError, uint32(e.Value), 0
	case wmGatherGo:
		e.Kind = WMGatheredGo
	case wmGatherTicket:
		e.Kind = WMGatheredTicket
	}
	return e
}

// WMForgetTraces ends WMEndTraces: goroutines leave the traces that they are in, and all memory is given
// back. The library has taken what was kept. The world is stopped meanwhile. Neither the assembly nor
// whoever holds an M can be preempted: so no thread writes to a strand.
func WMForgetTraces() {
	stw := stopTheWorld(stwReadMemStats)
	forEachGRace(func(gp *g) { gp.wm.gather, gp.wm.strand = 0, 0 })
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may grow again
		if pp != nil {
			pp.wm.traces.spare = nil
		}
	}
	lock(&wmTraces.lock)
	wmTraces.head, wmTraces.tail, wmTraces.queued, wmTraces.stale, wmTraces.starved = 0, 0, 0, 0, false
	wmTraces.void = wmTraces.tickets
	wmFreeSlabs()
	unlock(&wmTraces.lock)
	startTheWorld(stw)
}

// A WMTraceCounts counts since the program began.
type WMTraceCounts struct {
	Begun, Ended, Queued, Dropped, Lost uint64
}

// WMCountTraces returns how many traces have begun and ended, how many of these were queued because they
// are kept, how many weren't as the queue was full, and how many calls were not gathered.
func WMCountTraces() (c WMTraceCounts) {
	lock(&allpLock)
	for _, pp := range allp[:cap(allp)] {
		if pp != nil { // ends before beginnings: a trace may end on another P
			c.Ended += pp.wm.traces.ended
		}
	}
	for _, pp := range allp[:cap(allp)] {
		if pp != nil {
			c.Begun += pp.wm.traces.begun
		}
	}
	unlock(&allpLock)
	lock(&wmTraces.lock)
	c.Queued, c.Dropped = wmTraces.number, wmTraces.dropped
	unlock(&wmTraces.lock)
	c.Lost = wmTraces.lost.Load()
	return c
}
