// Package runtime, as waymark adds to it: which memory can be read.

package runtime

import (
	"internal/abi"
	"internal/runtime/gc"
	"unsafe"
)

// wmPageShift is for the assembly.
const wmPageShift = gc.PageShift

// wmReadable returns how many of the n bytes at p can be read. Bytes can be read
// that are of one object of the heap, of gp's stack, of the program's data, or of
// its arguments. What C has allocated or the program has mapped may be gone at any
// time: it can't be read.
//
//go:nosplit
func wmReadable(gp *g, p, n uintptr) uintptr {
	if s := spanOf(p); s != nil {
		switch s.state.get() {
		case mSpanInUse:
			if p < s.base() || p >= s.limit || s.isUserArenaChunk {
				return 0
			}
			// The object's end, and the span's, in case that p is old and the span new.
			return min(n, s.base()+(s.objIndex(p)+1)*s.elemsize-p, s.limit-p)
		case mSpanManual:
			if gp.stack.lo <= p && p < gp.stack.hi {
				return min(n, gp.stack.hi-p)
			}
		}
		return 0
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		switch {
		case wmWithin(p, md.noptrdata, md.end):
			return min(n, md.end-p)
		case wmWithin(p, md.types, md.etypes):
			return min(n, md.etypes-p)
		case wmWithin(p, md.rodata, md.epclntab):
			return min(n, md.epclntab-p)
		case md == &firstmoduledata && wmWithin(p, wmConstants.start, wmConstants.end):
			return min(n, wmConstants.end-p)
		case wmWithin(p, md.data, md.edata): // C's linkers put it before noptrdata
			return min(n, md.edata-p)
		}
	}
	if wmWithin(p, wmArguments.start, wmArguments.end) {
		return min(n, wmArguments.end-p)
	}
	return 0
}

// wmWithin reports whether p lies in a section, if there is one. Programs that compile code while
// they run make modules for that code. Most fields of such a module are zero.
func wmWithin(p, start, end uintptr) bool { return start != 0 && start <= p && p < end }

// wmConstants is the memory around the types of the first module. From go1.27 on there
// are functions' values behind them, and in position-independent programs constants
// before them, which no field of moduledata bounds.
var wmConstants struct{ start, end uintptr }

// wmFixed is memory of the first module's that wmReadable finds, too: where most constants and variables lie.
var wmFixed wmFixedMemory

type wmFixedMemory struct {
	constants, constantsSize, data, dataSize uintptr
	int, string                              uintptr // the addresses of these types
}

func wmFindConstants() {
	md := &firstmoduledata
	start, end := alignDown(md.types, physPageSize), alignUp(md.etypes, physPageSize)
	for start > md.epclntab && wmMapped(start-physPageSize) {
		start -= physPageSize
	}
	for end < md.noptrdata && wmMapped(end) {
		end += physPageSize
	}
	wmConstants.start, wmConstants.end = start, end
	wmFixed.constants, wmFixed.constantsSize = md.rodata, md.epclntab-md.rodata
	wmFixed.data, wmFixed.dataSize = md.noptrdata, md.end-md.noptrdata
	wmFixed.int, wmFixed.string = uintptr(unsafe.Pointer(abi.TypeFor[int]())), uintptr(unsafe.Pointer(abi.TypeFor[string]()))
}

// wmArguments is the memory of the program's arguments. Package runtime makes os.Args of
// the kernel's strings without a copy. They lie behind argv, at the end of the first
// thread's stack, which nobody unmaps.
var wmArguments struct{ start, end uintptr }

// wmFindArguments finds the pages of the arguments. The kernel puts one behind the other:
// what lies elsewhere, C code has put there, and it may be gone at any time.
func wmFindArguments() {
	var start, end uintptr
	for _, s := range argslice {
		p := uintptr(unsafe.Pointer(unsafe.StringData(s)))
		switch {
		case start == 0 && p > uintptr(unsafe.Pointer(argv)):
			start = p
		case start == 0 || p != end:
			return
		}
		end = p + uintptr(len(s)) + 1 // with the 0 at its end
		wmArguments.start, wmArguments.end = alignDown(start, physPageSize), alignUp(end, physPageSize)
	}
}
