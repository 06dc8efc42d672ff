// Package runtime, as waymark adds to it: calls that monitors see.
//
// A monitor is code of the program's that is told when functions are entered and left.
// A goroutine's watched calls that are in progress are
// listed in its g, the innermost last: so the exit of a call goes to what its entry went to,
// however sites are switched meanwhile, and calls that a panic leaves are known.
//
// Monitors run on the goroutine whose calls they see, as ordinary code. Nothing that they call
// is traced, and none of the values that they get leads to a stack, see waymark_copy.go.
//
// They may wait, as any code may. A goroutine that must not, because it keeps its processor to
// itself (procPin, as in sync.Pool), can't call them: calls that begin there are counted instead,
// and ends are owed until the goroutine comes to a hook where it may wait.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A WMMonitor is what the library is told of watched calls.
type WMMonitor struct {
	// Enter is called when a call of the site with that id begins. What it gives is
	// handed to the others; nil: nobody wants to know of this call.
	Enter func(site uint32, args []any) unsafe.Pointer

	// Exit is called when the call ends. returned is false if a panic or Goexit
	// leaves it, of which there are no results.
	Exit func(call unsafe.Pointer, results []any, returned bool)

	// Panic is called when a panic with the value begins, or Goexit, in the call or in
	// something that it has called and that isn't watched.
	Panic func(call unsafe.Pointer, value any, goexit bool)

	// Info is called for the info function with that site's id, called from the call if that is of
	// the function that callers names last. Before it are function literals through which it was
	// called, the innermost first. It reports whether the call is that function's, and has been
	// told. A nil call is of a function that has started the goroutine.
	Info func(call unsafe.Pointer, site uint32, args []any, callers []string) bool
}

var wmMonitor WMMonitor

// WMSetMonitor sets what is called, before the first site is watched.
func WMSetMonitor(m WMMonitor) { wmMonitor = m }

// A wmCall is a watched call in progress.
type wmCall struct {
	frame WMFrame
	call  unsafe.Pointer // what Enter gave; it stays when the call has ended, as most often the next one has the same
}

// A wmWatching is what a goroutine needs for watched calls, from the first one on.
type wmWatching struct {
	calls []wmCall // the first n are in progress, the innermost last
	n     int
	owed  []wmOwed // in the order in which they are to be reported
	late  int64    // how long ago the end happened that is being reported, ns
	slabs wmSlabs

	scratch unsafe.Pointer // see WMScratch
}

// A wmOwed is the end of a call that could not be reported when it happened.
type wmOwed struct {
	call     unsafe.Pointer
	results  []any
	returned bool
	at       int64 // nanotime
}

// wmOwes in g.wm.unwound says that the goroutine owes ends and nothing else: no token is as great.
const wmOwes = ^uint32(0)

// wmUnreported counts what could not be reported to monitors, with what goroutines owe.
var wmUnreported atomic.Uint64

// WMUnreported gives the number of calls of which the beginning or the end was not reported to
// monitors, because the goroutine must not wait where it happened.
func WMUnreported() uint64 { return wmUnreported.Load() }

// WMLate tells the monitor, while its Exit runs, how many ns ago the call ended.
func WMLate() int64 {
	if w := getg().wm.watching; w != nil {
		return w.late
	}
	return 0
}

// WMGoroutine gives the id of the calling goroutine.
func WMGoroutine() uint64 { return getg().goid }

// A watchedCall is what Enter of the monitor gave for a call.
type watchedCall = unsafe.Pointer

// wmEnterWatched reports that a call begins.
func wmEnterWatched(gp *g, f WMFrame, v *wmValues) watchedCall {
	if !wmMayWait(gp, 0) {
		wmUnreported.Add(1)
		return nil
	}
	w := gp.wm.watching
	if w == nil {
		w = new(wmWatching)
		gp.wm.watching = w
	}
	wmSettle(gp)
	if n := w.n; n > 0 && w.calls[n-1].frame.token() >= f.token() {
		w.reach(gp, f)
	}
	args := v.copies(gp, &w.slabs)
	wmMute(gp, true)
	call := wmMonitor.Enter(f.site(), args)
	wmMute(gp, false)
	return call
}

// wmExitWatched reports that a watched call ends.
func wmExitWatched(gp *g, f WMFrame, v *wmValues) {
	wmSettle(gp)
	w := gp.wm.watching
	i := w.n - 1
	for i >= 0 && w.calls[i].frame != f {
		i--
	}
	if i < 0 {
		return
	}
	if !wmMayWait(gp, 0) {
		w.owe(gp, i, v.copies(gp, &w.slabs))
		return
	}
	if i+1 < w.n {
		w.leave(gp, i+1)
	}
	call := w.pop()
	returned := !f.left(gp)
	var results []any
	if returned {
		results = v.copies(gp, &w.slabs)
	}
	wmMute(gp, true)
	wmMonitor.Exit(call, results, returned)
	wmMute(gp, false)
}

