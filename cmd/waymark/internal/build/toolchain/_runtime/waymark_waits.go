// Package runtime, as waymark adds to it: when goroutines run, are ready, and wait.
//
// A goroutine that stops running says so with a record Parked, if there is room in its P's chunk.
// When it runs again a record Waited says all of it: why, for how long, since when it was ready,
// and who made it ready. So nothing is missing where Parked found no room. Only the end of the
// recording can't tell there what the goroutine waits for. The hooks that stop a goroutine run
// where locks of the runtime's may be held, and so take none.
//
// Neither can a goroutine wait for room when it runs again. Where there is none, the g keeps what the
// record would say until the goroutine's next event, which may wait and writes both.
//
// Goroutines without an event yet are left alone: they have no calls. Only how long a new one was ready
// before it ran is kept, for when it has one.

package runtime

import (
	"internal/abi"
	"internal/goos"
	"internal/runtime/atomic"
	"unsafe"
)

// wmWaits tells whether switches of goroutines are of interest. Each of them reads it.
var wmWaits atomic.Bool

// wmWaitRecords tells whether the recording has these records.
var wmWaitRecords bool

// Words of these records, see waymark_format.go.
const (
	wmParked = wmFirstWord | wmCodeParked<<wmCodeShift // with the reason
	wmWaited = wmFirstWord | wmCodeWaited<<wmCodeShift // with the reason and the waker; behind it is a wmPause
	wmLate   = wmFirstWord | wmCodeLate<<wmCodeShift   // as Waited; behind the wmPause is since when it has run
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
	fresh  bool    // it is new, and since when that is
	parked uintptr // where its record Parked is, or was; 0 if there is none

	// What it has waited for and there was no record of yet: all its waits since its latest event, or before
	// its first.
	ran     uint64 // clock when it ran again after the last one; 0 if there is none
	owed    wmPause
	more    uint64 // how many there are besides one
	longest uint64 // how long the longest was
	why     uint64 // the value of the record: of the longest
}

// WMWaits turns the recording of goroutine states on or off, before WMStart.
func WMWaits(on bool) {
	if on == wmWaitRecords {
		return
	}
	stw := stopTheWorld(stwReadMemStats)
	wmWaitRecords = on
	wmSetWaits()
	startTheWorld(stw)
}

// wmSetWaits sets wmWaits while the world is stopped. What goroutines note of themselves is old when that
// begins.
func wmSetWaits() {
	on := wmWaitRecords || wmWaitTimes
	if on && !wmWaits.Load() {
		forEachGRace(func(gp *g) { gp.wm.stop.since = 0 })
	}
	wmWaits.Store(on)
}

// wmOnPark notes, on g0, that gp, which still has its P, stops running. Locks may be held.
func wmOnPark(gp *g, reason uint64) {
	w := &gp.wm.stop
	w.since, w.fresh = 0, false
	recorded := wmWaitRecords && gp.wm.flags&wmStarted != 0 && !w.held && wm.on.Load() != 0
	if !recorded && !gp.timesCalls() {
		return
	}
	now := wmClock()
	w.since, w.ready, w.waker, w.reason, w.parked = now, 0, 0, uint32(reason), 0
	if !recorded {
		return
	}
	pp := gp.m.p.ptr()
	if wmRoom(pp) < 2+w.owes() {
		return
	}
	wmSwitchTo(pp, gp, now)
	w.putOwed(pp, now)
	w.parked = pp.wm.pos
	wmPut(pp, now, wmParked|reason)
}

// wmOnYield notes, on g0, that gp stops running although it could go on.
func wmOnYield(gp *g) {
	wmOnPark(gp, wmWaitNone)
	gp.wm.stop.ready = gp.wm.stop.since
}

// wmOnNew notes, on g0, that by has made gp, which is ready unless it is parked: the other side of
// iter.Pull.
func wmOnNew(by, gp *g, parked bool) {
	if !wmWaitRecords {
		gp.wm.stop.since = 0
		return
	}
	now := wmClock()
	gp.wm.stop = wmStop{fresh: true, since: now, ready: now, waker: by.goid, reason: wmWaitNone}
	if parked {
		gp.wm.stop.ready, gp.wm.stop.reason = 0, wmWaitCoroutine
	}
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
	if since == 0 {
		return
	}
	pp := getg().m.p.ptr()
	started := gp.wm.flags&wmStarted != 0
	recorded := wmWaitRecords && !w.held && (started || w.fresh) && wm.on.Load() != 0
	room := false
	if recorded {
		w.unpark(pp, since)
		room = started && (wmRoom(pp) >= 3+w.owes() || wmRefill(pp, !wm.block))
	}
	now := wmClock()
	pause := gp.pauseNow(now)
	w.since = 0
	if gp.timesCalls() {
		gp.addOff(pause)
	}
	if !recorded {
		return
	}
	why := uint64(w.reason) | w.waker<<wmWakerShift&wmValueMask
	if !room {
		w.owe(now, why, pause)
		gp.wm.id = 0 // its next event takes the slow path
		return
	}
	wmSwitchTo(pp, gp, now)
	w.putOwed(pp, now)
	wmPutWaited(pp, now, why, pause)
}

