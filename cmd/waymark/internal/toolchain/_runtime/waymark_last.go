// Package runtime, as waymark adds to it: last words, a report that is printed when the program ends in ways that
// run none of its code any more: by a signal, a panic that nobody recovers, a fatal error.
//
// A goroutine waits for that, blocked in the kernel as in a system call, because it can be woken from anywhere there:
// from a signal's handler and from a thread whose locks will never be released. It may use its thread as a clock as well, for
// what is to be done from time to time. Neither that thread nor the watchdog's counts as running: a deadlock is still found.
//
// Nothing here may keep the program from ending: what takes longer than wmLastPatience is not waited for.

package runtime

import (
	"internal/goos"
	"internal/runtime/atomic"
)

var wmLast struct {
	awaited  atomic.Bool   // somebody has last words
	reason   atomic.Uint32 // why the program ends; 0: it doesn't
	said     atomic.Bool
	stuck    atomic.Bool // the world can't be stopped: the dying thread can't give up its P, or another one may wait for a lock of its
	panicked guintptr    // the goroutine whose panic ends the program
	reporter *g
	say      func()
	perLock  int32 // what a lock adds to m.locks, which differs between releases
	pid      int   // of the process that they are about: a copy of it (fork) has none
	note     note  // wakes the reporter, once in the life of the program
	watch    note  // wakes the watchdog, the same
}

const (
	wmFatal = 1 << 31 // wmLast.reason: by itself. Else it is a signal.

	// After so many ms the program dies without the report: who prints it may need what died with another thread, or be
	// writing where nobody reads.
	wmLastPatience = 2000

	// Where notes can be woken by handlers of signals: those made of futexes. Elsewhere who waits looks from time to time.
	wmWakes = goos.IsLinux+goos.IsFreebsd+goos.IsDragonfly > 0
	wmLook  = 100e6 // ns
)

// WMGoLast is WMGo for a function that calls WMAwait again and again, and says the last words. They are waited for from now on.
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

// WMAwait waits until ns are over, or without an end if it is negative, and tells whether the program is about to end. The caller
// is the only one, on a system goroutine. It prints its last words then, and calls WMSaid.
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

// wmEnding has the last words said, and tells whether somebody is going to, as yet nobody has.
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

// wmOnKill is told by the handler of signals of one that ends the program. If it gives true the program goes on
// until the last words are said, and the signal comes again.
//
//go:nosplit
//go:nowritebarrierrec
func wmOnKill(sig uint32) bool { return wmEnding(sig) }

// wmLastWords is called on g0 or in a signal's handler, when the program can't go on: it has the last words said, and waits for them, also
// if they are being said already.
func wmLastWords() {
	gp := getg()
	mp := gp.m
	if !wmLast.awaited.Load() || wmLast.said.Load() || mp.curg != nil && mp.curg == wmLast.reporter || mp.dying != 0 || mp.mallocing != 0 || wmPID() != wmLast.pid {
		return
	}
	// main waits for who is panicking, and doesn't end the program with a status of 0; no deadlock is found once more, and
	// the collector doesn't begin, which would wait for this thread.
	panicking.Add(1)
	held := int32(0) // locks that are held to print
	if mp.printlock > 0 {
		held = wmLast.perLock
		wmLast.stuck.Store(true) // another thread may wait for that one, with its P
	}
	suspended := false
	switch pp := mp.p.ptr(); {
	case pp == nil:
	case mp.locks == held && gp == mp.g0 && pp.status == _Prunning:
		if mp.curg != nil && readgstatus(mp.curg) == _Grunning {
			// The collector may look at its stack, rather than wait for it.
			casGToWaitingForSuspendG(mp.curg, _Grunning, waitReasonStoppingTheWorld)
			suspended = true
		}
		handoffp(releasep()) // it may be the only one
	default:
		wmLast.stuck.Store(true)
	}
	wmEnding(wmFatal)
	wmPatient()
	if suspended {
		casgstatus(mp.curg, _Gwaiting, _Grunning)
	}
	panicking.Add(-1)
}

var wmExec func()

// WMBeforeExec has f called before another program takes this one's place in the process, which may still fail.
func WMBeforeExec(f func()) { wmExec = f }

func wmOnExec() {
	if wmExec != nil {
		wmWork(wmExec)
	}
}

// wmOnFatal is called when the program is about to print why it dies: of a panic, a
// fatal error or SIGQUIT. The ring stops turning, so that what other goroutines
// do while stacks are printed does not overwrite what led there; nothing else need be
// done, because the arena outlives the process. This may run in a signal handler,
// in whatever state the runtime is: it takes no lock that may be held.
func wmOnFatal() {
	wm.frozen.Store(true)
	if wm.on.Load() != 0 {
		wmPair()
	}
	// A fatal error or a signal may come while deferred calls of a panic run, which is perhaps recovered.
	mp := getg().m
	if gp := mp.curg; mp.throwing == throwTypeNone && gp != nil && gp._panic != nil && !gp._panic.goexit {
		wmLast.panicked.set(gp)
	}
	wmLastWords()
}
