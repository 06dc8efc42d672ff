// Package runtime, as waymark adds to it: arguments, results and panic values.
//
// Values are written behind the record of their event, typed, in the encoding that
// package github.com/waymark-go/waymark/internal/wire/format describes. Three things must hold
// whatever the program does meanwhile:
//
//   - No code of the program's runs: no String, no Error, no map access.
//   - Nothing faults. What arguments point to may be changed by other goroutines
//     while it is read, so any word may be torn: a pointer with another's length, an
//     interface with another's type. Therefore no word is trusted: what it points to
//     is read after wmReadable has found memory of the program there, and as a type
//     only if it lies among the program's types.
//   - The garbage collector and the race detector see nothing: such words are kept as
//     numbers, never as pointers, and package runtime isn't instrumented.
//
// All of it runs on the system stack, or in functions that can't be preempted. So the goroutine's
// own stack, which arguments may point to, can't move meanwhile. And no collection can end between
// reading a pointer and reading what it points to.
//
// A type is walked (waymark_cursor.go) when a value of it is first written. From then on its
// program writes the values (waymark_programs.go, waymark_run.go), on amd64 mostly by routines in
// assembly (waymark_steps_amd64.s). waymark_write.go decides.

package runtime

import "unsafe"

// WMMasked is passed in place of a value that must not be recorded.
type WMMasked struct{}

func (WMMasked) String() string { return "***" }

// wmText is passed in place of a value that is recorded as text.
type wmText struct {
	typ  *_type
	text string
}

// wmValues are the values of an event: interfaces that hold the values. If a
// deferred call reads the values when it runs, the interfaces hold pointers to
// them.
type wmValues struct {
	list     unsafe.Pointer // to the first of n interfaces
	n        int
	pointers bool

	// Of integers whose interfaces have not been made: list is nil.
	words *[4]uint64
	kinds uint64

	long wmLongCall // if the event is of one; there are no values then
}

const (
	// What a value may take beyond its limit, bytes: heads of what is opened last.
	wmValueSlop = 128
	// What the values of an event may take, bytes. The chunk must have room for it.
	wmMaxValues = 16 << 10
)

// What WMCapture sets.
var wmCaptured wmCapture

type wmCapture struct {
	args, results bool
	panics        bool // values of panics
	depth         int
	bytes         uintptr
	space         uintptr // that a value may take, bytes; more than any chunk has if the fast path won't do
	redact        []string
	panicsHidden  bool // their values are not to be seen
}

// WMCapture says what is recorded of arguments, results and panics: composite values to the
// given depth, and of each value so many bytes. Fields whose names look like one of
// the words in redact are left out.
func WMCapture(args, results, panics bool, depth, bytes int, redact []string) {
	wmCaptured.args, wmCaptured.results, wmCaptured.panics = args, results, panics
	wmCaptured.depth, wmCaptured.bytes = depth, uintptr(bytes)
	wmCaptured.redact = redact
	wmCaptured.space = wmCaptured.bytes + wmValueSlop
	if bytes < wmFewBytes {
		wmCaptured.space = wmChunkSize
	}
}

// WMHide has values of panics masked from now on. If values is set, arguments and results are
// not recorded, nor gathered. The program has decided so while it was recorded. Calls that begin or end
// meanwhile see it or not.
func WMHide(values bool) {
	wmCaptured.panicsHidden = true
	if values {
		wmCaptured.args, wmCaptured.results = false, false
		for i := range wmTraces.list {
			wmTraces.list[i].args, wmTraces.list[i].results = false, false
		}
		wmProbesHidden.Store(true)
	}
}

// wmSlowEnterArgs continues WMEnterArgs where the fast path won't do.
//
//go:noinline
//go:nosplit
func wmSlowEnterArgs(f WMFrame, list unsafe.Pointer, n int) WMFrame {
	if site := WMSite(f >> 32); site>>wmSiteBits == wmFlagCounted && getg().wm.flags < wmMute1 { // as in the assembly
		if pp := getg().m.p.ptr(); pp != nil && uintptr(site&wmSiteID) < pp.wm.ncells {
			*wmCountAt(pp.wm.counts, uint32(site&wmSiteID))++
			return 0
		}
	}
	if f&wmFrameFlags == wmOnlyGathered {
		if getg().wm.gather == 0 {
			return 0
		}
		if getg().gatherFast(f.enters()) {
			return f
		}
	}
	v := wmValues{list: list, n: n}
	if f&wmFrameFlagged != 0 && f&wmFrameFlags != wmOnlyUnvalued {
		return wmEnterFlagged(f, &v)
	}
	if !wmCaptured.args || f&wmFrameUnvalued != 0 {
		v.n = 0
	}
	if gp := getg(); !wmEmitFast(gp, f.plain(), &v) && !wmEmit(gp, f.plain(), true, &v) {
		return 0
	}
	return f
}

