// Package runtime, as waymark adds to it: calls that return an error.
//
// A call has failed if its last result is of type error and isn't nil. That is reported just
// before its exit, by an event or in the cells of timed calls. A call without an error pays one
// comparison while it is traced.

package runtime

import "unsafe"

// WMError reports err, which the call f returns. The exit follows.
func WMError(f WMFrame, err error) {
	if err != nil {
		wmFail(f)
	}
}

// WMExitDeferredError is WMExitError for a deferred call, with a pointer to the result.
//
//go:noinline
func WMExitDeferredError(f WMFrame, err *error) {
	if *err != nil && !f.left(getg()) {
		wmFail(f)
	}
	WMExit(f)
}

// wmExitFailed continues WMExitError where there is an error.
//
//go:noinline
func wmExitFailed(f WMFrame) {
	wmFail(f)
	WMExit(f)
}

// wmFail says that the call f returns an error.
//
//go:noinline
func wmFail(f WMFrame) {
	gp := getg()
	if f&wmFrameTimed != 0 {
		node, onPath := wmFailedPath(gp, f)
		if f&wmFrameRecorded != 0 && !f.sampled() {
			wmExitTimed(gp, f) // the event may have to wait, which isn't the function's time
		}
		mp := acquirem()
		if pp := mp.p.ptr(); pp != nil && f.sampled() {
			wmFailSample(gp, pp, f)
		} else if pp != nil {
			wmCellOf(pp, f.site()).failed()
			if onPath {
				wmPathCellOf(pp, node).errors++
			}
		}
		releasem(mp)
	}
	if f&wmFrameFlagged == 0 || f&wmFrameRecorded != 0 {
		wmEmit(gp, wmError|uint64(f.site()), true, nil)
	}
	if f&wmFrameGathered != 0 && gp.wm.strand != 0 {
		wmGatherFailed(gp, f)
	}
}

// failedLast tells whether the last one of the results that v leads to is an error that isn't nil.
func (v *wmValues) failedLast() bool {
	if !v.pointers || v.n == 0 {
		return false
	}
	last := (*any)(add(v.list, uintptr(v.n-1)*unsafe.Sizeof(eface{})))
	err, ok := (*last).(*error)
	return ok && *err != nil
}
