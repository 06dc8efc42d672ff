// Package runtime, as waymark adds to it: heap objects, counted by their type and by the call that
// made them.
//
// The hook is in postMallocgcDebug, to which each way through the allocator leads while debug.malloc
// is set: also those of newer compilers for objects of one size. The paths of the allocator test
// debug.malloc anyway, so that counts which are off cost nothing.
//
// Each P has a table, open-addressed and at most half full, of types and calls. Nobody else writes to
// it, as package runtime is preempted at calls only, and none of its counts is set back.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmMaking counts the objects of a type that calls of a site made, on a path if paths are kept.
type wmMaking struct {
	typ     uintptr // *_type; 0 of memory without one. Types are never freed
	by      uint64  // see wmMaker; 0 if the place is empty
	objects uint64
	bytes   uint64
}

const (
	wmMadeBytes = unsafe.Sizeof(wmMaking{})
	wmFewMade   = 1 << 8  // places of a first table
	wmMostMade  = 1 << 18 // of the largest one
)

// wmSomebody is set in each by. Below it there are the site and 1, or 0 if no timed call made the
// objects, and in the lower half the node of the path; 0 without paths.
const (
	wmSomebody = 1 << 63
	wmItself   = 1 << 62 // waymark made them: their types are one
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
	on   bool // it changes while the world stands still
	lock mutex
	list *wmMadeTable
}

// WMObjects says whether heap objects are counted. The world stands still for it.
func WMObjects(on bool) {
	stw := stopTheWorld(stwReadMemStats)
	wmObjects.on = on
	// The execution tracer sets debug.malloc, too, and sets it back to what it has noted.
	others := debug.inittrace|debug.sbrk|debug.checkfinalizers != 0
	trace.debugMalloc = on || others
	debug.malloc = trace.debugMalloc || trace.enabledWithAllocFree
	startTheWorld(stw)
}

// wmOnMalloc counts an object. size is that of its slot, 0 of an object that shares the slot of one
// before it.
func wmOnMalloc(size uintptr, typ *_type) {
	gp := getg()
	if gp == gp.m.g0 {
		gp = gp.m.curg
	}
	by := uint64(wmSomebody)
	if gp != nil {
		if gp.wm.flags&wmMuted != 0 {
			typ, by = nil, wmSomebody|wmItself
		} else if gp.wm.stack != 0 {
			by = wmMaker(gp)
		}
	}
	if size > maxSmallSize-mallocHeaderSize { // it has pages of its own
		size = alignUp(size, pageSize)
	}
	pp := getg().m.p.ptr() // ours until the next call
	if pp == nil {
		return // the program begins
	}
	if pp.wm.made != 0 {
		m := wmMadeAt(pp.wm.made, wmMadeHash(uintptr(unsafe.Pointer(typ)), by)>>pp.wm.madeShift)
		if m.typ == uintptr(unsafe.Pointer(typ)) && m.by == by {
			m.objects++
			m.bytes += uint64(size)
			return
		}
	}
	wmMadeSlow(uintptr(unsafe.Pointer(typ)), by, size)
}

// wmMaker returns the innermost timed call of gp, which has a stack of calls, as it is in wmMaking.by.
func wmMaker(gp *g) uint64 {
	base := wmStackOf(gp).base()
	for top := gp.wm.top; top > base; top -= wmCallBytes {
		call := wmBelow(top)
		if call.frame&wmFrameTimed == 0 {
			continue
		}
		by := wmSomebody | uint64(call.frame.site()+1)<<32
		if wmPaths.on && call.flags&wmCallPath != 0 {
			by |= uint64(call.node)
		}
		return by
	}
	return wmSomebody
}

func wmMadeHash(typ uintptr, by uint64) uint64 {
	return (uint64(typ) ^ by*0xFF51AFD7ED558CCD) * 0x9E3779B97F4A7C15
}

func wmMadeAt(places uintptr, i uint64) *wmMaking {
	return (*wmMaking)(unsafe.Pointer(places + unsafe.Sizeof(wmMadePlaces{}) + uintptr(i)*wmMadeBytes))
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
	n := (*wmMadePlaces)(unsafe.Pointer(places)).n
	for i := wmMadeHash(typ, by) >> wmMadeShift(n); ; i++ {
		m := wmMadeAt(places, i&uint64(n-1))
		if m.by == 0 || m.typ == typ && m.by == by {
			return m
		}
	}
}

// wmMadeShift takes a hash to a place of n.
func wmMadeShift(n uintptr) uint8 { return uint8(65 - sys.Len64(uint64(n))) }

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
			if m := wmMadeAt(pp.wm.made, uint64(i)); m.by != 0 {
				*wmFindMade(places, m.typ, m.by) = *m
			}
		}
	}
	t.places.Store(places)
	pp.wm.made, pp.wm.madeShift = places, wmMadeShift(n)
	if first {
		pp.wm.madeTable = t
		lock(&wmObjects.lock)
		t.next, wmObjects.list = wmObjects.list, t
		unlock(&wmObjects.lock)
	}
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
			m := wmMadeAt(places, uint64(i))
			by := atomic.Load64(&m.by)
			if by == 0 {
				continue
			}
			f(WMObject{
				Type: *(*unsafe.Pointer)(unsafe.Pointer(&m.typ)), Site: uint32(by >> 32 &^ ((wmSomebody | wmItself) >> 32)), Node: uint32(by), Own: by&wmItself != 0,
				Objects: atomic.Load64(&m.objects), Bytes: atomic.Load64(&m.bytes),
			})
		}
		if objects := atomic.Load64(&t.objects); objects > 0 {
			f(WMObject{Other: true, Objects: objects, Bytes: atomic.Load64(&t.bytes)})
		}
	}
}
