// Package runtime, as waymark adds to it: panics, Goexit, recovery, and the end of a goroutine.
//
// Package runtime calls these functions where its stack unwinds. Calls that a panic leaves run no exit.

package runtime

import "unsafe"

// wmOnPanic reports a panic that begins; gopanic calls it before any deferred call.
func wmOnPanic(gp *g, token uint32, e any) {
	wmOvertake(gp)
	if gp.hides() {
		e = WMMasked{}
	}
	wmWatchedPanic(gp, e, false)
	if gp.wm.strand != 0 {
		wmGatherEvent(gp, wmGatherPanic|uint64(token))
	}
	if gp.wm.flags&wmStarted != 0 && wm.on.Load() != 0 {
		if !wmCaptured.panics {
			wmEmit(gp, wmPanic|uint64(token), true, nil)
			return
		}
		e = wmPanicValue(e)
		if wmStringer != nil && gp.wm.flags&wmMuted == 0 && gp.bubble == nil { // as in wmAsTexts
			e = wmAsText(e)
		}
		wmEmit(gp, wmPanic|uint64(token), true, &wmValues{list: noescape(unsafe.Pointer(&e)), n: 1})
	}
}

// wmOnGoexit reports that runtime.Goexit begins.
func wmOnGoexit(gp *g, token uint32) {
	wmOvertake(gp)
	wmWatchedPanic(gp, nil, true)
	if gp.wm.strand != 0 {
		wmGatherEvent(gp, wmGatherGoexit|uint64(token))
	}
	if gp.wm.flags&wmStarted != 0 {
		wmEmit(gp, wmGoexit|uint64(token), true, nil)
	}
}

// wmOnGoexited is called when the deferred calls of a Goexit have run.
func wmOnGoexited(gp *g) {
	if w := gp.wm.watching; w != nil {
		gp.wm.unwound = 0
		w.pay(gp)
		if s := wmStackOf(gp); s != nil {
			wmLeave(gp, s.base(), false, wmClock())
		}
	}
}

// wmOnRecovery reports, on g0, that the frame whose stack pointer is at has recovered: deeper frames are over.
// gp goes on there, at sp; or in a Goexit that began before the panic, if that is sp, which then ends this frame.
func wmOnRecovery(gp *g, sp, at uintptr) {
	token, exits := wmToken(gp, at), at != sp
	untold := wmRecoverTimed(gp, token) // which may have events of calls that are over
	if gp.wm.flags&wmStarted != 0 {
		wmEmitFor(gp, wmRecover|uint64(token))
		if exits {
			wmEmitFor(gp, wmGoexit|uint64(token))
		}
	}
	if gp.wm.strand != 0 {
		wmGatherRecovery(gp, token)
		if exits {
			wmGatherEvent(gp, wmGatherGoexit|uint64(token))
		}
	}
	if untold && gp.wm.flags&wmMuted == 0 { // else it is a monitor that has recovered
		gp.wm.unwound = token + 1
		gp.slowCalls() // the next timed call takes the slow path, which settles that
	}
}

// wmOnEnd reports, on g0, that gp has ended. A g is used again for other goroutines.
func wmOnEnd(gp *g) {
	wmEndStack(gp) // which may have events
	if gp.wm.strand != 0 {
		wmEndStrands(gp)
	}
	if gp.wm.flags != 0 {
		if gp.wm.flags&wmStarted != 0 {
			wmEmitFor(gp, wmEnd)
		}
		if gp.wm.flags&wmOwn != 0 {
			wmGoroutines.alive.Add(-1)
		}
	}
	gp.wm.flags, gp.wm.id, gp.wm.stop.ran, gp.wm.made = 0, 0, 0, wmMadeSince{}
	gp.wm.watching, gp.wm.above, gp.wm.unwound = nil, nil, 0
}
