// Package runtime, as waymark adds to it: the memory of traces, outside of the heap.
//
// It comes from the system in slabs, and is given out in blocks. wmTraces.lock guards all of it.

package runtime

import "unsafe"

// wmBlockSlab is of what the system is asked for. Its first block has the address of the next slab.
const wmBlockSlab = 1 << 20

// wmBlocks are the blocks.
var wmBlocks struct {
	free       uintptr // those that were given back
	fresh, end uintptr // of the latest slab, not yet given out
	slabs      uintptr // the latest one
	used       uintptr
	most       uintptr // that may be used
	kept       uintptr // the last ones of these, for the ends of calls
}

// wmTakeBlock returns a block, 0 if there is none. begins says that it is for calls that begin.
func wmTakeBlock(begins bool) uintptr {
	most := wmBlocks.most
	if begins {
		most -= wmBlocks.kept
	}
	if wmBlocks.used >= most {
		return 0
	}
	b := wmBlocks.free
	if b != 0 {
		wmBlocks.free = (*wmBlock)(unsafe.Pointer(b)).next
	} else {
		if wmBlocks.fresh == wmBlocks.end && !wmNewSlab() {
			return 0
		}
		b = wmBlocks.fresh
		wmBlocks.fresh += wmBlockSize
	}
	wmBlocks.used++
	return b
}

// wmNewSlab asks the system for memory, and reports whether there is some.
func wmNewSlab() bool {
	var slab uintptr
	systemstack(func() {
		slab = uintptr(sysAlloc(wmBlockSlab, &memstats.other_sys, "waymark traces"))
	})
	if slab == 0 {
		return false
	}
	*(*uintptr)(unsafe.Pointer(slab)) = wmBlocks.slabs
	wmBlocks.slabs = slab
	wmBlocks.fresh, wmBlocks.end = slab+wmBlockSize, slab+wmBlockSlab
	return true
}

// wmFreeBlocks gives back the block b and those that follow it.
func wmFreeBlocks(b uintptr) {
	last := b
	for n := uintptr(1); ; n++ {
		next := (*wmBlock)(unsafe.Pointer(last)).next
		if next == 0 {
			wmBlocks.used -= n
			break
		}
		last = next
	}
	(*wmBlock)(unsafe.Pointer(last)).next = wmBlocks.free
	wmBlocks.free = b
}

// wmFreeSlabs gives all memory back to the system. Nobody uses any of it.
func wmFreeSlabs() {
	for slab := wmBlocks.slabs; slab != 0; {
		next := *(*uintptr)(unsafe.Pointer(slab))
		systemstack(func() { sysFree(unsafe.Pointer(slab), wmBlockSlab, &memstats.other_sys) })
		slab = next
	}
	wmBlocks.free, wmBlocks.fresh, wmBlocks.end, wmBlocks.slabs, wmBlocks.used = 0, 0, 0, 0, 0
	wmFreeTraces, wmFreeStrands = wmPieces{}, wmPieces{}
}

// wmPieces are pieces of blocks, all of one size.
type wmPieces struct {
	list       uintptr
	fresh, end uintptr
}

var wmFreeTraces, wmFreeStrands wmPieces

// take returns a piece, 0 if there is no memory.
func (l *wmPieces) take(size uintptr) uintptr {
	p := l.list
	if p != 0 {
		l.list = *(*uintptr)(unsafe.Pointer(p))
		return p
	}
	if l.end-l.fresh < size {
		if l.fresh = wmTakeBlock(true); l.fresh == 0 {
			l.end = 0
			return 0
		}
		l.end = l.fresh + wmBlockSize
	}
	p = l.fresh
	l.fresh += size
	return p
}

// free takes a piece back.
func (l *wmPieces) free(p uintptr) {
	*(*uintptr)(unsafe.Pointer(p)), l.list = l.list, p
}

// wmNewTrace returns an empty trace with a block, nil if there is no memory.
func wmNewTrace() *wmTrace {
	lock(&wmTraces.lock)
	t := (*wmTrace)(unsafe.Pointer(wmFreeTraces.take(unsafe.Sizeof(wmTrace{}))))
	b := uintptr(0)
	if t != nil {
		if b = wmTakeBlock(true); b == 0 {
			wmFreeTraces.free(uintptr(unsafe.Pointer(t)))
			t = nil
		}
	}
	unlock(&wmTraces.lock)
	if t != nil {
		memclrNoHeapPointers(unsafe.Pointer(b), wmBlockSize)
		*t = wmTrace{}
		t.root.first, t.root.block = b, b
	}
	return t
}
