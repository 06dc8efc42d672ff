// Package runtime, as waymark adds to it: events, as records in the P's chunk.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// Words of events that aren't calls, see waymark_format.go.
const (
	wmFirstWord = wmFirstCode << wmSiteShift

	wmGo       = wmFirstWord | wmCodeGo<<wmCodeShift
	wmStart    = wmFirstWord | wmCodeStart<<wmCodeShift
	wmEnd      = wmFirstWord | wmCodeEnd<<wmCodeShift
	wmPanic    = wmFirstWord | wmCodePanic<<wmCodeShift
	wmRecover  = wmFirstWord | wmCodeRecover<<wmCodeShift
	wmGoexit   = wmFirstWord | wmCodeGoexit<<wmCodeShift
	wmValued   = wmFirstWord | wmCodeValues<<wmCodeShift
	wmOrigin   = wmFirstWord | wmCodeOrigin<<wmCodeShift
	wmInts     = wmFirstWord | wmCodeInts<<wmCodeShift
	wmInfo     = wmFirstWord | wmCodeInfo<<wmCodeShift
	wmLongWord = wmFirstWord | wmCodeLong<<wmCodeShift  // behind it is a wmLongCall
	wmSpawn    = wmFirstWord | wmCodeSpawn<<wmCodeShift // with the id of the goroutine that begins
	wmError    = wmFirstWord | wmCodeError<<wmCodeShift // the innermost call of the site that the value names returns an error
)

// A wmRecord is valid for whoever reads the arena, now or after a kill, when it has its clock. An event with
// values gets it when they are complete.
type wmRecord struct {
	clock uint64
	word  uint64
}

// wmSlowEnter continues WMEnter, which jumps here when the fast path won't do.
//
//go:noinline
func wmSlowEnter(site WMSite) WMFrame {
	gp := getg()
	f := WMFrame(site)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	if site&wmFlagged != 0 {
		return wmEnterFlagged(f, nil)
	}
	if !wmEmit(gp, uint64(f), true, nil) {
		return 0
	}
	return f
}

// wmSlowExit continues WMExit.
//
//go:noinline
func wmSlowExit(f WMFrame) {
	if f&wmFrameFlagged != 0 {
		wmExitFlagged(f, nil)
		return
	}
	wmEmit(getg(), uint64(f)|wmExitBit, true, nil)
}

// wmEmit writes a record for gp, with values if there are some, and tells whether it
// did. With wait it may release the P and wait for a chunk, if the program asked for that.
func wmEmit(gp *g, word uint64, wait bool, v *wmValues) bool {
	if wm.on.Load() == 0 && word&wmExitBit == 0 || gp.wm.flags&wmMuted != 0 {
		return false
	}
	if v != nil && v.long.site == 0 && gp.hides() {
		v = nil
	}
	var held uint64 // clock when gp began to wait for room, if it had to and that is recorded
	for woken := false; ; woken = wmHold(gp, woken, &held) {
		mp := acquirem()
		pp := mp.p.ptr()
		if gp != mp.curg || pp == nil {
			// On a system stack, where timers' callbacks run: the event is no goroutine's.
			if pp != nil {
				wmLose(pp, word)
			}
			releasem(mp)
			return false
		}
		need := 1 + v.records() + gp.wm.stop.owes()
		if pp.wm.last != gp.goid {
			need++
		}
		if gp.wm.flags&wmStarted == 0 {
			need += 2
		}
		if held != 0 {
			need += 2
		}
		if gp.wm.made.objects != 0 {
			need += 2
		}
		canWait := wait && wm.block && wmMayWait(gp, 1)
		if wmRoom(pp) >= need || wmRefill(pp, !canWait) {
			now := wmClock()
			if pp.wm.last != gp.goid {
				wmPut(pp, now, wmGo|gp.goid&wmValueMask)
				pp.wm.last = gp.goid
			}
			if gp.wm.flags&wmStarted == 0 {
				gp.wm.flags |= wmStarted
				wmPut(pp, now, wmStart|gp.parentGoid&wmValueMask)
				wmPut(pp, now, wmOrigin|uint64(wmOriginID(gp.gopc)))
			}
			gp.wm.stop.putOwed(pp, now)
			if held != 0 {
				wmPutWaited(pp, now, wmWaitTracing, wmPause{total: now - min(held, now)})
			}
			if gp.wm.made.objects != 0 {
				gp.wm.made.put(pp, now)
			}
			switch {
			case v != nil && v.long.site != 0:
				wmPutLong(pp, now, word, v.long)
			case v != nil && v.n > 0:
				wmPutValues(pp, now, word, v)
			default:
				wmPut(pp, now, word)
			}
			if wm.counter {
				pp.wm.goid = gp.goid
				if !gp.hides() {
					gp.wm.id = gp.goid
				}
			}
			releasem(mp)
			if woken {
				wmWakeNext()
			}
			return true
		}
		ended := wm.on.Load() == 0 || !wm.open
		if !ended && canWait && (wm.looks <= wmPatience || wm.nfull > 0) {
			releasem(mp)
			continue
		}
		if !ended && word != wmEnd { // an end only tells readers early what they learn at last
			wmLose(pp, word)
		}
		releasem(mp)
		if woken {
			wmWakeNext()
		}
		return false
	}
}