// emit records an event, with the values if they are wanted.
func (v *wmValues) emit(gp *g, word uint64, wanted bool) bool {
	if v != nil && v.words != nil {
		return wmEmitInts(word, v.kinds, wanted, v.words)
	}
	if !wanted {
		v = nil
	}
	return wmEmit(gp, word, true, v)
}

func (w *wmWatching) push(f WMFrame, call unsafe.Pointer) {
	if w.n == len(w.calls) {
		w.calls = append(w.calls, wmCall{})
		w.calls = w.calls[:cap(w.calls)]
	}
	c := &w.calls[w.n]
	w.n++
	c.frame = f
	if c.call != call {
		c.call = call
	}
}

func (w *wmWatching) pop() unsafe.Pointer {
	w.n--
	return w.calls[w.n].call
}

// owe notes that the i-th call has returned, with these results, and that those above it have
// been left: it can't be reported now. A panic leaves no call here, as none may begin.
func (w *wmWatching) owe(gp *g, i int, results []any) {
	for now := nanotime(); w.n > i; {
		call := w.pop()
		wmUnreported.Add(1)
		if w.n > i {
			w.owed = append(w.owed, wmOwed{call: call, at: now})
		} else {
			w.owed = append(w.owed, wmOwed{call, results, true, now})
		}
	}
	if gp.wm.unwound == 0 {
		gp.wm.unwound = wmOwes
	}
}

// pay reports the ends that are owed.
func (w *wmWatching) pay(gp *g) {
	for i := range w.owed {
		o := w.owed[i]
		w.owed[i] = wmOwed{}
		wmUnreported.Add(-1)
		w.late = max(nanotime()-o.at, 1)
		wmMute(gp, true)
		wmMonitor.Exit(o.call, o.results, o.returned)
		wmMute(gp, false)
	}
	w.owed, w.late = w.owed[:0], 0
}

// leave reports that the calls but the outermost n have been left by a panic or Goexit.
func (w *wmWatching) leave(gp *g, n int) {
	for w.n > n {
		call := w.pop()
		wmMute(gp, true)
		wmMonitor.Exit(call, nil, false)
		wmMute(gp, false)
	}
}

// reach reports the calls that must be over when one begins in the frame f: their frames lie where its
// frame is, or deeper. A function that is inlined into another one has the same token as that, and
// none is inlined into itself.
func (w *wmWatching) reach(gp *g, f WMFrame) {
	n := w.n
	for n > 0 && w.calls[n-1].frame.token() > f.token() {
		n--
	}
	for i := n - 1; i >= 0 && w.calls[i].frame.token() == f.token(); i-- {
		if w.calls[i].frame.site() == f.site() {
			n = i
		}
	}
	w.leave(gp, n)
}

// wmSettle reports the calls that a recovered panic has left, if one has left any, and ends that
// are owed.
func wmSettle(gp *g) {
	if gp.wm.unwound != 0 {
		wmSettleUnwound(gp)
	}
}

// wmRecovered is called where a function goes on that has recovered from a panic. Ends that are owed
// and nothing else are for the next hook: deferred calls may be about to release a monitor's lock.
func wmRecovered(gp *g) {
	if gp.wm.unwound != wmOwes {
		wmSettle(gp)
	}
}

func wmSettleUnwound(gp *g) {
	if !wmMayWait(gp, 0) {
		return
	}
	token, unwound := gp.wm.unwound-1, gp.wm.unwound != wmOwes
	gp.wm.unwound = 0
	w := gp.wm.watching
	w.pay(gp)
	if !unwound {
		return
	}
	n := w.n
	for n > 0 && w.calls[n-1].frame.token() > token {
		n--
	}
	// Of the calls in the frame that goes on only its own can be in progress still: those inlined into it are over.
	for n > 1 && w.calls[n-1].frame.token() == token && w.calls[n-2].frame.token() == token {
		n--
	}
	w.leave(gp, n)
}

// wmWatchedPanic reports a panic to the innermost watched call. Those that an earlier panic has
// left are over: it is running deferred calls of a function further out, one of which panics.
func wmWatchedPanic(gp *g, value any, goexit bool) {
	w := gp.wm.watching
	if gp.wm.flags&wmMuted != 0 || w == nil {
		return
	}
	wmSettle(gp)
	n := w.n
	for n > 0 && w.left(gp, n-1) {
		n--
	}
	w.leave(gp, n)
	if n > 0 {
		wmMute(gp, true)
		wmMonitor.Panic(w.calls[n-1].call, value, goexit)
		wmMute(gp, false)
	}
}

// left reports whether a panic that is running deferred calls has left the i-th call. That is so if
// its frame lies between the one whose deferred calls these are and the panic's own; or in the
// former, but for that frame's own call.
func (w *wmWatching) left(gp *g, i int) bool {
	token := w.calls[i].frame.token()
	for p := gp._panic; p != nil; p = p.link {
		at := wmToken(gp, uintptr(p.sp))
		if token > at && token < wmToken(gp, uintptr(p.startSP)) || token == at && i > 0 && w.calls[i-1].frame.token() == at {
			return true
		}
	}
	return false
}
