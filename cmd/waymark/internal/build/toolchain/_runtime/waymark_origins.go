// Package runtime, as waymark adds to it: go statements that made goroutines.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

type wmOriginKey struct {
	pc uintptr
	id uint32
}

// wmOriginID gives the id of the go statement at pc. The control chunk lists
// them with their positions, resolved here because nobody could after a kill.
func wmOriginID(pc uintptr) uint32 {
	if pc == 0 {
		return 0
	}
	lock(&wm.lock)
	defer unlock(&wm.lock)
	mask := uint32(len(wm.origins) - 1)
	i := uint32(pc>>2) & mask
	for ; wm.origins[i].pc != 0; i = (i + 1) & mask {
		if wm.origins[i].pc == pc {
			return wm.origins[i].id
		}
	}
	f := findfunc(pc)
	if !f.valid() || int(wm.norigins) >= len(wm.origins)*3/4 {
		return 0
	}
	name := funcNameForPrint(funcname(f))
	file, line := funcline(f, pc-sys.PCQuantum)
	used := (*uint32)(unsafe.Pointer(wm.base + wmArenaOrigins))
	size := (16 + len(name) + len(file) + 7) &^ 7
	if int(*used)+size > wmChunkSize-wmOriginsOffset || len(name) >= 1<<16 || len(file) >= 1<<16 {
		return 0
	}
	at := wm.base + wmOriginsOffset + uintptr(*used)
	*(*uint64)(unsafe.Pointer(at)) = uint64(pc)
	*(*uint32)(unsafe.Pointer(at + 8)) = uint32(line)
	*(*uint16)(unsafe.Pointer(at + 12)) = uint16(len(name))
	*(*uint16)(unsafe.Pointer(at + 14)) = uint16(len(file))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at+16)), len(name)), name)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at+16+uintptr(len(name)))), len(file)), file)
	atomic.Store(used, *used+uint32(size))
	wm.norigins++
	wm.origins[i] = wmOriginKey{pc, wm.norigins}
	return wm.norigins
}

// wmRoomToSpawn waits until there is room for what wmOnSpawn records, if nothing may be dropped and gp may wait: it
// can't on g0. From its end on gp is not preempted before it is there, so that the P is the same.
func wmRoomToSpawn(gp *g) {
	var held uint64
	for woken := false; ; {
		mp := acquirem()
		pp := mp.p.ptr()
		canWait := wm.on.Load() != 0 && wm.block && gp == mp.curg && gp.wm.flags&wmMuted == 0 && wmMayWait(gp, 1)
		ready := !canWait || wmRoom(pp) >= 2+gp.wm.stop.owes() || wmRefill(pp, false) || wm.on.Load() == 0 || !wm.open || wm.looks > wmPatience && wm.nfull == 0
		releasem(mp)
		switch {
		case !ready:
			woken = wmHold(gp, woken, &held)
		case woken:
			wmWakeNext() // which may preempt it: so it looks again
			woken = false
		default:
			return
		}
	}
}

// wmOnSpawn records, on g0, that gp is about to start newg. A goroutine without an event of its own
// may start others in a call of the goroutine that it descends from. So it has such records, too,
// but no Start.
func wmOnSpawn(gp, newg *g) {
	if wm.on.Load() == 0 || gp.wm.flags&wmMuted != 0 || isSystemGoroutine(newg, false) {
		return
	}
	pp := getg().m.p.ptr()
	owes := 0
	if gp.wm.flags&wmStarted != 0 {
		owes = gp.wm.stop.owes()
	}
	if wmRoom(pp) < 2+owes && !wmRefill(pp, true) {
		pp.wm.lost++
		return
	}
	now := wmClock()
	wmSwitchTo(pp, gp, now)
	if owes > 0 {
		gp.wm.stop.putOwed(pp, now)
	}
	wmPut(pp, now, wmSpawn|newg.goid&wmValueMask)
	newg.wm.flags |= wmSpawned
}
