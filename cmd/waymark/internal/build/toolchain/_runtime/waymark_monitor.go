// Package runtime, as waymark adds to it: calls that monitors see.
//
// A monitor is code of the program's that is told when functions are entered and left. A
// goroutine's watched calls that are in progress are on its stack of calls. So the exit of a call
// goes to what its entry went to, however sites are switched meanwhile. And calls that a panic
// leaves are known.
//
// Monitors run on the goroutine whose calls they see, as ordinary code. Nothing that they call
// is traced, and none of the values that they get leads to a stack, see waymark_copy.go.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// A WMMonitor is what the library is told of watched calls.
type WMMonitor struct {
	// Pass, if there is one, is asked before a goroutine's first call of a watched site, whose id it
	// gets. For the call the goroutine would be given memory. Pass reports whether nobody wants to
	// know of the call. It must not wait.
	Pass func(site uint32) bool

	// Enter is called when a call of the site with that id begins. What it gives is
	// handed to the others; nil: nobody wants to know of this call. The event has the arguments
	// that are at v once Take has been called.
	Enter func(site uint32, e *WMEvent, v unsafe.Pointer) unsafe.Pointer

	// Exit is called when the call ends. returned is false if a panic or Goexit
	// leaves it, of which there are no results. The event has those at v once Take has been called.
	Exit func(call unsafe.Pointer, e *WMEvent, v unsafe.Pointer, returned bool)

	// Panic is called when a panic with the value begins, or Goexit. It begins in the
	// call, or in something that the call has called and that isn't watched.
	Panic func(call unsafe.Pointer, e *WMEvent, value any, goexit bool)

	// Info is called for the info function with that site's id, called from the call if that is of
	// the function that callers names last. Before it are function literals through which it was
	// called, the innermost first. It reports whether the call is that function's, and has been
	// told. A nil call is of a function that has started the goroutine.
	Info func(call unsafe.Pointer, e *WMEvent, site uint32, callers []string) bool
}

var wmMonitor WMMonitor

// WMSetMonitor sets what is called, before the first site is watched.
func WMSetMonitor(m WMMonitor) {
	wmFindConstants()
	wmFindArguments()
	wmMonitor = m
}

// A wmWatching is what a goroutine needs for watched calls, from the first one on.
type wmWatching struct {
	// calls has what Enter gave for the watched calls on the goroutine's stack of calls. The garbage
	// collector doesn't see that stack. The first n are in progress, the innermost last. The others
	// stay, because most often the next call has the same.
	calls []watchedCall
	n     int
	owed  []wmOwed // in the order in which they are to be reported
	late  int64    // how long ago the end happened that is being reported, ns
	slabs wmSlabs
	event WMEvent
}

// WMGoroutine gives the id of the calling goroutine.
func WMGoroutine() uint64 { return getg().goid }

// A watchedCall is what Enter of the monitor gave for a call.
type watchedCall = unsafe.Pointer

// wmEnterWatched reports that a call begins, and returns what the monitor gave for it, nil if nobody is to
// be told of its end.
func wmEnterWatched(gp *g, f WMFrame, v *wmValues) watchedCall {
	w := wmBeginsWatched(gp, f)
	if w == nil {
		return nil
	}
	return w.enter(gp, f, w.event.at(v))
}

// wmEnterWatchedInts is wmEnterFlagged for a call with integers that monitors see and that is all.
func wmEnterWatchedInts(gp *g, f WMFrame, kinds, a, b, c, d uint64) WMFrame {
	w := wmBeginsWatched(gp, f)
	if w == nil {
		return 0
	}
	w.event.integers(kinds, a, b, c, d)
	call := w.enter(gp, f, nil)
	if call == nil {
		return 0
	}
	wmPushWatched(gp, f, call)
	return f
}

// wmBeginsWatched reports what is to be reported before a watched call begins. It returns nil if nobody can be
// told of the call, or wants to be.
func wmBeginsWatched(gp *g, f WMFrame) *wmWatching {
	if !wmMayWait(gp, 0) {
		wmUnreported.Add(1)
		return nil
	}
	w := gp.wm.watching
	if w == nil {
		if wmPasses(gp, f) {
			return nil
		}
		w = wmNewWatching(gp)
	}
	wmSettle(gp)
	if wmBelow(gp.wm.top).frame.token() >= f.token() {
		wmReach(gp, f)
	}
	return w
}

// wmPasses reports whether the monitor has no use for a call of gp, which has no wmWatching yet.
func wmPasses(gp *g, f WMFrame) bool {
	if wmMonitor.Pass == nil {
		return false
	}
	wmMute(gp, true)
	passes := wmMonitor.Pass(f.site())
	wmMute(gp, false)
	return passes
}

// enter tells the monitor that the call begins whose arguments the event has, or are at v.
func (w *wmWatching) enter(gp *g, f WMFrame, v unsafe.Pointer) watchedCall {
	wmMute(gp, true)
	call := wmMonitor.Enter(f.site(), &w.event, v)
	wmMute(gp, false)
	w.event.set(nil)
	return call
}

// wmNewWatching gives gp what it needs for watched calls.
func wmNewWatching(gp *g) *wmWatching {
	if gp.wm.stack == 0 {
		wmGrowStack(gp)
	}
	w := new(wmWatching)
	w.event.Goroutine = gp.goid
	gp.wm.watching = w
	return w
}

