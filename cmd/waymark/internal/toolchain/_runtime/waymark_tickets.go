// Package runtime, as waymark adds to it: goroutines that join a trace though no goroutine of it starts
// them.
//
// Who hands on work of a trace takes a ticket, and who does the work joins the trace with it: the
// goroutine that a timer starts, or one that has begun long ago and that the program gives the ticket to.
// The strand of the first has a record with the ticket's number, that of the second has the number.
//
// A ticket keeps no trace alive, as most timers are stopped: the memory of its trace may be that of
// another one when it is used, or be gone. See valid.

package runtime

import "unsafe"

// A WMTicket lets goroutines join a trace. The zero WMTicket is of none.
type WMTicket struct {
	number uint64
	trace  uintptr // *wmTrace
	first  uint64  // what the trace has in wmTrace.ticket
	goid   uint64  // of who took it
	clock  uint64  // when
}

// WMNewTicket returns a ticket of the trace that the calling goroutine is in.
func WMNewTicket() WMTicket { return wmNewTicket(getg()) }

// wmNewTicket returns a ticket of the trace that gp is in, which runs.
func wmNewTicket(gp *g) (w WMTicket) {
	mp := acquirem()
	if s := gp.strand(); s != nil && gp.wm.flags&wmMuted == 0 && s.trace.over.Load() == 0 {
		t := s.trace
		w.trace, w.goid, w.clock = uintptr(unsafe.Pointer(t)), gp.goid, wmClock()
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
	releasem(mp)
	return w
}

// valid reports whether the ticket's trace goes on. The caller has wmTraces.lock.
func (w *WMTicket) valid() bool {
	if w.number <= wmTraces.void {
		return false // the memory has been given back to the system
	}
	t := (*wmTrace)(unsafe.Pointer(w.trace))
	return t.ticket == w.first && t.over.Load() == 0
}

// join has gp join the ticket's trace, and reports whether it did. Nobody else knows gp, or it is the
// caller's, who keeps the M. handed says that gp ran before.
func (w *WMTicket) join(gp *g, handed bool) bool {
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
	if s == nil {
		return false
	}
	gp.wm.strand, gp.wm.gather = uintptr(unsafe.Pointer(s)), wmGatherSlow
	return true
}

// WMJoinTrace has the calling goroutine join the ticket's trace until WMLeaveTrace, and reports whether
// it did: the trace may be over, or the goroutine in one already.
func WMJoinTrace(w WMTicket) (joined bool) {
	gp := getg()
	mp := acquirem()
	if s := gp.strand(); s != nil && s.trace.over.Load() != 0 {
		s.depart(gp, wmLeft)
	}
	if gp.wm.strand == 0 && gp.wm.flags&wmMuted == 0 {
		joined = w.join(gp, true)
	}
	releasem(mp)
	return joined
}

// WMLeaveTrace ends what WMJoinTrace has begun.
func WMLeaveTrace(w WMTicket) {
	gp := getg()
	mp := acquirem()
	if s := gp.strand(); s != nil && s.handed && s.ticket == w.number {
		s.depart(gp, wmEnded)
	}
	releasem(mp)
}

// A wmTimed is what a timer calls that a goroutine of a trace has set.
type wmTimed struct {
	f      func(arg any, seq uintptr, delay int64)
	arg    any
	ticket WMTicket
}

// wmTimedBy returns what a timer is to call that the calling goroutine sets, in place of f(arg): in a
// trace something else if that starts a goroutine, as timers of time.AfterFunc do.
func wmTimedBy(f func(arg any, seq uintptr, delay int64), arg any) (func(arg any, seq uintptr, delay int64), any) {
	if _, ok := arg.(func()); !ok {
		return f, arg
	}
	ticket := wmNewTicket(getg())
	if ticket.number == 0 {
		return f, arg
	}
	w := new(wmTimed)
	w.f, w.arg, w.ticket = f, arg, ticket
	return wmRunTimed, w
}

// wmRunTimed is called by a timer, on g0, which executes the go statement: see wmOnGo.
func wmRunTimed(arg any, seq uintptr, delay int64) {
	w := arg.(*wmTimed)
	g0 := getg()
	g0.wm.strand = uintptr(unsafe.Pointer(&w.ticket))
	w.f(w.arg, seq, delay)
	g0.wm.strand = 0
}

// wmResetTimer is t.reset while traces are gathered: the goroutine that the timer starts belongs to the
// trace of who has set it last.
func wmResetTimer(t *timer, when, period int64) bool {
	t.lock()
	f, arg := t.f, t.arg
	t.unlock()
	if w, ok := arg.(*wmTimed); ok {
		f, arg = w.f, w.arg
	}
	if getg().wm.strand != 0 {
		f, arg = wmTimedBy(f, arg)
	}
	return t.modify(when, period, f, arg, 0)
}
