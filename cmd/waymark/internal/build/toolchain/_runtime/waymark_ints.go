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
func wmSlowEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame {
	gp := getg()
	f := WMFrame(s)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	if gp.sees(f) {
		return wmEnterWatchedInts(gp, f, kinds, a, b, c, d)
	}
	return wmEnterInts(f, kinds, &[4]uint64{a, b, c, d})
}

// sees reports whether monitors are told of a call of the goroutine, and that is all.
func (gp *g) sees(f WMFrame) bool {
	return f&wmFrameFlags == wmFrameFlagged|wmFrameWatched && gp.wm.flags&wmMuted == 0 && gp == gp.m.curg
}

func wmEnterInts(f WMFrame, kinds uint64, words *[4]uint64) WMFrame {
	if f&wmFrameFlagged != 0 {
		return wmEnterFlagged(f, &wmValues{n: int(kinds & 7), words: words, kinds: kinds})
	}
	if !wmEmitInts(uint64(f), kinds, wmCaptured.args, words) {
		return 0
	}
	return f
}

// wmSlowExitInts continues WMExitInts.
//
//go:noinline
func wmSlowExitInts(f WMFrame, kinds, a, b, c, d uint64) {
	if f&wmFrameFlags == wmFrameFlagged|wmFrameWatched {
		wmExitWatchedInts(getg(), f, kinds, a, b, c, d)
		return
	}
	words := [4]uint64{a, b, c, d}
	if f&wmFrameFlagged != 0 {
		wmExitFlagged(f, &wmValues{n: int(kinds & 7), words: &words, kinds: kinds})
		return
	}
	wmEmitInts(uint64(f)|wmExitBit, kinds, wmCaptured.results, &words)
}

// wmEmitInts is wmEmit for an event with integers, of which the values are written if
// they are wanted.
func wmEmitInts(word, kinds uint64, wanted bool, words *[4]uint64) bool {
	gp := getg()
	var list [4]eface
	v := wmIntsOf(&list, words, kinds)
	if !wanted {
		v.n = 0
	}
	return wmEmitFast(gp, word, &v) || wmEmit(gp, word, true, &v)
}

// wmIntsOf makes interfaces of words. Those of fewer than 64 bits are the lower ones:
// recording needs a little-endian machine.
func wmIntsOf(list *[4]eface, words *[4]uint64, kinds uint64) wmValues {
	n := int(kinds & 7)
	for i := 0; i < n; i++ {
		list[i] = eface{wmIntType(kinds >> (3 + 5*i)), noescape(unsafe.Pointer(&words[i]))}
	}
	return wmValues{list: noescape(unsafe.Pointer(list)), n: n}
}

// wmIntType gives the type of integers whose kind the lowest bits of kinds are.
func wmIntType(kinds uint64) *_type { return efaceOf(&wmInteger[kinds&31])._type }

// wmInteger has an integer of each type, by its kind.
var wmInteger = [32]any{
	abi.Int: int(0), abi.Int8: int8(0), abi.Int16: int16(0), abi.Int32: int32(0), abi.Int64: int64(0),
	abi.Uint: uint(0), abi.Uint8: uint8(0), abi.Uint16: uint16(0), abi.Uint32: uint32(0), abi.Uint64: uint64(0),
	abi.Uintptr: uintptr(0),
}