// wmPushWatched puts a call on the stack that isn't timed.
func wmPushWatched(gp *g, f WMFrame, call watchedCall) {
	if gp.wm.top == wmStackOf(gp).end {
		wmGrowStack(gp)
	}
	gp.wm.watching.push(call)
	c := (*wmCall)(unsafe.Pointer(gp.wm.top))
	c.children, c.frame, c.flags, c.path = 0, f, 0, wmBelow(gp.wm.top).path
	gp.wm.top += wmCallBytes
}

// wmExitWatched reports that a watched call ends. Its time has been ended.
func wmExitWatched(gp *g, f WMFrame, v *wmValues) {
	if !wmEndsWatched(gp, f) {
		return
	}
	if !wmMayWait(gp, 0) {
		wmOweExit(gp, f, v)
		return
	}
	w, call := gp.wm.watching.ended(gp)
	returned := !f.left(gp)
	if !returned {
		v = nil
	}
	w.exit(gp, call, w.event.at(v), returned)
}

// wmExitWatchedInts is wmExitFlagged for a call with integers that monitors see and that is all.
func wmExitWatchedInts(gp *g, f WMFrame, kinds, a, b, c, d uint64) {
	if !wmEndsWatched(gp, f) {
		return
	}
	if !wmMayWait(gp, 0) {
		wmOweExit(gp, f, &wmValues{n: int(kinds & 7), words: &[4]uint64{a, b, c, d}, kinds: kinds})
		return
	}
	w, call := gp.wm.watching.ended(gp)
	w.event.integers(kinds, a, b, c, d)
	returned := !f.left(gp)
	if !returned {
		w.event.set(nil)
	}
	w.exit(gp, call, nil, returned)
}

// ended takes the innermost call off the stack, of which the event says what is known before its end is told.
func (w *wmWatching) ended(gp *g) (*wmWatching, watchedCall) {
	w.event.Recovered = wmBelow(gp.wm.top).flags&wmCallRecovered != 0
	return w, wmPop(gp)
}

// wmEndsWatched reports what is to be reported before a watched call ends, which is the innermost one then. It
// reports whether the end is still to be reported.
func wmEndsWatched(gp *g, f WMFrame) bool {
	wmSettle(gp)
	top := wmStackOf(gp).find(gp.wm.top, f)
	if top == 0 || wmBelow(top).frame&wmFrameWatched == 0 {
		return false
	}
	if top < gp.wm.top {
		wmLeave(gp, top, wmPanics(gp), wmClock())
	}
	return true
}

// exit tells the monitor that a call ends whose results the event has, or are at v.
func (w *wmWatching) exit(gp *g, call watchedCall, v unsafe.Pointer, returned bool) {
	wmMute(gp, true)
	wmMonitor.Exit(call, &w.event, v, returned)
	wmMute(gp, false)
	w.event.set(nil)
}

// leave tells the monitor that a panic or Goexit has left a call.
func (w *wmWatching) leave(gp *g, call watchedCall) {
	w.event.set(nil)
	w.event.Recovered = false
	w.exit(gp, call, nil, false)
}

func (w *wmWatching) push(call watchedCall) {
	if w.n == len(w.calls) {
		w.grow()
	}
	if c := w.at(w.n); *c != call {
		*c = call
	}
	w.n++
}

//go:noinline
func (w *wmWatching) grow() {
	w.calls = append(w.calls, nil)
	w.calls = w.calls[:cap(w.calls)]
}

func (w *wmWatching) pop() watchedCall {
	w.n--
	return *w.at(w.n)
}

// at returns a place in calls, unchecked.
func (w *wmWatching) at(i int) *watchedCall {
	return (*watchedCall)(add(unsafe.Pointer(unsafe.SliceData(w.calls)), uintptr(i)*goarch.PtrSize))
}

// wmLeaveWatched reports that the calls above the address n have been left by a panic or Goexit. Their
// times have been ended.
func wmLeaveWatched(gp *g, n uintptr) {
	wait, now := wmMayWait(gp, 0), nanotime()
	for gp.wm.top > n {
		call := wmPop(gp)
		switch {
		case call == nil:
		case wait:
			gp.wm.watching.leave(gp, call)
		default:
			gp.wm.watching.owe(gp, wmOwed{call: call, at: now})
		}
	}
}

// wmWatchedPanic reports a panic to the innermost watched call. Those that an earlier panic has
// left are over: it is running deferred calls of a function further out, one of which panics. Such a
// deferred call may be timed, and so lie above them on the stack: they stay there, unwatched.
func wmWatchedPanic(gp *g, value any, goexit bool) {
	w := gp.wm.watching
	if gp.wm.flags&wmMuted != 0 || w == nil {
		return
	}
	wmSettle(gp)
	s := wmStackOf(gp)
	for top := gp.wm.top; w.n > 0; top -= wmCallBytes {
		c := wmBelow(top)
		if c.frame&wmFrameWatched == 0 {
			continue
		}
		if !s.left(gp, top) {
			wmMute(gp, true)
			wmMonitor.Panic(*w.at(w.n - 1), w.event.set(nil), value, goexit)
			wmMute(gp, false)
			break
		}
		c.frame &^= wmFrameWatched
		w.leave(gp, w.pop())
	}
	wmDrop(gp, s.base())
}
