// Package runtime, as waymark adds to it: of timed calls, how long their goroutines did not run.
//
// A pause belongs to the innermost timed call. Beside a goroutine's stack of calls there is an
// array with a wmOff for each place, once it is needed. A call with pauses has a flag, for which
// the assembly leaves the call's end to Go. The Go code adds the pauses up and passes them on to
// the call below. Calls without pauses cost what they always do.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A wmOff is how long a call has been off: all is with the calls that it made, own without.
type wmOff struct{ all, own wmPause }

// WMWaitTimes says that somebody wants it added up how long the goroutines of timed calls don't run, or
// doesn't any more.
func WMWaitTimes(wanted bool) {
	stw := stopTheWorld(stwReadMemStats)
	if wanted {
		wmWaitUsers++
	} else {
		wmWaitUsers--
	}
	wmWaitTimes = wmWaitUsers > 0
	wmSetWaits()
	startTheWorld(stw)
}

// wmWaitTimes is set while there are users.
var (
	wmWaitTimes bool
	wmWaitUsers int
)

// timesCalls reports whether gp has timed calls whose pauses are wanted.
func (gp *g) timesCalls() bool {
	return wmWaitTimes && gp.wm.stack != 0 && gp.wm.top > wmStackOf(gp).base()
}

// timedBelow returns the innermost timed call below an address in the stack, nil if there is none.
func (s *wmStack) timedBelow(top uintptr) *wmCall {
	for ; top > s.base(); top -= wmCallBytes {
		if call := wmBelow(top); call.frame&wmFrameTimed != 0 {
			return call
		}
	}
	return nil
}

// addOff adds a pause of gp, which is over, on the system stack.
func (gp *g) addOff(pause wmPause) {
	s := wmStackOf(gp)
	if call := s.timedBelow(gp.wm.top); call != nil {
		o := s.offOf(call)
		o.all.add(pause)
		o.own.add(pause)
	}
}

func (p *wmPause) add(q wmPause) {
	p.total += q.total
	p.ready += q.ready
}

// load returns p, to which another thread may add.
func (p *wmPause) load() (q wmPause) {
	q.ready = atomic.Load64(&p.ready)
	q.total = max(atomic.Load64(&p.total), q.ready)
	return q
}

// within returns p, which is part of a time, as far as clocks agree.
func (p wmPause) within(time uint64) wmPause {
	p.total = min(p.total, time)
	p.ready = min(p.ready, p.total)
	return p
}

// offOf returns the wmOff of a call, which it makes if there is none.
func (s *wmStack) offOf(call *wmCall) *wmOff {
	if s.off == 0 {
		systemstack(func() { s.makeOff() })
	}
	o := s.offAt(call)
	if call.flags&wmCallOff == 0 {
		call.flags |= wmCallOff
		*o = wmOff{}
	}
	return o
}

// offAt returns the place of a call's wmOff.
func (s *wmStack) offAt(call *wmCall) *wmOff {
	place := (uintptr(unsafe.Pointer(call)) - s.base()) / wmCallBytes
	return (*wmOff)(unsafe.Pointer(s.off + place*unsafe.Sizeof(wmOff{})))
}

// makeOff makes room for one wmOff of each call. It stays with the stack.
func (s *wmStack) makeOff() {
	places := uintptr(wmFirstCalls) << s.class
	s.off = uintptr(persistentalloc(places*unsafe.Sizeof(wmOff{}), 8, &memstats.other_sys))
}

// endOff adds up what a timed call was off that took so long, and passes it on.
func (s *wmStack) endOff(c *wmCell, call *wmCall, took, self uint64) {
	o := *s.offAt(call)
	call.flags &^= wmCallOff
	m := c.moreOf()
	if all := o.all.within(took); call.flags&wmCallInner == 0 {
		m.off.all.add(all)
	}
	m.off.own.add(o.own.within(self))
	if below := s.timedBelow(uintptr(unsafe.Pointer(call))); below != nil {
		s.offOf(below).all.add(o.all)
	}
}

// pauseNow returns what of the latest pause of gp, which does not run, is over at the given clock.
func (gp *g) pauseNow(now uint64) (p wmPause) {
	if w := &gp.wm.stop; w.since != 0 && now > w.since {
		p.total = now - w.since
		if w.ready != 0 {
			p.ready = min(now-min(w.ready, now), p.total)
		}
	}
	return p
}

// A WMOff is how long the goroutines of calls did not run, in ticks: they were ready, or they waited.
type WMOff struct {
	Runnable, Waiting         uint64 // of Total
	SelfRunnable, SelfWaiting uint64 // of Self
}

// addAll and addOwn add a part of Total, and of Self.
func (o *WMOff) addAll(p wmPause) {
	o.Runnable += p.ready
	o.Waiting += p.total - p.ready
}

func (o *WMOff) addOwn(p wmPause) {
	o.SelfRunnable += p.ready
	o.SelfWaiting += p.total - p.ready
}
