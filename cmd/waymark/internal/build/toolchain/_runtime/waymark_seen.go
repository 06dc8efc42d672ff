// Package runtime, as waymark adds to it: which functions were ever called.
//
// A site for which that is wanted is armed. Its word is wmArmedWord and its id, whatever else is
// wanted of the site. So the first call comes here from any hook. The call sets the site's bit, and
// puts the word into place that the site has otherwise. It goes on as a call with that word. From
// then on the site costs what it costs without.
//
// The bits lie in memory that the library maps from a file, so a kill loses none. The bit is set before
// the state says so: whoever finds the site disarmed finds the bit set.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// WMSeen has the first call of a site noted. It is no bit of the site's word.
const WMSeen = 1

// wmArmedWord are flags that no site's word has otherwise: timed calls are counted anyway. Every fast
// path leaves them to wmEnterFlagged.
const (
	wmArmedWord  = wmFlagged | wmCounted | wmTimed
	wmFrameArmed = wmArmedWord << 32
)

// A wmSeenSite is what is known of a site beside its word.
type wmSeenSite struct {
	at    *uint32 // the site's word
	word  uint32  // that the site has when it isn't armed
	state uint32
}

// Bits of wmSeenSite.state. A site is armed if the first one alone is set.
const (
	wmSeenWanted   = 1
	wmSeenReported = 2
)

const (
	wmSeenShift = 12
	wmSeenBlock = 1 << wmSeenShift // sites
)

// wmSeen has the sites that were ever wanted, in blocks that are made when they are needed and stay.
var wmSeen struct {
	blocks [(wmSiteID + 1) / wmSeenBlock]uintptr // of wmSeenSite
	memory atomic.Uintptr                        // a bit for each site that was armed, then one for each that was called
	size   uintptr                               // of each half, bytes
	calls  atomic.Uint64                         // first calls
	broken atomic.Bool                           // memory could not be reached, see wmSeenFault
	latest atomic.Uintptr                        // a bit for each site that was called since WMSeenTake; 0: nobody asks
}

// They are set before any test runs, if somebody asks for them.
var (
	wmSeenOnBinary func(importPath string)
	wmSeenOnTest   func(state uint8, name string)
)

// WMSeenOnTests has the functions called for what package testing tells, as WMOnTests has.
func WMSeenOnTests(binary func(importPath string), test func(state uint8, name string)) {
	wmSeenOnBinary, wmSeenOnTest = binary, test
}

// WMSeenLatest has first calls noted in bits, too, which has room for as many sites as WMSeenStart's memory.
func WMSeenLatest(bits []uint32) {
	wmSeen.latest.Store(uintptr(unsafe.Pointer(unsafe.SliceData(bits))))
}

// WMSeenTake moves the bits that were given to WMSeenLatest, as many as there is room for, to the slice.
func WMSeenTake(to []uint32) {
	bits := wmSeen.latest.Load()
	for i := range to {
		to[i] = atomic.Xchg((*uint32)(unsafe.Pointer(bits+uintptr(i)*4)), 0)
	}
}

// WMSeenStart has bits set in memory, which stays mapped and whose halves begin with the bit of site 0.
// Sites beyond it can't be armed. It is called before the first site is wanted.
func WMSeenStart(memory []byte) {
	wmSeen.size = uintptr(len(memory) / 2)
	wmSeen.memory.Store(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

// WMSeenCalls gives the number of first calls, and whether the memory could not be reached.
func WMSeenCalls() (calls uint64, broken bool) { return wmSeen.calls.Load(), wmSeen.broken.Load() }

// WMSeenReset arms all sites again that are wanted and were called. Bits stay.
func WMSeenReset() {
	for b := range wmSeen.blocks {
		if atomic.Loaduintptr(&wmSeen.blocks[b]) == 0 {
			continue
		}
		for i := uint32(0); i < wmSeenBlock; i++ {
			id := uint32(b)<<wmSeenShift + i
			if s := wmSeenOf(id); s.at != nil && atomic.Cas(&s.state, wmSeenWanted|wmSeenReported, wmSeenWanted) {
				atomic.Store(s.at, wmArmedWord|id)
			}
		}
	}
}

// wmSeenOf returns what is known of a site, nil if it was never wanted.
//
//go:nosplit
func wmSeenOf(id uint32) *wmSeenSite {
	b := atomic.Loaduintptr(&wmSeen.blocks[id>>wmSeenShift])
	if b == 0 {
		return nil
	}
	return (*wmSeenSite)(unsafe.Pointer(b + uintptr(id%wmSeenBlock)*unsafe.Sizeof(wmSeenSite{})))
}

// wmSetWord gives a site its word, and arms it if its first call is wanted and hasn't been. One
// goroutine at a time calls it.
func wmSetWord(at *uint32, id, word uint32, wanted bool) {
	s := wmSeenOf(id)
	if wanted && id < uint32(wmSeen.size*8) {
		if s == nil {
			systemstack(func() {
				size := wmSeenBlock * unsafe.Sizeof(wmSeenSite{})
				atomic.Storeuintptr(&wmSeen.blocks[id>>wmSeenShift], uintptr(persistentalloc(size, 64, &memstats.other_sys)))
			})
			s = wmSeenOf(id)
		}
	} else if wanted = false; s == nil {
		atomic.Store(at, word)
		return
	}
	s.at = at // of a site that is not armed yet nobody reads it
	atomic.Store(&s.word, word)
	if wanted {
		wmSetSeen(0, id)
		switch atomic.Or32(&s.state, wmSeenWanted) {
		case 0:
			atomic.Store(at, wmArmedWord|id)
			return
		case wmSeenWanted:
			return // it is armed: its first call finds s.word
		}
	} else {
		atomic.And32(&s.state, ^uint32(wmSeenWanted))
	}
	atomic.Store(at, word)
}

// wmSetSeen sets a site's bit in the first half of the memory, or the second.
//
//go:nosplit
func wmSetSeen(half uintptr, id uint32) {
	atomic.Or8((*uint8)(unsafe.Pointer(wmSeen.memory.Load()+half*wmSeen.size+uintptr(id/8))), 1<<(id%8))
}

// seen notes the call of an armed site, and returns the call's frame with all else that is wanted; 0 if
// nothing is.
func (f WMFrame) seen() WMFrame {
	id := f.site()
	s := wmSeenOf(id)
	if atomic.Load(&s.state) == wmSeenWanted {
		wmSetSeen(1, id)
		if latest := wmSeen.latest.Load(); latest != 0 {
			atomic.Or((*uint32)(unsafe.Pointer(latest+uintptr(id/32*4))), 1<<(id%32))
		}
		if atomic.Cas(&s.state, wmSeenWanted, wmSeenWanted|wmSeenReported) {
			wmSeen.calls.Add(1)
		}
	}
	word := atomic.Load(&s.word)
	if atomic.Cas(s.at, wmArmedWord|id, word) && (atomic.Load(&s.word) != word || atomic.Load(&s.state) == wmSeenWanted) {
		atomic.Cas(s.at, word, wmArmedWord|id) // it was switched meanwhile: the next call looks again
	}
	switch {
	case word == 0:
		return 0
	case word&wmFlagged == 0:
		word |= wmFlagged | wmRecorded
	}
	return WMFrame(word)<<32 | WMFrame(f.token())
}

// wmSeenFault is wmOnFault for the memory of the bits: bits that are set from now on are lost, and
// the program goes on.
func wmSeenFault(addr uintptr) bool {
	base := wmSeen.memory.Load()
	if base == 0 || addr-base >= 2*wmSeen.size {
		return false
	}
	wmSeen.broken.Store(true)
	return true
}
