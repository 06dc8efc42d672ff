// Package runtime, as waymark adds to it: heap objects, counted by their type and by the call that
// made them.
//
// Each way through the allocator tests debug.malloc, and leads to postMallocgcDebug while
// debug.malloc is set. So counts which are off cost nothing. While only waymark has set
// debug.malloc, the allocator's functions count the object themselves and go on as if it weren't
// set. These functions are mallocgc and, in newer releases, the functions for objects of one size.
//
// A recording has the numbers of objects, too. A goroutine's objects are added up in its g until
// its next event, which takes the slow path for that. A record Made in front of the event says how
// many objects there were. The innermost call of the goroutine has made them, as the goroutine has
// had no event meanwhile.
//
// Each P has a table, open-addressed and at most half full, of types and calls. Nobody else writes to
// it, as package runtime is preempted at calls only, and none of its counts is set back.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// A wmMaking counts the objects of a type that calls of a site made, on a path if paths are kept.
type wmMaking struct {
	typ     uintptr                  // *_type; 0 of memory without one. Types are never freed
	_       [8 - goarch.PtrSize]byte // the size is a power of two
	by      uint64                   // what made them; 0 if the place is empty
	objects uint64
	bytes   uint64
}

const (
	wmMadeBytes = unsafe.Sizeof(wmMaking{})
	wmFewMade   = 1 << 8  // places of a first table
	wmMostMade  = 1 << 18 // of the largest one
)

// Bits of wmMaking.by. Below them there are the site of the innermost timed call, and in the lower half
// the node of its path, 0 without paths.
const (
	wmSomebody = 1 << 63 // always, without a timed call
	wmItself   = 1 << 62 // waymark made them: their types are one

	wmTimedCall = wmFrameTimed // a timed call was in progress
	wmTimedSite = wmTimedCall | wmSiteID<<32
)

// wmMadePlaces stand before the places of a table.
type wmMadePlaces struct {
	n uintptr // a power of two
	_ [wmMadeBytes - unsafe.Sizeof(uintptr(0))]byte
}

// A wmMadeTable has what was made on a P.
type wmMadeTable struct {
	places atomic.Uintptr // *wmMadePlaces
	used   uintptr

	// Objects that found no place.
	objects, bytes uint64

	next *wmMadeTable
}

// wmObjects has the tables of all Ps that ever counted an object.
var wmObjects struct {
	users uint32 // WMObjectsCounted and WMObjectsRecorded; what follows is by these, and changes while the world stands still
	on    bool
	told  bool // events say how many
	alone bool // they don't, and nothing else than the execution tracer may want to know of objects
	lock  mutex
	list  *wmMadeTable
}

// Who wants objects to be counted.
const (
	WMObjectsCounted  = 1 // by type and maker
	WMObjectsRecorded = 2 // in events, too
)

// WMObjects says whether somebody wants heap objects to be counted. The world stands still for it.
func WMObjects(user uint32, wanted bool) {
	stw := stopTheWorld(stwReadMemStats)
	if wanted {
		wmObjects.users |= user
	} else {
		wmObjects.users &^= user
	}
	on := wmObjects.users != 0
	wmObjects.on, wmObjects.told = on, wmObjects.users&WMObjectsRecorded != 0
	// The execution tracer sets debug.malloc, too, and sets it back to what it has noted.
	others := debug.inittrace|debug.sbrk|debug.checkfinalizers != 0
	wmObjects.alone = on && !others && !wmObjects.told
	trace.debugMalloc = on || others
	debug.malloc = trace.debugMalloc || trace.enabledWithAllocFree
	startTheWorld(stw)
}

// wmAlone reports whether debug.malloc is set for counts of objects alone. mallocgc's own fast paths are
// not for objects that the garbage collector asks work for.
func wmAlone() bool {
	return wmObjects.alone && !trace.enabledWithAllocFree && gcBlackenEnabled == 0
}

// wmTinySlot returns the size of the slot that the tiny allocator will take for an object of size: 0 if
// the object shares one. It is as in mallocgcTiny.
func wmTinySlot(size uintptr) uintptr {
	c := getMCache(getg().m)
	off := c.tinyoffset
	switch {
	case size&7 == 0 || goarch.PtrSize == 4 && size == 12:
		off = alignUp(off, 8)
	case size&3 == 0:
		off = alignUp(off, 4)
	case size&1 == 0:
		off = alignUp(off, 2)
	}
	if off+size <= maxTinySize && c.tiny != 0 {
		return 0
	}
	return maxTinySize
}

