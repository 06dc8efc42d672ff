// Package runtime, as waymark adds to it: calls of which more is wanted than their events.

package runtime

// wmEnterFlagged does all that is wanted when a call begins, and gives its frame, 0 if nobody wants
// to know of its end.
func wmEnterFlagged(f WMFrame, v *wmValues) WMFrame {
	gp := getg()
	if f&wmFrameFlags|wmFrameLight|wmFrameRoot == wmOnlyGathered|wmFrameRoot {
		if f = wmEnterGathered(gp, f, nil); f&wmFrameGathered == 0 {
			return 0
		}
		return f
	}
	if gp.wm.flags&wmMuted != 0 {
		return 0
	}
	if gp != gp.m.curg {
		wmEnterSystem(gp, f)
		return 0
	}
	if f&wmFrameFlags == wmFrameFlagged|wmFrameWatched { // most often it is that and nothing else
		call := wmEnterWatched(gp, f, v)
		if call == nil {
			return 0
		}
		wmPushWatched(gp, f, call)
		return f
	}
	if f&wmFrameArmed == wmFrameArmed {
		if f = f.seen(); f == 0 {
			return 0
		}
		return wmEnterFlagged(f, v)
	}
	var call watchedCall
	args := v.gathered(f)
	if f&wmFrameWatched != 0 {
		if call = wmEnterWatched(gp, f, v); call == nil {
			f &^= wmFrameWatched
		}
	}
	// The time of monitors isn't the function's.
	if f&wmFrameRecorded != 0 && !v.emit(gp, f.plain(), wmCaptured.args && f&wmFrameUnvalued == 0) {
		f ^= wmFrameRecorded | wmFrameUnvalued // whether its values are gathered stays
	}
	if f&(wmCounted<<32) != 0 {
		wmCountCall(f.site())
	}
	if f&wmFrameGathered != 0 {
		f = wmEnterGathered(gp, f, args)
	}
	switch {
	case f&wmFrameTimed != 0 && f.sampled():
		if !wmEnterSampled(gp, f, call) {
			if f &^= wmFrameTimed; f&wmFrameRecorded == 0 {
				return 0
			}
		}
	case f&wmFrameTimed != 0:
		wmEnterTimed(gp, f, call)
	case f&wmFrameLong != 0 && wmEnterLong(gp, f, call):
	case f&wmFrameWatched != 0:
		f &^= (wmCounted | wmLong) << 32
		wmPushWatched(gp, f, call)
	case f&wmFrameRecorded != 0:
		f &^= wmCounted << 32
		if f&(wmFrameUnvalued|wmFrameGathered) == 0 {
			return WMFrame(f.plain())
		}
	case f&wmFrameGathered != 0:
		f &^= (wmCounted | wmLong) << 32
	default:
		return 0
	}
	return f
}

// wmEnterSystem is wmEnterFlagged on a system stack, where timers' callbacks run. The call is no
// goroutine's and has no frame: it is counted wherever it is wanted, and that is all.
func wmEnterSystem(gp *g, f WMFrame) {
	if f&wmFrameArmed == wmFrameArmed {
		f = f.seen()
	}
	if f&wmFrameRecorded != 0 {
		wmEmit(gp, f.plain(), false, nil)
	}
	if f&wmFrameWatched != 0 {
		wmUnreported.Add(1)
	}
	if f&(wmFrameTimed|wmCounted<<32) != 0 {
		wmCountCall(f.base())
	}
}

// wmExitFlagged does all that is wanted when such a call ends.
func wmExitFlagged(f WMFrame, v *wmValues) {
	gp := getg()
	if f&wmFrameTaken != 0 {
		wmExitTimed(gp, f)
	}
	if f&wmFrameGathered != 0 {
		wmExitGathered(gp, f, v.gathered(f))
	}
	if f&wmFrameRecorded != 0 {
		v.emit(gp, f.plain()|wmExitBit, wmCaptured.results && f&wmFrameUnvalued == 0)
	}
	if f&wmFrameWatched != 0 {
		wmExitWatched(gp, f, v)
	}
}
