// Package runtime, as waymark adds to it: names of types and of their fields.

package runtime

import (
	"internal/abi"
	"unsafe"
)

// A wmName is a string among the types of a module, or in the heap.
type wmName struct{ p, len uintptr }

// wmNameAt reads the name at p. It is empty if there is none.
func (md *moduledata) wmNameAt(p uintptr) wmName {
	if p < md.types {
		return wmName{}
	}
	return wmReadName(p, md.etypes)
}

// wmReadName reads the name at p, before end: flags, length, bytes, as abi.Name has it.
func wmReadName(p, end uintptr) wmName {
	if p+3 > end {
		return wmName{}
	}
	n, shift := uintptr(0), 0
	for p++; shift < 21 && p < end; shift += 7 {
		b := *(*byte)(unsafe.Pointer(p))
		p++
		n |= uintptr(b&0x7F) << shift
		if b < 0x80 {
			break
		}
	}
	if p >= end || n > end-p {
		return wmName{}
	}
	return wmName{p, n}
}

func wmFieldName(key uintptr, i int) (wmName, bool) {
	fields := (*structtype)(unsafe.Pointer(key)).Fields
	p := uintptr(unsafe.Pointer(fields[i].Name.Bytes))
	if md := wmModuleOf(p, 1); md != nil {
		return md.wmNameAt(p), true
	}
	const most = 1 << 12 // bytes of a name
	if !wmInHeap(p, 1) {
		return wmName{}, false
	}
	name := wmReadName(p, p+wmReadable(getg(), p, most))
	return name, name.len > 0
}

// wmPackage gives the import path of a named type that is not predeclared.
func (md *moduledata) wmPackage(typ *_type) wmName {
	if typ.TFlag&abi.TFlagUncommon == 0 {
		return wmName{}
	}
	u := uintptr(unsafe.Pointer(typ.Uncommon()))
	if u < md.types || u+unsafe.Sizeof(uncommontype{}) > md.etypes {
		return wmName{}
	}
	off := (*uncommontype)(unsafe.Pointer(u)).PkgPath
	if off == 0 {
		return wmName{}
	}
	return md.wmNameAt(md.types + uintptr(off))
}
