// Package runtime, as waymark adds to it: ends that monitors are told of later than they happen.
//
// Monitors may wait, as any code may. A goroutine that keeps its processor to itself (procPin, as
// in sync.Pool) must not wait, so it can't call monitors. Calls that begin there are counted
// instead. Ends are owed until the goroutine comes to a hook where it may wait. Calls that a
// recovered panic has left are known on the system stack, where no monitor can run.

package runtime

import "internal/runtime/atomic"

// A wmOwed is the end of a call that could not be reported when it happened.
type wmOwed struct {
	call      watchedCall
	results   []any
	recovered bool
	returned  bool
	at        int64 // nanotime
}

// wmOwes in g.wm.unwound says that the goroutine owes ends and nothing else: no token is as great.
const wmOwes = ^uint32(0)

// wmUnreported counts what could not be reported to monitors, with what goroutines owe.
var wmUnreported atomic.Uint64

// WMUnreported returns the number of calls whose beginning or end was not reported to
// monitors. The goroutine must not wait where it happened.
func WMUnreported() uint64 { return wmUnreported.Load() }

// WMLate tells the monitor, while its Exit runs, how many ns ago the call ended.
func WMLate() int64 {
	if w := getg().wm.watching; w != nil {
		return w.late
	}
	return 0
}

// owe notes an end.
func (w *wmWatching) owe(gp *g, o wmOwed) {
	wmUnreported.Add(1)
	w.owed = append(w.owed, o)
	if gp.wm.unwound == 0 {
		gp.wm.unwound = wmOwes
	}
}

// wmOweExit notes that the innermost call has returned.
//
//go:noinline
func wmOweExit(gp *g, f WMFrame, v *wmValues) {
	w, call := gp.wm.watching.ended(gp)
	o := wmOwed{call: call, recovered: w.event.Recovered, returned: !f.left(gp), at: nanotime()}
	if o.returned {
		o.results = v.copies(gp, &w.slabs)
	}
	w.owe(gp, o)
}

// pay reports the ends that are owed.
func (w *wmWatching) pay(gp *g) {
	for i := range w.owed {
		o := w.owed[i]
		w.owed[i] = wmOwed{}
		if o.call == nil {
			continue // a monitor that was told of it has ended the goroutine
		}
		wmUnreported.Add(-1)
		w.late = max(nanotime()-o.at, 1)
		w.event.set(o.results)
		w.event.Recovered = o.recovered
		w.exit(gp, o.call, nil, o.returned)
	}
	w.owed, w.late = w.owed[:0], 0
}

// wmSettle reports the calls that a recovered panic has left, if one has left any, and ends that
// are owed. After it no call on the stack has been left by a recovered panic.
func wmSettle(gp *g) {
	if gp.wm.unwound != 0 {
		wmSettleUnwound(gp)
	}
}

// wmRecovered is called where a function goes on that has recovered from a panic. Ends that are owed
// and nothing else are for the next hook: deferred calls may be about to release a monitor's lock.
func wmRecovered(gp *g) {
	if gp.wm.unwound != wmOwes && wmMayWait(gp, 0) {
		wmSettleUnwound(gp)
	}
}

func wmSettleUnwound(gp *g) {
	unwound := gp.wm.unwound
	w := gp.wm.watching
	switch {
	case wmMayWait(gp, 0):
		gp.wm.unwound = 0
		w.pay(gp)
	case len(w.owed) > 0:
		gp.wm.unwound = wmOwes
	default:
		gp.wm.unwound = 0
	}
	if unwound != wmOwes {
		wmLeave(gp, wmStackOf(gp).goOn(gp.wm.top, unwound-1), true, wmClock())
	}
}
