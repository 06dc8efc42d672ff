// Package runtime, as waymark adds to it: the memory of traces, outside of the heap.
//
// It comes from the system in slabs, and is given out in blocks. Each gatherer has its
// own. wmTraces.lock guards all of it, but for what Ps have at hand: see wmTracesOfP.

package runtime

import "unsafe"

// wmBlockSlab is of what the system is asked for. Its first block has the address of the next slab.
const wmBlockSlab = 1 << 20

// wmBlocks are the blocks of a gatherer.
type wmBlocks struct {
	free       uintptr // those that were given back
	fresh, end uintptr // of the latest slab, not yet given out
	slabs      uintptr // the latest one
	used       uintptr
	most       uintptr // that may be used
	kept       uintptr // the last ones of these, for the ends of calls

	traces, strands wmPieces
}

// take returns a block, 0 if there is none. begins says that it is for calls that begin.
func (l *wmBlocks) take(begins bool) uintptr {
	most := l.most
	if begins {
		most -= l.kept
	}
	if l.used >= most {
		return 0
	}
	b := l.free
	if b != 0 {
		l.free = (*wmBlock)(unsafe.Pointer(b)).next
	} else {
		if l.fresh == l.end && !l.grow() {
			return 0
		}
		b = l.fresh
		l.fresh += wmBlockSize
	}
	l.used++
	return b
}

// grow asks the system for memory, and reports whether there is some.
func (l *wmBlocks) grow() bool {
	var slab uintptr
	systemstack(func() {
		slab = uintptr(sysAlloc(wmBlockSlab, &memstats.other_sys, "waymark traces"))
	})
	if slab == 0 {
		return false
	}
	*(*uintptr)(unsafe.Pointer(slab)) = l.slabs
	l.slabs = slab
	l.fresh, l.end = slab+wmBlockSize, slab+wmBlockSlab
	return true
}

// give takes back the block b and those that follow it.
func (l *wmBlocks) give(b uintptr) {
	last := b
	for n := uintptr(1); ; n++ {
		next := (*wmBlock)(unsafe.Pointer(last)).next
		if next == 0 {
			l.used -= n
			break
		}
		last = next
	}
	(*wmBlock)(unsafe.Pointer(last)).next = l.free
	l.free = b
}

// forget takes back a list of strands, whose goroutines have left.
func (l *wmBlocks) forget(s *wmStrand) {
	for s != nil {
		next := s.next
		s.release()
		l.strands.free(uintptr(unsafe.Pointer(s)))
		s = next
	}
}

// release gives all memory back to the system. Nobody uses any of it.
func (l *wmBlocks) release() {
	for slab := l.slabs; slab != 0; {
		next := *(*uintptr)(unsafe.Pointer(slab))
		systemstack(func() { sysFree(unsafe.Pointer(slab), wmBlockSlab, &memstats.other_sys) })
		slab = next
	}
	*l = wmBlocks{}
}

// wmPieces are pieces of blocks, all of one size.
type wmPieces struct {
	list       uintptr
	fresh, end uintptr
}

// take returns a piece, 0 if there is no memory.
func (l *wmPieces) take(b *wmBlocks, size uintptr) uintptr {
	p := l.list
	if p != 0 {
		l.list = *(*uintptr)(unsafe.Pointer(p))
		return p
	}
	if l.end-l.fresh < size {
		if l.fresh = b.take(true); l.fresh == 0 {
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

// newTrace returns an empty trace with a block, nil if there is no memory.
func (c *wmGatherer) newTrace() *wmTrace {
	lock(&wmTraces.lock)
	t := (*wmTrace)(unsafe.Pointer(c.blocks.traces.take(&c.blocks, unsafe.Sizeof(wmTrace{}))))
	b := uintptr(0)
	if t != nil {
		if b = c.blocks.take(true); b == 0 {
			c.blocks.traces.free(uintptr(unsafe.Pointer(t)))
			t = nil
		}
	}
	unlock(&wmTraces.lock)
	if t != nil {
		(*wmBlock)(unsafe.Pointer(b)).clear()
		*t = wmTrace{of: c.number}
		t.root.first, t.root.block = b, b
	}
	return t
}
