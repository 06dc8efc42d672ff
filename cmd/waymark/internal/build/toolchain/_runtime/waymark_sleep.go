//go:build !wasm

package runtime

// wmSleep waits for a note, as notetsleepg does, on a thread that checkdead takes for idle. The
// program may be deadlocked although somebody waits to say its last words.
func wmSleep(n *note, ns int64) {
	wmGoroutines.blocked.Add(1)
	entersyscallblock()
	systemstack(func() {
		wmIdle()
		notetsleep(n, ns)
		wmBusy() // before it waits for a P, for which it may count as idle
	})
	exitsyscall()
	wmGoroutines.blocked.Add(-1)
}

// wmWatchdog sees to it that a signal that was held back ends the program, although the last words are not said in time. It
// doesn't need a P for that: the world may be about to stop for ever.
func wmWatchdog() {
	getg().wm.flags |= wmOwn
	wmGoroutines.blocked.Add(1)
	entersyscallblock()
	systemstack(func() {
		wmIdle()
		ns := int64(-1)
		if !wmWakes {
			ns = wmLook
		}
		for wmLast.reason.Load() == 0 {
			notetsleep(&wmLast.watch, ns)
		}
		if sig := wmLast.reason.Load(); sig != wmFatal {
			if wmPatient(); !wmLast.said.Load() {
				wmDie(sig)
			}
		}
		wmBusy()
	})
	exitsyscall()
	wmGoroutines.blocked.Add(-1)
}

// wmIdle has checkdead take the thread for idle.
func wmIdle() {
	lock(&sched.lock)
	sched.nmidlelocked++
	last := mcount()-sched.nmidle-sched.nmidlelocked-sched.nmsys <= 0
	unlock(&sched.lock)
	if last {
		// Another thread finds out, when it finds nothing to do, so that this one isn't the one that dies.
		startm(nil, false, false)
	}
}

func wmBusy() {
	lock(&sched.lock)
	sched.nmidlelocked--
	unlock(&sched.lock)
}