// wmSlowExitResults continues WMExitResults.
//
//go:noinline
//go:nosplit
func wmSlowExitResults(f WMFrame, list unsafe.Pointer, n int) {
	v := wmValues{list: list, n: n}
	wmExitValues(f, &v)
}

// WMExitDeferred is WMExitResults for a deferred call, with pointers to the results.
//
//go:noinline
//go:nosplit
func WMExitDeferred(f WMFrame, results ...any) {
	v := wmValues{list: noescape(unsafe.Pointer(unsafe.SliceData(results))), n: len(results), pointers: true}
	if v.failedLast() && !f.left(getg()) {
		wmFail(f)
	}
	wmExitValues(f, &v)
}

//go:nosplit
func wmExitValues(f WMFrame, v *wmValues) {
	if f&wmFrameFlagged != 0 && f&wmFrameFlags != wmOnlyUnvalued {
		wmExitFlagged(f, v)
		return
	}
	if !wmCaptured.results || f&wmFrameUnvalued != 0 {
		v.n = 0
	}
	if gp := getg(); !wmEmitFast(gp, f.plain()|wmExitBit, v) {
		wmEmit(gp, f.plain()|wmExitBit, true, v)
	}
}

// space returns the number of bytes that the values may take, in whole records.
//
//go:nosplit
func (v *wmValues) space() uintptr {
	return (min(uintptr(v.n)*(wmCaptured.bytes+wmValueSlop), wmMaxValues) + wmRecordSize - 1) &^ (wmRecordSize - 1)
}

// records returns the number of records that the values may take.
func (v *wmValues) records() int {
	switch {
	case v == nil:
		return 0
	case v.long.site != 0:
		return 1
	case v.n == 0:
		return 0
	}
	return 1 + int(v.space()/wmRecordSize)
}

// wmPutValues writes a record with the values v. The chunk has room for both.
//
//go:nosplit
func wmPutValues(pp *p, clock, word uint64, v *wmValues) {
	(*wmRecord)(unsafe.Pointer(pp.wm.pos)).word = word
	start := pp.wm.pos + 2*wmRecordSize
	at, end := start, start+v.space()
	for i := 0; i < v.n; i++ {
		at = wmWrite(at, end, (*eface)(add(v.list, uintptr(i)*unsafe.Sizeof(eface{}))), v.pointers)
	}
	wmClearTail(at)
	wmEndValues(pp, start, at, clock)
}

// wmEndValues makes the bytes from start up to at the values of the event before, and that valid: it
// has its word. The space for the record of the values is before start.
//
//go:nosplit
func wmEndValues(pp *p, start, at uintptr, clock uint64) {
	h := (*wmChunkHead)(unsafe.Pointer(start &^ (wmChunkSize - 1)))
	h.flags |= wmHeldValues
	values, event := (*wmRecord)(unsafe.Pointer(start-wmRecordSize)), (*wmRecord)(unsafe.Pointer(start-2*wmRecordSize))
	values.word = wmValued | uint64(at-start)
	values.clock = clock
	event.commit(clock)
	pp.wm.pos = (at + wmRecordSize - 1) &^ (wmRecordSize - 1)
	if pp.wm.values.wait > 0 {
		pp.wm.values.wait--
		return
	}
	pp.wm.values.time(clock, at-start)
}

// wmClearTail clears the bytes from at up to the end of the record: what was there before would get
// into the file.
//
//go:nosplit
func wmClearTail(at uintptr) {
	for ; at&(wmRecordSize-1) != 0; at++ {
		*(*byte)(unsafe.Pointer(at)) = 0
	}
}

// wmPanicValue returns the text of a panic value of the runtime's own, whose fields say little.
func wmPanicValue(e any) any {
	if wmCaptured.panicsHidden {
		return WMMasked{}
	}
	switch err := e.(type) {
	case boundsError:
		return wmText{efaceOf(&e)._type, err.Error()}
	case *TypeAssertionError:
		return wmText{efaceOf(&e)._type, err.Error()}
	case errorString:
		return wmText{efaceOf(&e)._type, err.Error()}
	case errorAddressString:
		return wmText{efaceOf(&e)._type, err.Error()}
	case plainError:
		return wmText{efaceOf(&e)._type, string(err)}
	case *PanicNilError:
		return wmText{efaceOf(&e)._type, err.Error()}
	}
	return e
}
