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
	Within  WMSpan     // that the root call is in
	Era     uint32     // of the types of values, see WMTypesOf
	Status  uint32     // of HTTP, that the request was answered with; 0: none
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
	Values    []byte // of the events, one behind the other
}

// A WMTraceEvent is an event of a strand.
type WMTraceEvent struct {
	Clock uint64
	Value uint64 // token; of WMGatheredGo the id of the goroutine that was started, of WMGatheredTicket the number
	Site  uint32
	Kind  uint8
	Left  bool   // the call has ended without returning
	Size  uint16 // of its values, bytes; 0: none were gathered
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

// WMStartTraces takes a gatherer into use whose root calls begin traces, and returns its number, -1 if none
// is free. The clock has been chosen. All its traces may take so many bytes, one most calls. After its root's
// end a kept trace waits linger ns for goroutines that run still. With args and results it has those of calls that sites
// want WMValues of.
func WMStartTraces(bytes uintptr, most uint64, linger int64, args, results bool) (number int) {
	rate := wmRate()
	c := wmTakeGatherer()
	if c == nil {
		return -1
	}
	lock(&wmTraces.lock)
	c.blocks.most = max(bytes/wmBlockSize, 16)
	c.blocks.kept = c.blocks.most / 16
	c.most = 2 * most
	c.linger, c.args, c.results = wmTicksOf(linger, rate), args && !wmProbesHidden.Load(), results && !wmProbesHidden.Load()
	c.all, c.failed, c.ranked, c.oneIn, c.rules = false, false, false, 0, nil
	c.kept, c.dropped = 0, 0
	c.lost.Store(0)
	wmTraces.on.Store(wmTraces.on.Load() | c.bit())
	unlock(&wmTraces.lock)
	return int(c.number)
}

// WMKeepTraces says which traces are kept: all, those that failed, those that took longer than so many
// ns, one in so many, and those that rules select. 0 stands for none. With ranked any that is not among the longest 1,024 of those
// that took longer may be left out.
func WMKeepTraces(number int, all, failed bool, longer int64, ranked bool, oneIn uint64, rules []WMRule) {
	ticks := ^uint64(0)
	if longer > 0 {
		ticks = wmTicksOf(longer, wmRate())
	}
	c := &wmTraces.list[number]
	c.all, c.failed, c.ranked, c.oneIn = all, failed, ranked, oneIn
	if c.rules == nil { // else they are the same
		c.rules = rules
	}
	c.longer.Store(ticks)
}

// wmTicksOf returns how many ticks of a clock take so many ns.
func wmTicksOf(ns int64, rate uint64) uint64 {
	n := uint64(ns)
	return n/1e9*rate + n%1e9*rate/1e9
}

// WMEndTraces has no more traces begin. Those in progress are given up.
func WMEndTraces(number int) {
	c := &wmTraces.list[number]
	lock(&wmTraces.lock)
	wmTraces.on.Store(wmTraces.on.Load() &^ c.bit())
	w := c.waiter
	c.waiter = nil
	unlock(&wmTraces.lock)
	wmWake(w)
}

// WMWaitTraces waits until there is something to do for WMTakeTrace, and reports whether there may be more
// traces. One goroutine at a time may call it for a gatherer.
func WMWaitTraces(number int) bool {
	c := &wmTraces.list[number]
	lock(&wmTraces.lock)
	for c.head == 0 && !c.starved && c.on() {
		c.waiter = getg()
		goparkunlock(&wmTraces.lock, waitReasonZero, traceBlockSystemGoroutine, 1)
		lock(&wmTraces.lock)
	}
	more := c.head != 0 || c.on()
	unlock(&wmTraces.lock)
	return more
}

// WMTakeTrace returns the oldest trace in the queue that waits for no goroutine, nil if there is none. It
// also sees to it that there is memory.
func WMTakeTrace(number int) *WMTrace {
	c := &wmTraces.list[number]
	if c.starved {
		c.reclaim()
	}
	now := wmClock()
	lock(&wmTraces.lock)
	var before, t *wmTrace
	for t = (*wmTrace)(unsafe.Pointer(c.head)); t != nil; before, t = t, (*wmTrace)(unsafe.Pointer(t.next)) {
		if t.running.Load() == 0 || now-t.ended >= c.linger && now >= t.ended || !c.on() {
			break
		}
	}
	if t == nil {
		unlock(&wmTraces.lock)
		return nil
	}
	c.unlink(before, t)
	t.over.Store(1)
	unlock(&wmTraces.lock)
	// The list of strands, and all blocks but those that goroutines add that don't know yet, stay.
	out := t.copy()
	lock(&wmTraces.lock)
	t.release()
	c.starve()
	unlock(&wmTraces.lock)
	return out
}

// starve notes whether there is little memory left, and goroutines that could give back some don't know
// that their traces are over. It returns the goroutine to wake for that. The caller has the lock.
func (c *wmGatherer) starve() (wake *g) {
	if uintptr(c.stale) <= c.blocks.most/64 || c.blocks.used < c.blocks.most/4*3 {
		return nil
	}
	c.starved = true
	wake, c.waiter = c.waiter, nil
	return wake
}

// reclaim has all goroutines leave the traces that are over. The world is stopped meanwhile, see
// wmShareGoroutines.
func (c *wmGatherer) reclaim() {
	stw := stopTheWorld(stwReadMemStats)
	c.starved = false
	forEachGRace(func(gp *g) {
		if s := gp.strandOf(c.number); s != nil && s.trace.over.Load() != 0 {
			s.depart(gp, wmLeft)
		}
	})
	startTheWorld(stw)
}

// copy returns what has been gathered until now.
func (t *wmTrace) copy() *WMTrace {
	out := &WMTrace{Key: t.key, Site: t.frame.site(), Ended: t.ended, Lost: t.lost.Load(), Flags: t.flags, Within: t.within, Era: t.era, Status: t.answer}
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
	n, size := 0, uintptr(0)
	wmEachRecord(first, func(_ uint64, r *wmRecord) {
		if bytes := r.values(); bytes > 0 {
			size += bytes
		} else {
			n++
		}
	})
	if n == 0 {
		return
	}
	o.Records, o.Values = make([]WMTraceEvent, 0, n), make([]byte, 0, size)
	wmEachRecord(first, func(clock uint64, r *wmRecord) {
		if bytes := r.values(); bytes == 0 {
			o.Records = append(o.Records, wmGatheredOf(clock, r.word))
		} else if last := len(o.Records) - 1; last >= 0 {
			o.Values = append(o.Values, unsafe.Slice((*byte)(add(unsafe.Pointer(r), wmRecordSize)), bytes)...)
			o.Records[last].Size = uint16(bytes)
		}
	})
}

// values returns how many bytes of values lie behind the record, 0 if it is that of an event.
func (r *wmRecord) values() uintptr {
	if r.word&(wmFrameGathered|wmGatherCode) != wmGatherValues {
		return 0
	}
	return uintptr(r.word & wmGatherValue)
}

// wmEachRecord calls f for each record in the block and those that follow it, not for what lies behind one.
func wmEachRecord(block uintptr, f func(clock uint64, r *wmRecord)) {
	for ; block != 0; block = atomic.Loaduintptr(&(*wmBlock)(unsafe.Pointer(block)).next) {
		for at := (*wmBlock)(unsafe.Pointer(block)).start; at < block+wmBlockSize; at += wmRecordSize {
			r := (*wmRecord)(unsafe.Pointer(at))
			clock := atomic.Load64(&r.clock)
			if clock == 0 {
				break
			}
			f(clock, r)
			at += alignUp(r.values(), wmRecordSize)
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

// WMForgetTraces ends WMEndTraces: the gatherer is free. The library has taken what was kept. The world is
// stopped meanwhile.
func WMForgetTraces(number int) { wmTraces.list[number].free() }

// A WMTraceCounts counts since WMStartTraces.
type WMTraceCounts struct {
	Begun, Ended, Queued, Dropped, Lost, Unvalued uint64
}

// WMCountTraces returns how many traces have begun and ended. Of the ended ones it returns how many
// were queued because they are kept, and how many weren't because the queue was full. It also
// returns how many calls were not gathered, and of how many events values were left out.
func WMCountTraces(number int) (n WMTraceCounts) {
	c := &wmTraces.list[number]
	lock(&allpLock)
	for _, pp := range allp[:cap(allp)] {
		if pp != nil { // ends before beginnings: a trace may end on another P
			n.Ended += pp.wm.traces[number].ended
			n.Unvalued += pp.wm.traces[number].unvalued
		}
	}
	for _, pp := range allp[:cap(allp)] {
		if pp != nil {
			n.Begun += pp.wm.traces[number].begun
		}
	}
	unlock(&allpLock)
	lock(&wmTraces.lock)
	n.Queued, n.Dropped = c.kept, c.dropped
	unlock(&wmTraces.lock)
	n.Lost = c.lost.Load()
	return n
}
