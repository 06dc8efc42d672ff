// Package runtime, as waymark adds to it: integers as arguments and results.
//
// They are common and cost nothing to pass, so they have hooks of their own that
// store them as they are; the writer encodes them. kinds says how many there are and of
// which types: n | kind<<3 | kind<<8 | kind<<13 | kind<<18.

package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// WMWord is uint64, by a name that programs don't give another meaning.
type WMWord = uint64

// wmSlowEnterInts continues WMEnterInts where the fast path won't do.
//
//go:noinline
func wmSlowEnterInts(site WMSite, kinds, a, b, c, d uint64) WMFrame {
	gp := getg()
	f := WMFrame(site)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	words := [4]uint64{a, b, c, d}
	var list [4]eface
	v := wmInts(&list, &words, kinds)
	if !wmCaptured.args {
		v.n = 0
	}
	if !wmEmit(gp, uint64(f), true, &v) {
		return 0
	}
	return f
}

// wmSlowExitInts continues WMExitInts.
//
//go:noinline
func wmSlowExitInts(f WMFrame, kinds, a, b, c, d uint64) {
	words := [4]uint64{a, b, c, d}
	var list [4]eface
	v := wmInts(&list, &words, kinds)
	if !wmCaptured.results {
		v.n = 0
	}
	wmEmit(getg(), uint64(f)|wmExitBit, true, &v)
}

// wmInts makes interfaces of words. Those of fewer than 64 bits are the lower ones:
// recording needs a little-endian machine.
func wmInts(list *[4]eface, words *[4]uint64, kinds uint64) wmValues {
	n := int(kinds & 7)
	for i := 0; i < n; i++ {
		list[i] = eface{wmIntType(abi.Kind(kinds >> (3 + 5*i) & 31)), noescape(unsafe.Pointer(&words[i]))}
	}
	return wmValues{list: noescape(unsafe.Pointer(list)), n: n}
}

func wmIntType(k abi.Kind) *_type {
	switch k {
	case abi.Int8:
		return abi.TypeFor[int8]()
	case abi.Int16:
		return abi.TypeFor[int16]()
	case abi.Int32:
		return abi.TypeFor[int32]()
	case abi.Int64:
		return abi.TypeFor[int64]()
	case abi.Uint:
		return abi.TypeFor[uint]()
	case abi.Uint8:
		return abi.TypeFor[uint8]()
	case abi.Uint16:
		return abi.TypeFor[uint16]()
	case abi.Uint32:
		return abi.TypeFor[uint32]()
	case abi.Uint64:
		return abi.TypeFor[uint64]()
	case abi.Uintptr:
		return abi.TypeFor[uintptr]()
	}
	return abi.TypeFor[int]()
}
