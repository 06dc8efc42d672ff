// Package runtime, as waymark adds to it: a recording begins and ends.

package runtime

import "unsafe"

// A WMOverflow says what to do when no chunk is free.
type WMOverflow uint8

const (
	WMBlock = iota // wait for one
	WMDrop         // drop the event and count it
	WMRing         // use the chunk again that has been full for the longest
)

// WMStart begins recording into an arena of memory mapped by the caller, which stays mapped until
// WMRetire, and returns the number of the recording. The one before has ended. WMSetClock has been
// called. No chunk is free before WMFree.
func WMStart(arena []byte, overflow WMOverflow) (recording uint32) {
	lock(&wmTypes.lock)
	wmTypes.locked = true
	known := wmTypes.n > 0 // by a recording before, or by traces
	unlock(&wmTypes.lock)
	if wm.base != 0 || known {
		WMRetire()
	}
	chunks := len(arena) / wmChunkSize
	free, full := make([]uint32, chunks), make([]uint32, chunks)
	origins := make([]wmOriginKey, 256)
	lock(&wm.lock)
	wm.base = uintptr(unsafe.Pointer(unsafe.SliceData(arena)))
	wm.free, wm.full, wm.origins = free, full, origins
	wm.block, wm.ring = overflow == WMBlock, overflow == WMRing
	wm.looks = 0
	wm.pace, wm.woken = 0, 0
	wm.broken.Store(false)
	wm.starved.Store(false)
	wm.pid, wm.open = wmPID(), true
	wm.number++
	recording = wm.number
	wmCaptured.panicsHidden = false
	unlock(&wm.lock)
	wmMeetTypes(true)
	wmPair()
	wm.on.Store(1)
	return recording
}

// WMStop ends recording: calls in progress write their exits as long as there
// is room in the chunk at hand, and nobody waits any more.
func WMStop() {
	wm.on.Store(0)
	if wmWaitRecords {
		WMWaits(false)
		wmPutAllOwed()
	}
	wmSwitchOff()
	lock(&wm.lock)
	wm.open = false
	w := wm.writer
	wm.writer = nil
	waiting := wm.waiting
	wm.waiting = wmQueue{}
	unlock(&wm.lock)
	wmWake(w)
	for gp := waiting.pop(); gp != nil; gp = waiting.pop() {
		wmWake(gp)
	}
}

// wmMeetTypes makes what values are written with, unless it is there. arena says that the arena is there in which
// types are described from now on.
func wmMeetTypes(arena bool) {
	lock(&wmTypes.lock)
	if wmTypes.table == nil {
		wmForgetTypes()
	}
	wmTypes.locked = wmTypes.locked && !arena
	wmFindConstants()
	wmFindArguments()
	unlock(&wmTypes.lock)
}
