// Package runtime, as waymark adds to it: when goroutines run, are ready, and wait.
//
// A goroutine that stops running says so with a record Parked, if there is room in its P's chunk. When
// it runs again a record Waited says all of it: why, for how long, since when it was ready, and who made
// it ready. So nothing is missing where the first one found no room, and there only the end of the
// recording can't tell what the goroutine waits for. The hooks that stop a goroutine run where locks of
// the runtime's may be held, and so take none.
//
// Goroutines without an event yet are left alone: they have no calls.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// wmWaits tells whether the recording has these records. Each switch of a goroutine reads it.
var wmWaits atomic.Bool

// Words of these records, see waymark_format.go.
const (
	wmParked = wmFirstWord | wmCodeParked<<wmCodeShift // with the reason
	wmWaited = wmFirstWord | wmCodeWaited<<wmCodeShift // with the reason and the waker; behind it is a wmPause
	wmVoid   = wmFirstWord | wmCodeVoid<<wmCodeShift   // it was a Parked, and nobody needs it any more
)

// A wmPause is how long a goroutine did not run, in ticks, and for how many of them, the last ones, it was
// ready. Readers of the arena don't take it for a record: no time is as great as a clock.
type wmPause struct{ total, ready uint64 }

// A wmStop is what a goroutine that doesn't run waits for.
type wmStop struct {
	since  uint64 // clock; 0 of one that runs
	ready  uint64 // clock when somebody made it ready, 0 before that, or if nobody knows
	waker  uint64 // who did: the goroutine's id; 0 is a timer, the poller or the scheduler
	reason uint32
	held   bool    // it waits for room for an event: see wmHold
	parked uintptr // where its record Parked is, or was; 0 if there is none
}

// WMWaits says whether recordings have records of waiting goroutines, before WMStart.
func WMWaits(on bool) { wmWaits.Store(on) }

// wmOnPark notes, on g0, that gp, which still has its P, stops running. Locks may be held.
func wmOnPark(gp *g, reason uint64) {
	w := &gp.wm.stop
	w.since = 0
	if gp.wm.flags&wmStarted == 0 || w.held || wm.on.Load() == 0 {
		return
	}
	now := wmClock()
	w.since, w.ready, w.waker, w.reason, w.parked = now, 0, 0, uint32(reason), 0
	pp := gp.m.p.ptr()
	if at := pp.wm.pos & (wmChunkSize - 1); at == 0 || at+2*wmRecordSize > wmChunkSize {
		return
	}
	wmSwitchTo(pp, gp, now)
	w.parked = pp.wm.pos
	wmPut(pp, now, wmParked|reason)
}

// wmOnYield notes, on g0, that gp stops running although it could go on.
func wmOnYield(gp *g) {
	wmOnPark(gp, wmWaitNone)
	gp.wm.stop.ready = gp.wm.stop.since
}

// wmOnReady notes, on g0, that gp may run again. by is who saw to it, nil if that is no goroutine.
func wmOnReady(gp, by *g) {
	w := &gp.wm.stop
	if w.since == 0 {
		return
	}
	w.ready = wmClock()
	if by != nil {
		w.waker = by.goid
	}
}

// wmOnRun reports, on g0, that gp runs again, which has its P.
//
//go:yeswritebarrierrec
func wmOnRun(gp *g) {
	w := &gp.wm.stop
	since := w.since
	w.since = 0
	if since == 0 || gp.wm.flags&wmStarted == 0 || wm.on.Load() == 0 {
		return
	}
	pp := getg().m.p.ptr()
	w.unpark(pp, since)
	if need := 3; wmRoom(pp) < need && !wmRefill(pp, true) {
		if wm.open && wm.on.Load() != 0 {
			pp.wm.lost++
		}
		return
	}
	now := wmClock()
	pause := wmPause{total: now - min(since, now)} // clocks of CPUs may differ
	if w.ready != 0 {
		pause.ready = min(now-min(w.ready, now), pause.total)
	}
	wmSwitchTo(pp, gp, now)
	wmPutWaited(pp, now, uint64(w.reason)|w.waker<<wmWakerShift&wmValueMask, pause)
}

