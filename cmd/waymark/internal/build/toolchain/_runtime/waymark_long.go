// Package runtime, as waymark adds to it: calls of which only those that take long are recorded.
//
// Some functions are called so often that events of all calls would cost too much. Their calls are
// counted. A call that takes wmLongNano or more is recorded by one event at its end. The calls of
// these functions are on the goroutine's stack of calls, as timed ones are. So waymark knows too if
// a panic or Goexit ends a call. The clock is read when a call begins and when it ends.

package runtime

import "unsafe"

// wmLongNano is how long a call must take to be recorded, ns: 100 us, and the clock's rate may be
// off by some thousandths.
const wmLongNano = 99_500

// wmLongTicks is the same in ticks of the clock of events, 0 until it is known. The assembly reads
// it.
var wmLongTicks uint64

// wmFindLong finds wmLongTicks. The clock has been chosen.
func wmFindLong() {
	if wmLongTicks != 0 {
		return
	}
	wmLongTicks = max(wmRate()*wmLongNano/1e9, 1)
}

// wmEnterLong puts the call on the stack, and notes when it has begun. watched is as in
// wmEnterTimed. It reports whether there is a processor for that.
func wmEnterLong(gp *g, f WMFrame, watched watchedCall) bool {
	if gp.m.p == 0 { // in a system call
		return false
	}
	wmPushCall(gp, f, watched)
	if wm.counter && !wmPaths.on {
		gp.wm.noting = wmStackOf(gp).end
	}
	wmBelow(gp.wm.top).enter = wmClock()
	return true
}

// A wmLongCall is a call that took long, and has ended.
type wmLongCall struct {
	site, ticks uint64 // as they are in the arena
}

// endLong ends a call, and returns what is to be recorded of it; site is 0 if that is nothing.
func (call *wmCall) endLong(now uint64) (long wmLongCall) {
	if call.frame&wmFrameLong != 0 {
		call.frame &^= wmFrameLong
		if now > call.enter && now-call.enter >= wmLongTicks { // clocks of CPUs may differ
			long = wmLongCall{uint64(call.frame.site()), now - call.enter}
		}
	}
	return long
}

// emit records the call, whose frame has that token.
func (l wmLongCall) emit(gp *g, token uint32, wait bool) {
	if l.site != 0 {
		wmEmit(gp, wmLongWord|uint64(token), wait, &wmValues{long: l})
	}
}

// wmPutLong writes the record of a call that took long. What is behind it is stored first. Readers
// of the arena don't take it for a record: ids of sites are smaller than any clock.
func wmPutLong(pp *p, clock, word uint64, l wmLongCall) {
	*(*wmLongCall)(unsafe.Pointer(pp.wm.pos + wmRecordSize)) = l
	wmPut(pp, clock, word)
	pp.wm.pos += wmRecordSize
}
