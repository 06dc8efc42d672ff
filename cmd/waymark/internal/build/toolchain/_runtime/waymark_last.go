// Package runtime, as waymark adds to it: last words. They are a report that is printed when a
// signal, an unrecovered panic or a fatal error ends the program. None of the program's code runs
// any more then.
//
// A goroutine, the reporter, waits for the end, blocked in the kernel as in a system call. There it
// can be woken from anywhere: from a signal's handler, and from a thread whose locks will never be
// released. The reporter may use its thread as a clock as well, for regular work. Neither its thread
// nor the watchdog's counts as running, so a deadlock is still found.
//
// Nothing here may keep the program from ending: who ends it waits no longer than wmLastPatience, and
// wmSecond, which waits for ever, is not who ends it.

package runtime

import (
	"internal/goos"
	"internal/runtime/atomic"
)

var wmLast struct {
	awaited  atomic.Bool   // somebody has last words
	reason   atomic.Uint32 // why the program ends; 0: it doesn't
	killed   atomic.Int64  // when the signal came that ends the program
	said     atomic.Bool
	stuck    atomic.Bool // the world can't be stopped: the dying thread has a P or a lock for ever
	panicked guintptr    // the goroutine whose panic ends the program
	reporter *g
	say      func()
	perLock  int32 // what a lock adds to m.locks, which differs between releases
	pid      int   // of the process that ends: a copy of it (fork) has no last words
	note     note  // wakes the reporter, once in the life of the program
	watch    note  // wakes the watchdog, the same
}

const (
	wmFatal = 1 << 31 // wmLast.reason: by itself. Else it is a signal.

	// After this many ms the program dies without the report. The reporter may need something that
	// died with another thread, or be writing where nobody reads.
	wmLastPatience = 2000

	// The signal that ends the program is ignored for so many ns until the last words are said. It comes
	// twice if a group of processes gets it: waymark run, which passes it on, and the program itself.
	wmTwice = 1e9

	// Handlers of signals can wake notes that are made of futexes. Elsewhere the reporter looks from
	// time to time.
	wmWakes = goos.IsLinux+goos.IsFreebsd+goos.IsDragonfly > 0
	wmLook  = 100e6 // ns
)

// WMGoLast is WMGo for a function that calls WMAwait again and again, and says the last words. From
// now on the program's end waits for them.
func WMGoLast(f func()) {
	wmLast.pid = wmPID()
	wmLast.say = f
	mp := acquirem()
	before := mp.locks
	lock(&wm.lock)
	wmLast.perLock = mp.locks - before
	unlock(&wm.lock)
	releasem(mp)
	wmLast.awaited.Store(true)
	wmNewGoroutine()
	go wmReporter()
	wmNewGoroutine()
	go wmWatchdog()
}

// The entry functions of both make them system goroutines.

func wmReporter() {
	wmLast.reporter = getg()
	wmRun(wmLast.say)
}

// WMAwait waits for ns nanoseconds, without an end if ns is negative, and reports whether the program
// is about to end. Then its caller, the only one, on a system goroutine, prints the last words and
// calls WMSaid.
func WMAwait(ns int64) (ending bool) {
	for wmLast.reason.Load() == 0 {
		part := ns
		if !wmWakes && (ns < 0 || ns > wmLook) {
			part = wmLook
		}
		wmSleep(&wmLast.note, part)
		if part == ns {
			break
		}
		if ns > 0 {
			ns -= part
		}
	}
	return wmLast.reason.Load() != 0
}

// WMSaid lets the program end.
func WMSaid() {
	wmLast.said.Store(true)
	if sig := wmLast.reason.Load(); sig != wmFatal {
		wmRaise(sig)
	}
}

// wmPatient waits for the last words.
func wmPatient() {
	for i := 0; i < wmLastPatience && !wmLast.said.Load(); i++ {
		usleep(1000)
	}
}

// wmEnding has the last words said, and reports whether the reporter has begun because of this call.
//
//go:nosplit
//go:nowritebarrierrec
func wmEnding(reason uint32) bool {
	if !wmLast.awaited.Load() || wmPID() != wmLast.pid || !wmLast.reason.CompareAndSwap(0, reason) {
		return false
	}
	if wmWakes {
		notewakeup(&wmLast.note)
		notewakeup(&wmLast.watch)
	}
	return true
}