// unpark takes back the record Parked, if it is in the chunk that pp fills: the record Waited says the
// same, and the encoder leaves out what is void. In a chunk that has been used again there is another
// record in its place.
func (w *wmStop) unpark(pp *p, since uint64) {
	if w.parked == 0 || (w.parked^(pp.wm.pos-1))&^(wmChunkSize-1) != 0 {
		return
	}
	if r := (*wmRecord)(unsafe.Pointer(w.parked)); r.clock == since && r.word == wmParked|uint64(w.reason) {
		r.word = wmVoid
	}
}

// wmPutWaited writes a record Waited with that value. There is room for two.
func wmPutWaited(pp *p, now, value uint64, pause wmPause) {
	*(*wmPause)(add(unsafe.Pointer(pp.wm.pos), wmRecordSize)) = pause
	wmPut(pp, now, wmWaited|value)
	pp.wm.pos += wmRecordSize
}

// wmHold is wmWait, and notes when gp, which is about to write an event, began to wait. Of all the times
// that it waits until there is room there is one record Waited, where there is room: the chunks that are
// kept for the scheduler's records would be used up by those of goroutines that are woken in vain.
func wmHold(gp *g, woken bool, held *uint64) bool {
	if !wmWaits.Load() || gp.wm.flags&wmStarted == 0 {
		return wmWait(woken)
	}
	if *held == 0 {
		*held = wmClock()
	}
	gp.wm.stop.held = true
	woken = wmWait(woken)
	gp.wm.stop.held = false
	return woken
}

// wmReserved returns how many chunks are for callers that can't wait. Before they have to wait, 10,000
// goroutines write a record each that they run again.
func wmReserved() int {
	if wmWaits.Load() {
		return 2 * wmReserve
	}
	return wmReserve
}

// wmSwitchTo writes that what follows on pp is gp's, unless that is known. There is room.
func wmSwitchTo(pp *p, gp *g, now uint64) {
	if pp.wm.last == gp.goid {
		return
	}
	wmPut(pp, now, wmGo|gp.goid&wmValueMask)
	pp.wm.last = gp.goid
	pp.wm.goid = ^uint64(0)
	if gp.wm.id != 0 {
		pp.wm.goid = gp.wm.id
	}
}

// wmOnSyscallEnd is wmOnRun on gp's stack, which must not grow.
//
//go:nosplit
func wmOnSyscallEnd(gp *g) {
	if gp.wm.stop.since != 0 {
		systemstack(func() { wmOnRun(gp) })
	}
}

// wmReason returns why gp is about to park.
func wmReason(gp *g) uint64 {
	switch gp.waitreason {
	case waitReasonChanReceive, waitReasonSynctestChanReceive:
		if s := gp.waiting; s != nil && s.c.get() != nil && s.c.get().timer != nil {
			return wmWaitTimer
		}
		return wmWaitChannel
	case waitReasonChanSend, waitReasonSynctestChanSend, waitReasonChanReceiveNilChan, waitReasonChanSendNilChan:
		return wmWaitChannel
	case waitReasonSelect, waitReasonSelectNoCases, waitReasonSynctestSelect:
		return wmWaitSelect
	case waitReasonSemacquire, waitReasonSyncCondWait, waitReasonSyncMutexLock, waitReasonSyncRWMutexRLock,
		waitReasonSyncRWMutexLock, waitReasonSyncWaitGroupWait, waitReasonSynctestWaitGroupWait:
		return wmWaitLock
	case waitReasonIOWait:
		return wmWaitNetwork
	case waitReasonSleep:
		return wmWaitSleep
	case waitReasonGCAssistMarking, waitReasonGCAssistWait, waitReasonGCSweepWait, waitReasonGarbageCollection,
		waitReasonGarbageCollectionScan, waitReasonWaitForGCCycle, waitReasonGCWeakToStrongWait, waitReasonGCMarkTermination:
		return wmWaitGC
	case waitReasonCoroutine:
		return wmWaitCoroutine
	}
	return wmWaitOther
}