// wmOnMalloc counts an object. slot is the size of its slot, 0 of an object that shares the slot of one
// before it.
//
// It returns the other arguments in the registers where a function of the allocator has them
// anyway. Otherwise such a function would store them, also when nothing is counted.
//
//go:nosplit
func wmOnMalloc(size uintptr, typ *_type, needzero bool, slot uintptr) (uintptr, *_type, bool) {
	gp := getg().m.curg // also where the system stack makes objects for it
	t, by := uintptr(unsafe.Pointer(typ)), uint64(wmSomebody)
	switch {
	case gp == nil:
	case gp.wm.flags&wmMuted != 0:
		t, by = 0, wmSomebody|wmItself
	case gp.wm.stack != 0:
		if call := wmBelow(gp.wm.top); call.frame&wmFrameTimed != 0 {
			by = call.maker()
		} else {
			by = wmMaker(gp)
		}
	}
	if slot > maxSmallSize-mallocHeaderSize { // it has pages of its own
		slot = alignUp(slot, pageSize)
	}
	// The P is ours until the next call. Only while the program begins there is none.
	if pp := getg().m.p.ptr(); pp.wm.made != 0 {
		m := wmMadeAt(pp.wm.made, wmMadeHash(t, by)&pp.wm.madeMask)
		if m.typ == t && m.by == by {
			m.objects++
			m.bytes += uint64(slot)
			return size, typ, needzero
		}
	}
	wmMadeSlow(t, by, slot)
	return size, typ, needzero
}

// maker returns a timed call as it is in wmMaking.by.
func (call *wmCall) maker() uint64 {
	by := uint64(call.frame) & wmTimedSite
	if call.flags&wmCallPath != 0 {
		by |= uint64(call.node())
	}
	return by
}

// wmMaker returns the innermost timed call of gp, which has a stack of calls, as it is in wmMaking.by.
//
//go:noinline
func wmMaker(gp *g) uint64 {
	base := wmStackOf(gp).base()
	for top := gp.wm.top; top > base; top -= wmCallBytes {
		if call := wmBelow(top); call.frame&wmFrameTimed != 0 {
			return call.maker()
		}
	}
	return wmSomebody
}

// wmMadeHash returns a number from which the mask of a table takes the first place for a type and a
// maker.
func wmMadeHash(typ uintptr, by uint64) uintptr {
	return uintptr((uint64(typ)*0x9E3779B97F4A7C15 + by*0xFF51AFD7ED558CCD) >> 35)
}

// wmMadeAt returns the place that lies so many bytes behind the first one.
func wmMadeAt(places, offset uintptr) *wmMaking {
	return (*wmMaking)(unsafe.Pointer(places + unsafe.Sizeof(wmMadePlaces{}) + offset))
}

// wmMadeSlow counts an object that isn't in the first place for it.
//
//go:noinline
func wmMadeSlow(typ uintptr, by uint64, size uintptr) {
	mp := acquirem()
	pp := mp.p.ptr()
	t := pp.wm.madeTable
	if t == nil || t.full() && t.n() < wmMostMade {
		systemstack(func() { wmGrowMade(pp) })
		t = pp.wm.madeTable
	}
	switch m := wmFindMade(pp.wm.made, typ, by); {
	case m.by == by:
		m.objects++
		m.bytes += uint64(size)
	case t.full():
		t.objects++
		t.bytes += uint64(size)
	default:
		t.used++
		m.typ, m.objects, m.bytes = typ, 1, uint64(size)
		atomic.Store64(&m.by, by) // for readers, the last
	}
	releasem(mp)
}

func (t *wmMadeTable) n() uintptr { return (*wmMadePlaces)(unsafe.Pointer(t.places.Load())).n }

func (t *wmMadeTable) full() bool { return 2*t.used >= t.n() }

// wmFindMade returns the place of a type and a maker, or the empty one where it belongs.
func wmFindMade(places, typ uintptr, by uint64) *wmMaking {
	mask := wmMadeMask((*wmMadePlaces)(unsafe.Pointer(places)).n)
	for at := wmMadeHash(typ, by) & mask; ; at = (at + wmMadeBytes) & mask {
		m := wmMadeAt(places, at)
		if m.by == 0 || m.typ == typ && m.by == by {
			return m
		}
	}
}

