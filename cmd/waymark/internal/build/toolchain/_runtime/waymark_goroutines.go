// Package runtime, as waymark adds to it: goroutines that work for waymark.
//
// Their entry functions are of package runtime, which makes them system goroutines. Stack dumps and
// NumGoroutine leave them out. They are no reason to think that a deadlocked program is alive.
// Package runtime/metrics counts system goroutines; wmHideGoroutines takes these out.

package runtime

import "internal/runtime/atomic"

var wmGoroutines struct {
	created atomic.Int64
	alive   atomic.Int64
	blocked atomic.Int64 // as in system calls, in wmSleep and wmWatchdog; each has a thread
}

// WMGo runs f on a goroutine of its own, whose calls are not traced.
func WMGo(f func()) {
	wmNewGoroutine()
	go wmRun(f)
}

// wmNewGoroutine is called before each go statement of waymark's.
func wmNewGoroutine() {
	wmGoroutines.created.Add(1)
	wmGoroutines.alive.Add(1)
}

func wmRun(f func()) {
	getg().wm.flags |= wmOwn | wmAhead
	WMMute(true)
	f()
}

// WMLikeOthers has the calling goroutine wait for its turns as the program's do: it runs the program's code.
func WMLikeOthers() { getg().wm.flags &^= wmAhead }

// wmOnward counts how often waymark's goroutines were to give up their Ps at the end of a slice of time.
var wmOnward atomic.Uint32

// wmGoesOn has gp, which is to give up pp, go on with it soon if it is waymark's, and reports whether it does. On a busy
// machine a thread may have had its P for a slice of time, and hardly a processor. At the end of the queue that all Ps
// share gp would wait for all others there, maybe with a lock of the recorder's. A P with others of its own looks there once
// in 61 turns. So gp has another slice, seven times out of eight. Then it waits for one of the others: what it waits for
// may be theirs. So it does if it gives up its P by itself, as who marks for the garbage collector may. Who is in a hurry
// comes first anyway, and its coming is not the end of a slice.
func wmGoesOn(pp *p, gp *g, preempted bool) bool {
	const turns = 8
	if gp.wm.flags&wmAhead == 0 {
		return false
	}
	if !preempted || wmHurry.Load() <= 0 && wmOnward.Add(1)%turns == 0 {
		lock(&sched.lock)
		other := wmTakeOther()
		waits := other != nil || !runqempty(pp)
		if waits {
			wmComesFirst(gp)
			pp.wm.others = pp.schedtick
		}
		unlock(&sched.lock)
		if other != nil {
			runqput(pp, other, true)
		}
		if waits {
			return true
		}
	}
	pp.schedtick++ // else sysmon takes the slice for the one before, which is over
	pp.wm.onward++
	runqput(pp, gp, true)
	return true
}

// wmTakeOther takes the first goroutine that isn't waymark's from the global queue. nil: there is none. sched.lock is held.
func wmTakeOther() *g {
	own := wmTakeFirst()
	other := sched.runq.pop()
	own.pushBackAll(sched.runq)
	sched.runq = own
	return other
}

// wmTakeFirst takes waymark's goroutines from the head of the global queue. sched.lock is held.
func wmTakeFirst() gQueue {
	var own gQueue
	for !sched.runq.empty() && sched.runq.head.ptr().wm.flags&wmAhead != 0 {
		own.pushBack(sched.runq.pop())
	}
	return own
}

// wmComesFirst puts gp, which is waymark's, into the global queue, behind others that are. sched.lock is held.
func wmComesFirst(gp *g) {
	own := wmTakeFirst()
	own.pushBack(gp)
	own.pushBackAll(sched.runq)
	sched.runq = own
	wmHurry.Add(1)
}

// wmReadied puts gp, which is waymark's and has waited, into the global queue. It would be the next of a P, until that has
// another next one: then all others that are ready there come before it.
func wmReadied(gp *g) {
	lock(&sched.lock)
	wmComesFirst(gp)
	unlock(&sched.lock)
}

// wmLeavesStart reports whether the calling goroutine is waymark's, and others are about to start a garbage collection. Of
// many that want to start one, one does, and each of the others looks again when it has its turn.
func wmLeavesStart() bool { return getg().wm.flags&wmAhead != 0 && atomic.Load(&work.startSema) == 0 }

// WMTurn returns the same number until the calling goroutine, which is waymark's, gives up its P, or another goroutine has
// had a slice of time with that. One that goes on without a slice of its own, as who is woken and comes next, isn't seen.
func WMTurn() uint64 {
	pp := getg().m.p.ptr()
	return uint64(pp.id)<<32 | uint64(pp.schedtick-pp.wm.onward)
}

// wmHideGoroutines takes waymark's goroutines out of what runtime/metrics reports. It doesn't look at
// what they are doing: all that aren't blocked count as waiting, as most often they are.
func wmHideGoroutines(a *schedStatsAggregate) {
	alive, blocked := wmGoroutines.alive.Load(), wmGoroutines.blocked.Load()
	less := func(n *uint64, by int64) { *n -= min(*n, uint64(max(by, 0))) }
	less(&a.gTotal, alive)
	less(&a.gNonGo, blocked)
	less(&a.gWaiting, alive-blocked)
	less(&a.gCreated, wmGoroutines.created.Load())
	less(&a.threads, blocked+int64(wmPauses.thread.Load()))
}

// WMMute makes the calling goroutine invisible, or visible again when it has been
// called as often with false as with true.
func WMMute(on bool) { wmMute(getg(), on) }

func wmMute(gp *g, on bool) {
	if on {
		gp.wm.flags += wmMute1
		gp.wm.id = 0 // of no P: its next call takes the slow path
		gp.wm.counts = 0
		gp.slowCalls()
		wmSlowGather(gp)
	} else {
		gp.wm.flags -= wmMute1
	}
}

// wmPassMute mutes newg, which a muted goroutine is about to start: an observer may hand its work on. The
// goroutine of finalizers works for everybody. It runs on g0.
func wmPassMute(newg *g) {
	if !isSystemGoroutine(newg, false) {
		newg.wm.flags = wmMute1
	}
}

// wmWork calls f, which works for waymark, with the goroutine muted. f may take locks under which
// the program's calls of the same functions are reported, if package sync is instrumented.
func wmWork(f func()) {
	WMMute(true)
	defer WMMute(false)
	f()
}
