// Package runtime, as waymark adds to it: what is done with the calls of a site.
//
// The word of a site is 0 if nothing is, and its id if calls are recorded and that is all: then the
// fast path writes events. For all else it has flags above the id, which the fast path leaves to others.

package runtime

import "internal/runtime/atomic"

const (
	wmFlagged  = 1 << 31 // there are flags
	wmRecorded = 1 << 30 // calls are recorded
	wmWatched  = 1 << 29 // monitors see them, see waymark_monitor.go
	wmCounted  = 1 << 28 // they are counted, see waymark_cells.go
	wmTimed    = 1 << 27 // they are counted and timed

	wmSiteBits = 27 // of the id
	wmSiteID   = 1<<wmSiteBits - 1

	// Flags for which the assembly has paths of its own: in place, and as they are without the id.
	wmWordCounted = wmFlagged | wmCounted
	wmWordTimed   = wmFlagged | wmTimed
	wmFlagCounted = wmWordCounted >> wmSiteBits
	wmFlagTimed   = wmWordTimed >> wmSiteBits

	// The same of frames. The first one is where records have their wmExitBit.
	wmFrameFlagged  = wmFlagged << 32
	wmFrameRecorded = wmRecorded << 32
	wmFrameWatched  = wmWatched << 32
	wmFrameTimed    = wmTimed << 32
	wmFrameFlags    = (1<<32 - 1 - wmSiteID) << 32
	wmFrameWanted   = wmFrameRecorded | wmFrameWatched | wmFrameTimed // their ends are wanted, too
)

// WMSwitch has calls of the i-th site of p recorded, or not.
func WMSwitch(p *WMPackage, i int, on bool) { wmSetSite(p, i, wmRecorded, on) }

// WMWatch switches on or off that monitors see calls of the i-th site of p.
func WMWatch(p *WMPackage, i int, on bool) { wmSetSite(p, i, wmWatched, on) }

// WMCount switches on or off that calls of the i-th site of p are counted, and timed if that is wanted.
func WMCount(p *WMPackage, i int, on, timed bool) {
	wmSetSite(p, i, wmTimed, on && timed)
	wmSetSite(p, i, wmCounted, on && !timed)
}

// wmSetSite sets or clears a flag of a site. Stores to site words happen here only: the race detector does not
// watch package runtime, and a call that sees the old word is simply one from before.
func wmSetSite(p *WMPackage, i int, flag uint32, on bool) {
	word := (*uint32)(&p.Sites[i])
	for {
		old := atomic.Load(word)
		flags := old &^ (wmSiteID | wmFlagged)
		if old != 0 && old&wmFlagged == 0 {
			flags = wmRecorded
		}
		if on {
			flags |= flag
		} else {
			flags &^= flag
		}
		w := uint32(0)
		switch flags {
		case 0:
		case wmRecorded:
			w = p.Base + uint32(i)
		default:
			w = p.Base + uint32(i) | flags | wmFlagged
		}
		if atomic.Cas(word, old, w) {
			return
		}
	}
}