// wmMadeMask takes a hash to one of n places.
func wmMadeMask(n uintptr) uintptr { return (n - 1) * wmMadeBytes }

// wmGrowMade gives pp a table, or more places. The old places stay, for their readers.
func wmGrowMade(pp *p) {
	t := pp.wm.madeTable
	first := t == nil
	n := uintptr(wmFewMade)
	if first {
		t = (*wmMadeTable)(persistentalloc(unsafe.Sizeof(wmMadeTable{}), 8, &memstats.other_sys))
	} else {
		n = 4 * t.n()
	}
	places := uintptr(persistentalloc(unsafe.Sizeof(wmMadePlaces{})+n*wmMadeBytes, 64, &memstats.other_sys))
	(*wmMadePlaces)(unsafe.Pointer(places)).n = n
	if !first {
		for i := range t.n() {
			if m := wmMadeAt(pp.wm.made, i*wmMadeBytes); m.by != 0 {
				*wmFindMade(places, m.typ, m.by) = *m
			}
		}
	}
	t.places.Store(places)
	pp.wm.made, pp.wm.madeMask = places, wmMadeMask(n)
	if first {
		pp.wm.madeTable = t
		lock(&wmObjects.lock)
		t.next, wmObjects.list = wmObjects.list, t
		unlock(&wmObjects.lock)
	}
}

// A wmMadeSince is what a goroutine has made since its latest event.
type wmMadeSince struct{ objects, bytes uint64 }

// wmMadeWord is that of a record Made, see waymark_format.go. Behind it there is a record without a
// clock, whose word is the bytes.
const wmMadeWord = wmFirstWord | wmCodeMade<<wmCodeShift

// wmTellMalloc notes an object for the next event of the goroutine that makes it. slot is as in wmOnMalloc.
func wmTellMalloc(slot uintptr) {
	gp := getg().m.curg
	if gp == nil || gp.wm.flags&wmMuted != 0 {
		return
	}
	if slot > maxSmallSize-mallocHeaderSize {
		slot = alignUp(slot, pageSize)
	}
	gp.wm.made.objects++
	gp.wm.made.bytes += uint64(slot)
	gp.wm.id = 0 // so the event takes the slow path
}

// put writes a record Made, for which there must be room for two, and begins anew.
func (m *wmMadeSince) put(pp *p, now uint64) {
	*(*wmRecord)(add(unsafe.Pointer(pp.wm.pos), wmRecordSize)) = wmRecord{0, m.bytes}
	wmPut(pp, now, wmMadeWord|m.objects&wmValueMask)
	pp.wm.pos += wmRecordSize
	*m = wmMadeSince{}
}

// A WMObject counts heap objects of a type that have one maker. It may lack any part of an object that
// is made meanwhile.
type WMObject struct {
	Type    unsafe.Pointer // *_type; nil of memory without one
	Other   bool           // they are of any types and makers, as tables were full
	Own     bool           // they are of any types, and work for waymark
	Site    uint32         // of the innermost timed call and 1; 0 if there was none
	Node    uint32         // of its path, as in WMPath, and wmMostPaths if it is in the node's other cell; 0 without paths
	Objects uint64
	Bytes   uint64 // of their slots: of objects that share one the first has them
}

// WMObjectCounts calls f for each type and maker, on each P.
func WMObjectCounts(f func(WMObject)) {
	lock(&wmObjects.lock)
	t := wmObjects.list
	unlock(&wmObjects.lock)
	for ; t != nil; t = t.next {
		places := t.places.Load()
		for i := range (*wmMadePlaces)(unsafe.Pointer(places)).n {
			m := wmMadeAt(places, i*wmMadeBytes)
			by := atomic.Load64(&m.by)
			if by == 0 {
				continue
			}
			site := uint32(0)
			if by&wmTimedCall != 0 {
				site = 1 + WMFrame(by).base()
			}
			f(WMObject{
				Type: *(*unsafe.Pointer)(unsafe.Pointer(&m.typ)), Site: site, Node: uint32(by), Own: by&wmItself != 0,
				Objects: atomic.Load64(&m.objects), Bytes: atomic.Load64(&m.bytes),
			})
		}
		if objects := atomic.Load64(&t.objects); objects > 0 {
			f(WMObject{Other: true, Objects: objects, Bytes: atomic.Load64(&t.bytes)})
		}
	}
}
