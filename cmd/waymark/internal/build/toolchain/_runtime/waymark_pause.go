// Package runtime, as waymark adds to it: pauses that end in time although all Ps are busy.
//
// What keeps a budget runs at times that it has chosen: calls are recorded for 0.1 ms, in a window. On a
// busy P its goroutine would wait for up to 10 ms, until the scheduler takes the P from who runs, and
// calls would be recorded until then. So a thread without a P, as sysmon is one, ends pauses. It puts the
// goroutine first in the global queue, and preempts who has the P. The P stays with its thread.

package runtime

import (
	"internal/goarch"
	"internal/goos"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmPausing is a goroutine that pauses.
type wmPausing struct {
	_    sys.NotInHeap
	gp   guintptr
	due  int64   // nanotime
	word uintptr // see WMPause
	next *wmPausing
}

// wmPauses is what the thread that ends pauses knows.
var wmPauses struct {
	lock    mutex
	thread  atomic.Uint32 // 1: it has been started
	awaited atomic.Int32  // of the goroutines, those that the program may wait for
	sleeps  bool          // until note
	note    note
	first   *wmPausing // in the order of their ends
	spare   *wmPausing
}

// wmHurry is how often a P is to look at the global queue first: once for each goroutine that was put there.
var wmHurry atomic.Int32

// WMPause waits for ns nanoseconds, or until WMUnpause is called for word, which may be nil. It does not wait if word has
// another value. The caller is a goroutine of WMGo. When time is over it runs soon, although all Ps may be busy. awaited
// says that the program may wait for what the caller does next: meanwhile it isn't deadlocked. WMPause returns true,
// but where there are no threads it returns false at once.
func WMPause(ns int64, word *uint32, value uint32, awaited bool) bool {
	if goarch.IsWasm == 1 {
		return false
	}
	if wmPauses.thread.CompareAndSwap(0, 1) {
		systemstack(func() { newm(wmEndPauses, nil, -1) })
	}
	lock(&wmPauses.lock)
	if word != nil && atomic.Load(word) != value {
		unlock(&wmPauses.lock)
		return true
	}
	p := wmPauses.spare
	if p == nil {
		systemstack(func() { p = (*wmPausing)(persistentalloc(unsafe.Sizeof(*p), 0, &memstats.other_sys)) })
	} else {
		wmPauses.spare = p.next
	}
	p.gp.set(getg())
	p.due, p.word = nanotime()+min(ns, 1<<62), uintptr(unsafe.Pointer(word))
	at := &wmPauses.first
	for *at != nil && (*at).due <= p.due {
		at = &(*at).next
	}
	p.next, *at = *at, p
	if wmPauses.first == p && wmPauses.sleeps {
		wmPauses.sleeps = false
		notewakeup(&wmPauses.note)
	}
	if awaited {
		wmPauses.awaited.Add(1)
	}
	goparkunlock(&wmPauses.lock, waitReasonSleep, traceBlockSleep, 1)
	if awaited {
		wmPauses.awaited.Add(-1)
	}
	KeepAlive(word)
	return true
}

// WMUnpause ends the pauses that wait for word, whose value has changed.
func WMUnpause(word *uint32) {
	var list gList
	lock(&wmPauses.lock)
	for at := &wmPauses.first; *at != nil; {
		if (*at).word == uintptr(unsafe.Pointer(word)) {
			list.push(wmTakePausing(at))
		} else {
			at = &(*at).next
		}
	}
	unlock(&wmPauses.lock)
	for !list.empty() {
		wmWake(list.pop())
	}
}

// wmTakePausing takes a goroutine off the list. The caller has the lock.
func wmTakePausing(at **wmPausing) *g {
	p := *at
	*at = p.next
	p.next, wmPauses.spare = wmPauses.spare, p
	return p.gp.ptr()
}

// wmAwaits reports whether a pause will end for which the program may wait.
func wmAwaits() bool { return wmPauses.awaited.Load() != 0 }

// wmEndPauses is the thread.
//
//go:nowritebarrierrec
func wmEndPauses() {
	lock(&sched.lock)
	sched.nmsys++ // it is no reason to think that the program is alive
	checkdead()
	unlock(&sched.lock)
	for {
		lock(&wmPauses.lock)
		p, ns := wmPauses.first, int64(-1)
		if p != nil {
			ns = p.due - nanotime()
		}
		if p != nil && ns <= 0 {
			gp := wmTakePausing(&wmPauses.first)
			unlock(&wmPauses.lock)
			wmReadyFirst(gp)
			continue
		}
		brief := goos.IsWindows == 1 && 0 < ns && ns < 1e6 // notes are coarse there
		wmPauses.sleeps = !brief
		noteclear(&wmPauses.note)
		unlock(&wmPauses.lock)
		if brief {
			usleep(uint32(ns+999) / 1000)
		} else {
			notetsleep(&wmPauses.note, ns)
		}
	}
}

// wmReadyFirst makes a parked goroutine ready, as the first of all, as injectglist does it for many. It doesn't wake
// sysmon either, which sleeps while all Ps are idle: what runs after a pause ends soon.
func wmReadyFirst(gp *g) {
	trace := traceAcquire()
	if wmWaits.Load() {
		wmOnReady(gp, nil)
	}
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, 0)
		traceRelease(trace)
	}
	mp := acquirem() // see startm
	lock(&sched.lock)
	globrunqputhead(gp)
	wmHurry.Add(1)
	pp, _ := pidlegetSpinning(0)
	if pp != nil {
		startm(pp, false, true)
	}
	unlock(&sched.lock)
	releasem(mp)
	if pp == nil {
		wmPreempt()
	}
}

// wmPreempt has a goroutine give up its P. The caller has no P.
func wmPreempt() {
	lock(&allpLock)
	for _, pp := range allp {
		// A P that only marks garbage would go on with that.
		if pp != nil && atomic.Load(&pp.status) == _Prunning && pp.gcMarkWorkerMode != gcMarkWorkerDedicatedMode && preemptone(pp) {
			break
		}
	}
	unlock(&allpLock)
}

// wmLookFirst has a P look at the global queue before its own, if that is still to be done.
func wmLookFirst(pp *p) {
	if n := wmHurry.Load(); n <= 0 || pp.wm.others == pp.schedtick || !wmHurry.CompareAndSwap(n, n-1) {
		return
	}
	const every = 61 // ticks it does so anyway, see findRunnable
	if rest := pp.schedtick % every; rest != 0 {
		pp.schedtick += every - rest
	}
}
