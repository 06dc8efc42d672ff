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
	wmUnvalued = 1 << 26 // they are recorded without arguments and results
	wmLong     = 1 << 25 // those that take long are recorded, see waymark_long.go
	wmGathered = 1 << 24 // they are gathered if their goroutine is in a trace, see waymark_traces.go
	wmRoot     = 1 << 23 // they begin a trace if their goroutine is in none; wmGathered is set, too

	wmSiteBits = 23 // of the id
	wmSiteID   = 1<<wmSiteBits - 1

	// Flags for which the assembly has paths of its own: in place, and as they are without the id.
	wmWordCounted = wmFlagged | wmCounted
	wmWordTimed   = wmFlagged | wmTimed
	wmFlagCounted = wmWordCounted >> wmSiteBits
	wmFlagTimed   = wmWordTimed >> wmSiteBits

	wmFlagUnvalued = (wmFlagged | wmRecorded | wmUnvalued) >> wmSiteBits
	wmFlagLong     = (wmFlagged | wmCounted | wmLong) >> wmSiteBits

	// Words from wmFlagged on are of calls that are gathered and nothing else if they are below
	// wmWordGathered; from wmWordRoot on they may begin a trace.
	wmWordGathered = wmFlagged | wmLong
	wmWordRoot     = wmFlagged | wmGathered | wmRoot
	wmFlagGathered = wmWordGathered >> wmSiteBits
	wmFlag         = wmFlagged >> wmSiteBits

	// The same of frames. The first one is where records have their wmExitBit.
	wmFrameFlagged  = wmFlagged << 32
	wmFrameRecorded = wmRecorded << 32
	wmFrameWatched  = wmWatched << 32
	wmFrameTimed    = wmTimed << 32
	wmFrameLong     = wmLong << 32
	wmFrameUnvalued = wmUnvalued << 32
	wmFrameGathered = wmGathered << 32
	wmFrameRoot     = wmRoot << 32 // of the root call of a trace
	wmFrameFlags    = (1<<32 - 1 - wmSiteID) << 32
	wmFrameTaken    = wmFrameTimed | wmFrameLong       // what they take is wanted
	wmFrameStacked  = wmFrameTaken | wmFrameWatched    // they are on the goroutine's stack of calls
	wmFrameWanted   = wmFrameRecorded | wmFrameStacked // their ends are wanted, too
	wmOnlyUnvalued  = wmFrameFlagged | wmFrameRecorded | wmFrameUnvalued
	wmOnlyGathered  = wmFrameFlagged | wmFrameGathered
)

// What WMWant can want of a site. WMTimed counts, too.
const (
	WMRecorded = wmRecorded
	WMWatched  = wmWatched
	WMCounted  = wmCounted
	WMTimed    = wmTimed
	WMUnvalued = wmUnvalued // with WMRecorded
	WMLong     = wmLong     // counts, too; see waymark_long.go
	WMGathered = wmGathered
	WMRoot     = wmRoot // gathers, too
)

// WMAway reports whether a site's word says that calls are gathered and no more, and the goroutine is in no trace.
// It is inlined where functions begin, so that calls elsewhere cost next to nothing.
func WMAway(s WMSite) bool {
	return int32(s) < 0 && s < wmWordRoot && getg().wm.gather == 0
}

// WMWant sets all that is done with calls of the i-th site of p, in one store.
func WMWant(p *WMPackage, i int, flags uint32) {
	switch {
	case flags&wmRecorded != 0:
		flags &^= wmLong // all calls are recorded
	case flags&wmLong != 0:
		flags |= wmCounted
		wmFindLong()
		fallthrough
	default:
		flags &^= wmUnvalued
	}
	if flags&wmTimed != 0 {
		flags &^= wmCounted
	}
	if flags&wmRoot != 0 {
		flags |= wmGathered
	}
	id := p.Base + uint32(i)
	if id > wmSiteID {
		return // there is no room for it in a word
	}
	atomic.Store((*uint32)(&p.Sites[i]), wmSiteWord(id, flags))
}

// wmSiteWord returns the word of the site with that id.
func wmSiteWord(id, flags uint32) uint32 {
	switch flags {
	case 0:
		return 0
	case wmRecorded:
		return id
	}
	return id | flags | wmFlagged
}

// wmUnrecord has calls of the i-th site of p not recorded any more, the long ones neither. Stores to
// site words happen here and in WMWant only: the race detector does not watch package runtime, and a
// call that sees the old word is one from before.
func wmUnrecord(p *WMPackage, i int) {
	word := (*uint32)(&p.Sites[i])
	for {
		old := atomic.Load(word)
		flags := old &^ (wmSiteID | wmFlagged | wmRecorded | wmUnvalued | wmLong)
		if old != 0 && old&wmFlagged == 0 {
			flags = 0
		}
		if atomic.Cas(word, old, wmSiteWord(p.Base+uint32(i), flags)) {
			return
		}
	}
}