// wmOnKill is called by the handler of a signal that ends the program. If it returns true, the program
// goes on until the last words are said, and the signal comes again.
//
//go:nosplit
//go:nowritebarrierrec
func wmOnKill(sig uint32) bool {
	now := nanotime()
	wmLast.killed.CompareAndSwap(0, now)
	return wmEnding(sig) || wmLast.reason.Load() == sig && !wmLast.said.Load() && now-wmLast.killed.Load() < wmTwice
}

// wmLastWords has the last words said, and waits for them, also if they are being said already. It is
// called on g0 or in a signal's handler, when the program can't go on.
func wmLastWords() {
	if !wmHasWords() {
		return
	}
	// While panicking is set, main does not end the program with a status of 0, and no deadlock is
	// found once more. The collector, which would wait for this thread, doesn't begin.
	panicking.Add(1)
	suspended := wmHandOff()
	wmPatient()
	if suspended {
		casgstatus(getg().m.curg, _Gwaiting, _Grunning)
	}
	panicking.Add(-1)
}

// wmSecond is called on g0 before the thread waits for the lock of those who die of a fatal error. If
// the last words are being said, the program ends as soon as they are: by the thread that had them
// said, or by the signal that was held back. This one only waits. It doesn't count as panicking:
// then the other one would leave the end to it. And it does not go on, without a P.
func wmSecond() {
	if wmLast.reason.Load() != 0 && wmHasWords() {
		wmHandOff()
		lock(&deadlock)
		lock(&deadlock)
	}
}

// wmHasWords reports whether there are last words for which the calling thread can wait.
func wmHasWords() bool {
	mp := getg().m
	return wmLast.awaited.Load() && !wmLast.said.Load() && (mp.curg == nil || mp.curg != wmLast.reporter) && mp.dying == 0 && mp.mallocing == 0 && wmPID() == wmLast.pid
}

// wmHandOff has the last words said, and gives away the P of a thread that waits for them: it may be the
// only one. It reports whether the thread's goroutine counts as suspended from now on.
func wmHandOff() (suspended bool) {
	gp := getg()
	mp := gp.m
	held := int32(0) // locks that are held to print
	if mp.printlock > 0 {
		held = wmLast.perLock
		wmLast.stuck.Store(true) // another thread may wait for that one, with its P
	}
	pp := mp.p.ptr()
	can := pp != nil && mp.locks == held && gp == mp.g0 && pp.status == _Prunning
	if pp != nil && !can {
		wmLast.stuck.Store(true)
	}
	wmEnding(wmFatal) // who runs on that P next sees it, and doesn't wait for a lock with the P: wmSecond
	if can {
		if mp.curg != nil && readgstatus(mp.curg) == _Grunning {
			// The collector may look at its stack, rather than wait for it.
			casGToWaitingForSuspendG(mp.curg, _Grunning, waitReasonStoppingTheWorld)
			suspended = true
		}
		handoffp(releasep())
	}
	return suspended
}

var wmExec func()

// WMBeforeExec has f called before another program takes this one's place in the process. That may
// still fail.
func WMBeforeExec(f func()) { wmExec = f }

func wmOnExec() {
	if wmExec != nil {
		wmWork(wmExec)
	}
}

// wmOnFatal is called when the program is about to print why it dies: of a panic, a fatal error or
// SIGQUIT. The ring stops turning, so that other goroutines do not overwrite what led there while
// stacks are printed. Nothing else need be done, because the arena outlives the process. wmOnFatal
// may run in a signal handler, in any state of the runtime: it takes no lock that may be held.
func wmOnFatal() {
	wm.frozen.Store(true)
	if wm.on.Load() != 0 {
		wmPair()
	}
	// A fatal error or a signal may come while deferred calls of a panic run. The panic may be recovered.
	mp := getg().m
	if gp := mp.curg; mp.throwing == throwTypeNone && gp != nil && gp._panic != nil && !gp._panic.goexit {
		wmLast.panicked.set(gp)
	}
	wmLastWords()
}