// wmLose counts an event that isn't written.
func wmLose(pp *p, word uint64) {
	pp.wm.lost++
	if word < wmGo {
		pp.wm.lost++ // an enter: its exit won't be tried
	}
}

// wmMayWait reports whether gp, which is running, may wait, and so call code of the program's. own
// is what the caller itself adds to m.locks. Some goroutines keep their processor to themselves,
// as in sync.Pool, or hold a lock of the runtime's. They must come back to it without a switch.
func wmMayWait(gp *g, own int32) bool {
	mp := gp.m
	return mp.locks == own && mp.mallocing == 0 && mp.preemptoff == "" && !gp.throwsplit
}

// wmRoom tells how many records fit into pp's chunk. The position is at a
// multiple of the chunk size when there is no chunk or it is full.
func wmRoom(pp *p) int {
	if at := pp.wm.pos & (wmChunkSize - 1); at != 0 {
		return int(wmChunkSize-at) / wmRecordSize
	}
	return 0
}

// wmPut writes a record.
//
//go:nosplit
func wmPut(pp *p, clock, word uint64) {
	r := (*wmRecord)(unsafe.Pointer(pp.wm.pos))
	r.word = word
	r.commit(clock)
	pp.wm.pos += wmRecordSize
}

// wmEmitFor is wmEmit on g0, which still holds the P that gp ran on.
func wmEmitFor(gp *g, word uint64) { wmEmit(gp, word, false, nil) }

// wmEmitFast is wmEmit where nothing stands in the way: gp wrote last on this P and
// there is room. Nothing here can be preempted, so the P stays this one.
//
//go:nosplit
func wmEmitFast(gp *g, word uint64, v *wmValues) bool {
	pp := gp.m.p.ptr()
	at := pp.wm.pos & (wmChunkSize - 1)
	if pp.wm.goid != gp.wm.id || at == 0 || at+2*wmRecordSize+v.space() > wmChunkSize {
		return false
	}
	now := wmTicks()
	if v.n > 0 {
		wmPutValues(pp, now, word, v)
	} else {
		wmPut(pp, now, word)
	}
	return true
}

// emit records an event, with the values if they are wanted.
func (v *wmValues) emit(gp *g, word uint64, wanted bool) bool {
	if v != nil && v.words != nil {
		return wmEmitInts(word, v.kinds, wanted, v.words)
	}
	if !wanted {
		v = nil
	}
	return wmEmit(gp, word, true, v)
}
