// Package runtime, as waymark adds to it: what is done with the calls of a site.
//
// The word of a site is 0 if nothing is done. The word is the site's id if calls are recorded and
// nothing else is done: then the fast path writes events. For all else the word has flags above the
// id. The fast path leaves calls with flags to others.

package runtime

import "internal/runtime/atomic"

const (
	wmFlagged  = 1 << 31 // there are flags
	wmRecorded = 1 << 30 // calls are recorded
	wmWatched  = 1 << 29 // monitors see them, see waymark_monitor.go
	wmCounted  = 1 << 28 // they are counted, see waymark_cells.go
	wmTimed    = 1 << 27 // they are counted and timed
	wmUnvalued = 1 << 26 // they are recorded without arguments and results; if they aren't recorded, they are gathered with them
	wmLong     = 1 << 25 // those that take long are recorded, see waymark_long.go
	wmGathered = 1 << 24 // they are gathered if their goroutine is in a trace, see waymark_traces.go
	wmRoot     = 1 << 23 // they begin a trace if their goroutine is in none; wmGathered is set, too
	wmLight    = 1 << 22 // they are counted, or gathered and no roots, and no more is done with them: see WMDone

	// wmCounted and wmTimed together: the first call is noted, see waymark_seen.go.

	wmSiteBits = 22 // of the id
	wmSiteID   = 1<<wmSiteBits - 1

	// Flags for which the assembly has paths of its own: in place, and as they are without the id.
	wmWordCounted = wmFlagged | wmCounted | wmLight
	wmWordTimed   = wmFlagged | wmTimed
	wmFlagCounted = wmWordCounted >> wmSiteBits
	wmFlagTimed   = wmWordTimed >> wmSiteBits

	wmFlagUnvalued = (wmFlagged | wmRecorded | wmUnvalued) >> wmSiteBits
	wmFlagLong     = (wmFlagged | wmCounted | wmLong) >> wmSiteBits

	// A word from wmFlagged on that is below wmWordGathered is of calls that are gathered and
	// nothing else. Calls with words from wmWordRoot on may begin a trace.
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
	wmFrameLight    = wmLight << 32
	wmFrameFlags    = (1<<32 - 1 - wmSiteID) << 32
	wmFrameTaken    = wmFrameTimed | wmFrameLong       // what they take is wanted
	wmFrameStacked  = wmFrameTaken | wmFrameWatched    // they are on the goroutine's stack of calls
	wmFrameWanted   = wmFrameRecorded | wmFrameStacked // their ends are wanted, too
	wmOnlyUnvalued  = wmFrameFlagged | wmFrameRecorded | wmFrameUnvalued
	wmOnlyGathered  = wmFrameFlagged | wmFrameGathered | wmFrameLight
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
	WMValues   = 2      // with WMGathered: with arguments and results, unless they are WMUnvalued. It is no bit of the word
)

// WMLight reports whether calls of a site with that word may be nothing but a count, or nothing at all.
// It is inlined where functions begin, and so is WMDone behind it: two functions, as the compiler
// makes no value of the first one's answer.
func WMLight(s WMSite) bool { return s&wmLight != 0 }

// WMDone reports whether nothing more is to be done for a call that begins, of such a site. It has
// counted the call, if that is wanted, or the goroutine is in no trace.
func WMDone(s WMSite) bool {
	gp := getg()
	if s&wmCounted != 0 { // the compiler lays this out next, and each branch that is taken costs
		if counts := gp.wm.counts; counts != 0 && !raceenabled { // the race detector would watch the count
			*wmCountAt(counts, uint32(s&(wmCountSites-1)))++
			return true
		}
		return false
	}
	return gp.wm.gather == 0
}

// WMValued reports whether a site's word says that anybody may want the values of its calls. It is
// inlined, too, so that they are not boxed for calls that are only counted or timed.
func WMValued(s WMSite) bool {
	return s&wmFlagged == 0 || s&wmWatched != 0 || (s^s<<4)&wmRecorded != 0 || s&wmArmedWord == wmArmedWord // one of recorded and unvalued
}

// WMWant sets all that is done with calls of the i-th site of p, in one store. WMSeen is for the first
// call only: see waymark_seen.go.
func WMWant(p *WMPackage, i int, flags uint32) {
	first, values, by := flags&WMSeen != 0, flags&WMValues != 0, flags&wmByGatherers>>wmGatheredShift
	switch flags &^= WMSeen | WMValues | wmByGatherers; {
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
		wmEverTimed = true
	}
	if flags&wmRoot != 0 {
		flags |= wmGathered
	}
	if values && flags&(wmGathered|wmRecorded) == wmGathered {
		flags |= wmUnvalued
	}
	id := p.Base + uint32(i)
	if id > wmSiteID {
		return // there is no room for it in a word
	}
	wmSetGatherers(id, by) // the word says whether anybody looks there
	wmSetWord(p.word(i), id, wmSiteWord(id, flags), first)
}

// wmSiteWord returns the word of the site with that id.
func wmSiteWord(id, flags uint32) uint32 {
	switch flags {
	case 0:
		return 0
	case wmRecorded:
		return id
	case wmGathered, wmGathered | wmUnvalued:
		flags |= wmLight
	case wmCounted:
		if id < wmCountSites {
			flags |= wmLight
		}
	}
	return id | flags | wmFlagged
}

// wmUnrecord has calls of the i-th site of p not recorded any more, the long ones neither. Stores
// to site words happen here, in WMWant and at first calls only. The race detector does not watch
// package runtime. A call that sees the old word counts as one from before.
func wmUnrecord(p *WMPackage, i int) {
	id := p.Base + uint32(i)
	if id > wmSiteID {
		return
	}
	if s := wmSeenOf(id); s != nil { // the first call, which takes this word, looks at it again afterwards
		wmUnrecordWord(&s.word, id)
	}
	wmUnrecordWord(p.word(i), id)
}

func wmUnrecordWord(word *uint32, id uint32) {
	for {
		old := atomic.Load(word)
		if old == wmArmedWord|id {
			return
		}
		flags := old &^ (wmSiteID | wmFlagged | wmRecorded | wmUnvalued | wmLong | wmLight)
		if old != 0 && old&wmFlagged == 0 {
			flags = 0
		}
		if flags&wmGathered != 0 && (WMFrame(old) << 32).valued() {
			flags |= wmUnvalued // values are still gathered
		}
		if atomic.Cas(word, old, wmSiteWord(id, flags)) {
			return
		}
	}
}
