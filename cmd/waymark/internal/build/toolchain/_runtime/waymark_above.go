// Package runtime, as waymark adds to it: what the calls of a goroutine are below.
//
// Observers know goroutines by their ids, and learn of a goroutine when it makes a call: whoever started it
// may be in another call then. So what an observer notes with a goroutine goes to those that this one starts
// from then on, or sets timers for.

package runtime

import "unsafe"

// A wmAbove is what an observer has noted, of whatever type.
type wmAbove byte

// WMAbove returns what was noted with the calling goroutine or, if nothing was, with the one that started it
// at that moment; nil: nothing.
func WMAbove() unsafe.Pointer { return unsafe.Pointer(getg().wm.above) }

// WMSetAbove notes p with the calling goroutine.
func WMSetAbove(p unsafe.Pointer) { getg().wm.above = (*wmAbove)(p) }

// wmPassAbove gives what is noted with gp to newg, which gp is about to start. It runs on g0.
func wmPassAbove(gp, newg *g) {
	if gp.wm.flags&wmMuted == 0 && !isSystemGoroutine(newg, false) {
		newg.wm.above = gp.wm.above
	}
}
