// Package runtime, as waymark adds to it: the end of an arena.
//
// Recordings follow one another, each with an arena of its own. WMStop ends a recording without
// stopping the world, as it runs when the program ends, and a goroutine that never reaches a safe
// point must not keep the program from ending. After WMStop, calls in progress may still write
// their exits into the arena. WMRetire ends that.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// WMRetire forgets the arena of a recording that has ended, and all that is known by the arena:
// positions of Ps, goroutines that have a Start record, descriptions of types. No thread writes
// to the arena any more when WMRetire returns. WMRetire reports whether the caller may unmap the
// arena: not if the program is dying, as wmOnFatal writes to the control chunk.
//
// The world is stopped meanwhile. Neither the assembly nor wmEmit can be preempted, so no thread
// is between the look at a P's position and the store of an event. From then on a call in progress
// finds no chunk. If the next recording has begun when such a call ends, the exit is written there;
// readers count calls without a recorded beginning.
func WMRetire() bool {
	stw := stopTheWorld(stwReadMemStats)
	lock(&wm.lock)
	wm.base = 0
	wm.free, wm.full, wm.origins = nil, nil, nil
	wm.nfree, wm.head, wm.nfull, wm.taken, wm.seq, wm.norigins = 0, 0, 0, 0, 0, 0
	unlock(&wm.lock)
	for _, pp := range allp[:cap(allp)] { // GOMAXPROCS may grow again
		if pp != nil {
			pp.wm.pos, pp.wm.lost = 0, 0
			pp.wm.goid, pp.wm.last = ^uint64(0), ^uint64(0)
		}
	}
	forEachGRace(func(gp *g) {
		gp.wm.flags &^= wmHeard
		gp.wm.stop.ran = 0
		gp.wm.id = 0 // else the fast path would write its events without a Start record
		gp.wm.made = wmMadeSince{}
	})
	lock(&wmTypes.lock)
	wmForgetTypes()
	unlock(&wmTypes.lock)
	startTheWorld(stw)
	return !wm.frozen.Load()
}

// A wmTypeBlock is a piece of the memory for descriptions of types, which follows the block's head.
// The memory is used again by the next recording, and never given back.
type wmTypeBlock struct {
	_          sys.NotInHeap
	next       *wmTypeBlock
	size, used uintptr
}

// wmTypeBlocks are all blocks. wmTypes.lock guards them, but in WMStart.
var wmTypeBlocks *wmTypeBlock

const wmTypeBlockSize = 16<<10 - unsafe.Sizeof(wmTypeBlock{})

// wmTypeMemory returns zeroed memory that lasts until the end of the recording.
func wmTypeMemory(size uintptr) unsafe.Pointer {
	size = alignUp(size, wmWordSize)
	b := wmTypeBlocks
	for b != nil && b.size-b.used < size {
		b = b.next
	}
	if b == nil {
		n := max(size, wmTypeBlockSize)
		b = (*wmTypeBlock)(persistentalloc(unsafe.Sizeof(wmTypeBlock{})+n, wmWordSize, &memstats.other_sys))
		b.size, b.next = n, wmTypeBlocks
		wmTypeBlocks = b
	}
	p := add(unsafe.Pointer(b), unsafe.Sizeof(wmTypeBlock{})+b.used)
	b.used += size
	memclrNoHeapPointers(p, size)
	return p
}

// wmForgetTypes makes an empty table in place of all descriptions. Nobody reads them meanwhile:
// that is done without preemption.
func wmForgetTypes() {
	for b := wmTypeBlocks; b != nil; b = b.next {
		b.used = 0
	}
	wmTypes.n, wmTypes.id, wmTypes.chunk, wmTypes.short, wmTypes.nchunks = 0, 0, 0, false, 0
	wmTypes.era++
	wmTypes.table = wmNewTypeTable(1024)
}
