// Package runtime, as waymark adds to it: goroutines that join a trace though no goroutine of it starts
// them.
//
// A goroutine that hands on work of a trace takes a ticket. The goroutine that does the work joins
// the trace with the ticket. A timer starts that goroutine, or it has begun long ago and the
// program gives it the ticket. The strand of the first goroutine has a record with the ticket's
// number. The strand of the second has the number.
//
// A ticket keeps no trace alive, as most timers are stopped. When a ticket is used, the memory of
// its trace may be that of another trace, or be gone. See valid.

package runtime

import "unsafe"

// A WMTicket lets goroutines join traces. The zero WMTicket is of none.
type WMTicket struct {
	number uint64
	trace  uintptr   // *wmTrace
	of     uint32    // the trace's gatherer
	first  uint64    // what the trace has in wmTrace.ticket
	goid   uint64    // of who took it
	clock  uint64    // when
	more   *WMTicket // of a trace of another gatherer
}

// WMNewTicket returns a ticket of the traces that the calling goroutine is in.
func WMNewTicket() WMTicket { return wmNewTicket(getg()) }

// wmNewTicket returns a ticket of the traces that gp is in, which runs.
func wmNewTicket(gp *g) (w WMTicket) {
	mp := acquirem()
	if gp.wm.flags&wmMuted == 0 {
		for s := gp.strand(); s != nil; {
			outer := s.outer
			if t := s.trace; t.over.Load() == 0 {
				if w.number != 0 {
					more := new(WMTicket)
					*more = w
					w = WMTicket{more: more}
				}
				w.take(gp, s)
			}
			s = outer
		}
	}
	releasem(mp)
	return w
}

// take makes w a ticket of the trace of s, which gp is in.
func (w *WMTicket) take(gp *g, s *wmStrand) {
	t := s.trace
	w.trace, w.of, w.goid, w.clock = uintptr(unsafe.Pointer(t)), t.of, gp.goid, wmClock()
	lock(&wmTraces.lock)
	wmTraces.tickets++
	w.number = wmTraces.tickets
	if t.ticket == 0 {
		t.ticket = w.number
	}
	w.first = t.ticket
	unlock(&wmTraces.lock)
	s.add(gp, wmGatherTicket|w.number, false)
}

// valid reports whether the ticket's trace goes on. The caller has wmTraces.lock.
func (w *WMTicket) valid() bool {
	if w.number <= wmTraces.list[w.of].void {
		return false // the memory has been given back to the system
	}
	t := (*wmTrace)(unsafe.Pointer(w.trace))
	return t.ticket == w.first && t.over.Load() == 0
}

// join has gp join the ticket's traces, but for those of gatherers that have gp in a trace already.
// It returns the bits of the gatherers whose traces gp has joined. Nobody else knows gp, or gp is
// the caller's goroutine, and the caller keeps the M. handed says that gp ran before.
func (w *WMTicket) join(gp *g, handed bool) (joined uint32) {
	for ; w != nil; w = w.more {
		if w.number == 0 || gp.strandOf(w.of) != nil {
			continue
		}
		var s *wmStrand
		lock(&wmTraces.lock)
		if w.valid() {
			t := (*wmTrace)(unsafe.Pointer(w.trace))
			if s = t.join(gp.goid, w.goid, w.clock); s != nil {
				s.ticket, s.handed = w.number, handed
			} else {
				t.lost.Add(1)
			}
		}
		unlock(&wmTraces.lock)
		if s != nil {
			s.join(gp)
			joined |= 1 << w.of
		}
	}
	return joined
}

// WMJoinTrace has the calling goroutine join the ticket's traces until WMLeaveTrace. It returns
// what WMLeaveTrace is to be given, 0 if there is nothing to leave. The traces may be over, or the
// goroutine may be in others already.
func WMJoinTrace(w WMTicket) (joined uint32) {
	gp := getg()
	mp := acquirem()
	for s := gp.strand(); s != nil; {
		outer := s.outer
		if s.trace.over.Load() != 0 {
			s.depart(gp, wmLeft)
		}
		s = outer
	}
	if gp.wm.flags&wmMuted == 0 {
		joined = w.join(gp, true)
	}
	releasem(mp)
	return joined
}

// WMLeaveTrace ends what WMJoinTrace has begun.
func WMLeaveTrace(joined uint32) {
	gp := getg()
	mp := acquirem()
	for s := gp.strand(); s != nil; {
		outer := s.outer
		if s.handed && joined&(1<<s.trace.of) != 0 {
			s.depart(gp, wmEnded)
		}
		s = outer
	}
	releasem(mp)
}

// A wmTimerCall is what a timer calls that a goroutine of a trace has set, or one with what observers have
// noted.
type wmTimerCall struct {
	f      func(arg any, seq uintptr, delay int64)
	arg    any
	ticket WMTicket
	above  *wmAbove
}

// wmCallOfTimer returns what a timer that the calling goroutine sets is to call in place of f(arg).
// In a trace that is something else if f(arg) starts a goroutine, as timers of time.AfterFunc do.
func wmCallOfTimer(f func(arg any, seq uintptr, delay int64), arg any) (func(arg any, seq uintptr, delay int64), any) {
	if _, ok := arg.(func()); !ok {
		return f, arg
	}
	gp := getg()
	ticket, above := wmNewTicket(gp), gp.wm.above
	if ticket.number == 0 && above == nil || gp.wm.flags&wmMuted != 0 {
		return f, arg
	}
	w := new(wmTimerCall)
	w.f, w.arg, w.ticket, w.above = f, arg, ticket, above
	return wmRunTimerCall, w
}

// wmRunTimerCall is called by a timer, on g0, which executes the go statement: see wmOnGo.
func wmRunTimerCall(arg any, seq uintptr, delay int64) {
	w := arg.(*wmTimerCall)
	g0 := getg()
	if w.ticket.number != 0 {
		g0.wm.strand = uintptr(unsafe.Pointer(&w.ticket))
	}
	g0.wm.above = w.above
	w.f(w.arg, seq, delay)
	g0.wm.strand, g0.wm.above = 0, nil
}

// wmResetTimer is t.reset while traces are gathered or observers have noted something. The
// goroutine that the timer starts belongs to the trace of the goroutine that has set the timer
// last.
func wmResetTimer(t *timer, when, period int64) bool {
	t.lock()
	f, arg := t.f, t.arg
	t.unlock()
	if w, ok := arg.(*wmTimerCall); ok {
		f, arg = w.f, w.arg
	}
	if gp := getg(); gp.wm.strand != 0 || gp.wm.above != nil {
		f, arg = wmCallOfTimer(f, arg)
	}
	return t.modify(when, period, f, arg, 0)
}