// owe keeps a wait that ends at the given clock until there is room for a record.
func (w *wmStop) owe(now, why uint64, pause wmPause) {
	if w.ran == 0 {
		w.owed, w.longest, w.more = wmPause{}, 0, ^uint64(0)
	}
	w.more++
	if pause.total >= w.longest {
		w.longest, w.why = pause.total, why
	}
	w.owed.total += pause.total
	w.owed.ready += pause.ready
	w.ran = now
}

// owes returns how many records putOwed writes.
func (w *wmStop) owes() int {
	if w.ran == 0 {
		return 0
	}
	return 3
}

// putOwed writes what owe has kept, if it has. There is room.
func (w *wmStop) putOwed(pp *p, now uint64) {
	if w.ran == 0 {
		return
	}
	*(*wmPause)(add(unsafe.Pointer(pp.wm.pos), wmRecordSize)) = w.owed
	*(*wmPause)(add(unsafe.Pointer(pp.wm.pos), 2*wmRecordSize)) = wmPause{total: now - min(w.ran, now), ready: w.more}
	wmPut(pp, now, wmLate|w.why)
	pp.wm.pos += 2 * wmRecordSize
	w.ran = 0
}

// unpark takes back the record Parked, if it is in the chunk that pp fills. The record Waited says
// the same, and the encoder leaves out what is void. In a chunk that has been used again there is
// another record in its place.
func (w *wmStop) unpark(pp *p, since uint64) {
	if w.parked == 0 || (w.parked^(pp.wm.pos-1))&^(wmChunkSize-1) != 0 {
		return
	}
	if r := (*wmRecord)(unsafe.Pointer(w.parked)); r.clock == since && r.word == wmParked|uint64(w.reason) {
		r.word = wmVoid
	}
}

// wmPutAllOwed writes what goroutines have waited for and there was no room to write: they may have no event
// any more before the recording ends. Nothing is added to that: wm.on is 0. The world is stopped only if
// there is some, as that takes until the last goroutine can be preempted.
func wmPutAllOwed() {
	some := false
	forEachGRace(func(gp *g) { some = some || gp.wm.stop.ran != 0 && gp.wm.flags&wmStarted != 0 })
	if !some {
		return
	}
	stw := stopTheWorld(stwReadMemStats)
	pp := getg().m.p.ptr()
	forEachGRace(func(gp *g) {
		w := &gp.wm.stop
		if w.ran == 0 || gp.wm.flags&wmStarted == 0 {
			return
		}
		if wmRoom(pp) < 1+w.owes() && !wmTurn(pp) {
			pp.wm.lost++
			return
		}
		now := wmClock()
		wmSwitchTo(pp, gp, now)
		w.putOwed(pp, now)
	})
	startTheWorld(stw)
}

// wmPutWaited writes a record Waited with that value. There is room for two.
func wmPutWaited(pp *p, now, value uint64, pause wmPause) {
	*(*wmPause)(add(unsafe.Pointer(pp.wm.pos), wmRecordSize)) = pause
	wmPut(pp, now, wmWaited|value)
	pp.wm.pos += wmRecordSize
}

// wmHold is wmWait, and notes when gp, which is about to write an event, began to wait. Of all the times
// that it waits until there is room there is one record Waited, where there is room.
func wmHold(gp *g, woken bool, held *uint64) bool {
	if !wmWaitRecords || gp.wm.flags&wmStarted == 0 {
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

// wmOutside returns why a goroutine that goes on at pc leaves Go. Where system calls are calls of C they aren't
// told apart.
func wmOutside(pc uintptr) uint64 {
	if !iscgo || goos.IsWindows|goos.IsSolaris|goos.IsIllumos != 0 || findfunc(pc).entry() != abi.FuncPCABIInternal(cgocall) {
		return wmWaitSyscall
	}
	return wmWaitCgo
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
	case waitReasonSyncMutexLock, waitReasonSyncRWMutexRLock, waitReasonSyncRWMutexLock:
		return wmWaitLock
	case waitReasonSyncWaitGroupWait, waitReasonSynctestWaitGroupWait:
		return wmWaitWaitGroup
	case waitReasonSyncCondWait:
		return wmWaitCond
	case waitReasonSemacquire:
		return wmWaitRuntime
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
