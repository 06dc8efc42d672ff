// Package runtime, as waymark adds to it: calls that are timed, without events.
//
// The goroutine's stack of calls has when a call has begun, and how long the timed calls took that
// it made. If a function calls itself, only some of its calls count for the total: those that no
// other call of their site is around. A small hash table has these calls.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

var wmTimedGoroutines atomic.Uint64

// WMTimedGoroutines returns the number of goroutines that made timed calls.
func WMTimedGoroutines() uint64 { return wmTimedGoroutines.Load() }

// wmEnterTimed puts the call on the stack and begins to time it. watched is what the monitor gave for
// it, nil if the monitor doesn't see it.
func wmEnterTimed(gp *g, f WMFrame, watched watchedCall) {
	if gp.m.p == 0 { // in a system call
		return
	}
	wmPushCall(gp, f, watched)
	mp := acquirem()
	if gp.wm.flags&wmTimes == 0 {
		gp.wm.flags |= wmTimes
		wmTimedGoroutines.Add(1)
	}
	site := f.site()
	wmCellOf(mp.p.ptr(), site).calls++
	s, call := wmStackOf(gp), wmBelow(gp.wm.top)
	head := &s.outer[site%wmStackSites]
	if s.inProgress(site) {
		call.flags = wmCallInner
	} else {
		call.next, *head = *head, uint32(gp.wm.top-wmCallBytes-gp.wm.stack)
	}
	if wmPaths.on {
		call.beginPath(mp.p.ptr())
	}
	if wm.counter {
		gp.quickTimes()
	}
	call.enter = wmClock()
	releasem(mp)
}

// quickTimes has the fast path time calls from now on.
func (gp *g) quickTimes() {
	if wmPaths.on {
		gp.wm.pathing = gp.wm.stack
	} else {
		gp.wm.timing = gp.wm.stack
	}
}

// slowCalls has the next call that would be on the stack of calls take the slow path.
//
//go:nosplit
func (gp *g) slowCalls() { gp.wm.timing, gp.wm.pathing, gp.wm.noting = 0, 0, 0 }

// wmPushCall puts a call on the stack. watched is what the monitor gave for it, nil if the monitor
// doesn't see it.
func wmPushCall(gp *g, f WMFrame, watched watchedCall) {
	wmSettle(gp)
	if s := wmStackOf(gp); s == nil || gp.wm.top == s.end {
		wmGrowStack(gp)
	}
	if wmBelow(gp.wm.top).frame.token() >= f.token() {
		wmReach(gp, f)
	}
	if watched != nil {
		gp.wm.watching.push(watched)
	}
	*(*wmCall)(unsafe.Pointer(gp.wm.top)) = wmCall{frame: f, path: wmBelow(gp.wm.top).path}
	gp.wm.top += wmCallBytes
}

// inProgress reports whether a timed call of the site is on the stack.
func (s *wmStack) inProgress(site uint32) bool {
	for place := s.outer[site%wmStackSites]; place != 0; place = s.at(place).next {
		if s.at(place).frame.site() == site {
			return true
		}
	}
	return false
}

// wmExitTimed ends the time of a call, and the calls above it, which have been left in ways that nobody
// has seen. It does nothing if the time has been ended already.
func wmExitTimed(gp *g, f WMFrame) {
	s := wmStackOf(gp)
	if s == nil || gp.m.p == 0 {
		return
	}
	now := wmClock()
	wmSettle(gp)
	top := s.find(gp.wm.top, f)
	if top == 0 || wmBelow(top).frame&wmFrameTaken == 0 {
		return
	}
	panicked := wmPanics(gp)
	left := f.left(gp)
	if gp.wm.top > top {
		wmLeave(gp, top, panicked, now) // none of them may end later than the call that they are in
	}
	mp := acquirem()
	long := s.endTime(mp.p.ptr(), wmBelow(top), now, left && panicked)
	wmDrop(gp, top-wmCallBytes)
	if wm.counter && gp.wm.flags&wmMuted == 0 {
		if !wmPaths.on {
			gp.wm.noting = s.end
		}
		if gp.wm.flags&wmTimes != 0 {
			gp.quickTimes()
		}
	}
	if f.sampled() {
		gp.hooked(mp.p.ptr(), now)
	}
	releasem(mp)
	long.emit(gp, f.token(), true)
}

// wmRecoverTimed ends, on g0, the times of the calls that a recovered panic has left: gp goes on in the
// frame of token. It reports whether monitors are to be told of some of them.
func wmRecoverTimed(gp *g, token uint32) (untold bool) {
	s := wmStackOf(gp)
	if s == nil {
		return false
	}
	n := s.goOn(gp.wm.top, token)
	wmEndTimes(gp, n, true, wmClock())
	if call := wmBelow(n); call.frame.token() == token {
		call.flags |= wmCallRecovered
	}
	return gp.wm.top > n
}

// wmEndTimes ends the times of the calls above the address n, at the clock now. Those that monitors see stay on
// the stack, with the ones below them.
func wmEndTimes(gp *g, n uintptr, panicked bool, now uint64) {
	mp := acquirem()
	if gp.wm.top == n || mp.p == 0 {
		releasem(mp)
		return
	}
	s := wmStackOf(gp)
	for top := gp.wm.top; top > n; top -= wmCallBytes {
		call := wmBelow(top)
		s.endTime(mp.p.ptr(), call, now, panicked).emit(gp, call.frame.token(), false)
	}
	wmDrop(gp, n)
	releasem(mp)
}

// endTime ends the time of a call, those above which have been ended. What the calls above have taken
// is passed on if the call isn't timed, or not any more. It returns what is to be recorded.
func (s *wmStack) endTime(pp *p, call *wmCall, now uint64, panicked bool) (long wmLongCall) {
	long = call.endLong(now)
	site := call.frame.site()
	took, children := uint64(0), call.children
	below := wmBelow(uintptr(unsafe.Pointer(call)))
	call.children = 0
	if call.frame&wmFrameTimed == 0 {
		below.children += children
		return long
	}
	call.frame &^= wmFrameTimed
	if now > call.enter { // clocks of CPUs may differ
		took = now - call.enter
	}
	below.children += took
	if call.frame.sampled() {
		call.endSample(pp, now, took, children, panicked || call.flags&wmCallRecovered != 0)
		return long
	}
	c := wmCellOf(pp, site)
	c.ended++
	if call.flags&wmCallInner != 0 {
		c.inner += took
	} else {
		c.total += took
		s.outer[site%wmStackSites] = call.next
	}
	self := took - min(children, took)
	c.self += self
	c.least, c.most = max(c.least, ^took), max(c.most, took)
	if call.flags&wmCallOff != 0 {
		s.endOff(c, call, took, self)
	}
	switch {
	case call.flags&(wmCallRecovered|wmCallPanicked) != 0:
		panicked = true
	case call.flags&wmCallExited != 0:
		panicked = false
	}
	if panicked {
		c.panicked()
	}
	if call.flags&wmCallPath != 0 {
		call.endPath(pp, self, panicked)
	}
	if wmHistograms {
		c.countTime(took)
	}
	return long
}

// wmSlowTime counts a call in the histogram where a line of it is missing. The assembly jumps here: the call has been
// popped from its place, and what it took is where its children's time was. A single parameter is what callers of
// WMExit have room for.
//
//go:nosplit
func wmSlowTime(at *wmCall) {
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		systemstack(func() { wmCellOf(pp, at.frame.site()).countTime(at.children) })
	}
	releasem(mp)
}
