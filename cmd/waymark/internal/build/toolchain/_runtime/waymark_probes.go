// Package runtime, as waymark adds to it: USDT probes at functions.
//
// Each probe has a semaphore, a number of 16 bits. A tracer of the system, such as bpftrace, has
// the kernel add 1 to the semaphore while the tracer is attached. The semaphores of a function's
// two probes lie beside its site's word, in one word of 64 bits. So one load still says at entry
// whether anybody wants to know of the call, waymark or a tracer. Calls of a function with a raised
// semaphore come here. They go through the probe's location with the values in registers. The
// location is a few instructions of a pool that do nothing. There the tracer has put its
// breakpoint.
//
// Which location is a probe's is decided when the program has been linked: see package probetable
// of the command. A probe without one never fires.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A WMProbe is an element of a unit's table of probes. Each function with probes has a wmProbes.
type WMProbe uint64

// The wmProbes of a function. The lowest bytes come first: tables are made for such processors only.
type wmProbes struct {
	word WMProbe // the site's word, then the semaphores of wmProbeEntry and wmProbeReturn
	at   [2]uint32
	site uint64 // index of the site in its package
}

// Indexes of wmProbes.at, whose elements are 0 for a probe without a location.
const (
	wmProbeEntry  = 0
	wmProbeReturn = 1
)

// What is recorded of the values that are passed for probes.
const (
	wmProbeNoValues = iota
	wmProbeValues
	wmProbeError // of a deferred call: only whether the pointer is to an error that isn't nil
	wmProbeSkip  // times as much as the number of values, at the beginning, that are recorded only
)

const (
	// The pool of locations, in assembly: a head by which it is found, then the locations, all of the
	// size 1<<wmProbeShift.
	wmProbeHead      = 32
	wmProbeLocations = 16 << 10

	wmProbeWords = 12   // values that a probe has; others are left out
	wmProbeText  = 1024 // bytes that a string takes, with a zero at its end; what is longer is cut
)

// wmProbesOff says that no probe fires, whoever is attached, and wmProbesHidden that they pass no values.
var wmProbesOff, wmProbesHidden atomic.Bool

// WMProbesOff has no probe of a function fire any more.
func WMProbesOff() { wmProbesOff.Store(true) }

// word returns where the word of the i-th site is.
func (p *WMPackage) word(i int) *uint32 {
	if probes := p.probes(i); probes != nil {
		return (*uint32)(unsafe.Pointer(&probes.word))
	}
	return (*uint32)(&p.Sites[i])
}

// probes returns the probes of the i-th site, nil if it has none.
func (p *WMPackage) probes(i int) *wmProbes {
	const words = unsafe.Sizeof(wmProbes{}) / unsafe.Sizeof(WMProbe(0))
	first := unsafe.Pointer(unsafe.SliceData(p.Probes))
	low, high := uintptr(0), uintptr(len(p.Probes))/words
	for low < high {
		middle := (low + high) / 2
		probes := (*wmProbes)(add(first, middle*unsafe.Sizeof(wmProbes{})))
		switch {
		case probes.site == uint64(i):
			return probes
		case probes.site < uint64(i):
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil
}

// WMEnterProbed is the entry of a call of a function one of whose probes has a raised semaphore. w is
// the function's word, and how says what is recorded of the arguments. The frame of a call that only
// tracers want is a token without a site.
//
//go:noinline
func WMEnterProbed(w *WMProbe, how uint64, args ...any) WMFrame {
	list := noescape(unsafe.Pointer(unsafe.SliceData(args)))
	site := wmEnterProbe(w, how/wmProbeSkip, list, len(args))
	token := WMFrame(wmToken(getg(), sys.GetCallerSP()))
	if site == 0 || WMLight(site) && WMDone(site) {
		return token
	}
	f := WMFrame(site)<<32 | token
	switch {
	case how%wmProbeSkip != wmProbeNoValues:
		f = wmSlowEnterArgs(f, list, len(args))
	case site&wmFlagged != 0:
		f = wmEnterFlagged(f, nil)
	case !wmEmit(getg(), uint64(f), true, nil):
		f = 0
	}
	if f == 0 {
		return token
	}
	return f
}

// WMEnterProbedStrings is WMEnterProbed where arguments are recorded as text.
//
//go:noinline
func WMEnterProbedStrings(w *WMProbe, how uint64, args ...any) WMFrame {
	site := wmEnterProbe(w, how/wmProbeSkip, noescape(unsafe.Pointer(unsafe.SliceData(args))), len(args))
	if site != 0 && site&wmFlagged == 0 && wmCaptured.args {
		args = wmAsTexts(args, false)
	}
	token := WMFrame(wmToken(getg(), sys.GetCallerSP()))
	if site == 0 || WMLight(site) && WMDone(site) {
		return token
	}
	if f := wmSlowEnterArgs(WMFrame(site)<<32|token, noescape(unsafe.Pointer(unsafe.SliceData(args))), len(args)); f != 0 {
		return f
	}
	return token
}

// wmEnterProbe fires the probe of an entry if its semaphore is raised, and returns the site's word. The
// probe does not pass the first skip values.
func wmEnterProbe(w *WMProbe, skip uint64, list unsafe.Pointer, n int) WMSite {
	word := atomic.Load64((*uint64)(w))
	if word>>32&0xffff != 0 {
		wmFire(w, wmProbeEntry, add(list, uintptr(skip)*unsafe.Sizeof(eface{})), n-int(skip), false)
	}
	return WMSite(word)
}

// WMReturnProbed is the return of a call whose frame isn't 0 of a function with probes. The exit of
// the call is reported next.
//
//go:noinline
func WMReturnProbed(w *WMProbe, results ...any) {
	if *(*uint16)(add(unsafe.Pointer(w), 6)) != 0 {
		wmFire(w, wmProbeReturn, noescape(unsafe.Pointer(unsafe.SliceData(results))), len(results), false)
	}
}

// WMExitProbed is the end of a call of a function with probes, for a deferred call, with pointers to
// the results. how says what is recorded of them. A call that a panic or Goexit leaves does not
// return.
//
//go:noinline
func WMExitProbed(w *WMProbe, f WMFrame, how uint64, results ...any) {
	list := noescape(unsafe.Pointer(unsafe.SliceData(results)))
	wmReturnProbe(w, f, list, len(results))
	if f>>32 == 0 {
		return // only tracers wanted the call
	}
	switch how {
	case wmProbeNoValues:
		WMExit(f)
	case wmProbeValues:
		WMExitDeferred(f, results...)
	case wmProbeError:
		last := (*eface)(add(list, uintptr(len(results)-1)*unsafe.Sizeof(eface{})))
		WMExitDeferredError(f, (*error)(noescape(last.data)))
	}
}

// WMExitProbedStrings is WMExitProbed where results are recorded as text.
//
//go:noinline
func WMExitProbedStrings(w *WMProbe, f WMFrame, how uint64, results ...any) {
	wmReturnProbe(w, f, noescape(unsafe.Pointer(unsafe.SliceData(results))), len(results))
	if f>>32 != 0 {
		WMExitDeferredStrings(f, results...)
	}
}

// wmReturnProbe fires the probe of a return if its semaphore is raised.
func wmReturnProbe(w *WMProbe, f WMFrame, list unsafe.Pointer, n int) {
	if *(*uint16)(add(unsafe.Pointer(w), 6)) != 0 && !f.left(getg()) {
		wmFire(w, wmProbeReturn, list, n, true)
	}
}

// wmFire has a probe of w fire with the n values that the interfaces at list hold, or point to. The
// goroutine stays on its P, whose memory strings are copied to.
func wmFire(w *WMProbe, which uintptr, list unsafe.Pointer, n int, pointers bool) {
	at := atomic.Load(&(*wmProbes)(unsafe.Pointer(w)).at[which])
	if at == 0 || wmProbesOff.Load() || getg().wm.flags&wmMuted != 0 {
		return
	}
	if wmProbesHidden.Load() || getg().hides() {
		n = 0
	}
	var words [wmProbeWords]uint64
	mp := acquirem()
	var text uintptr // where the next string goes
	if pp := mp.p.ptr(); pp != nil {
		if pp.wm.probed == 0 {
			systemstack(func() {
				pp.wm.probed = uintptr(persistentalloc(wmProbeWords*wmProbeText, 64, &memstats.other_sys))
			})
		}
		text = pp.wm.probed
	}
	for i := range min(n, wmProbeWords) {
		words[i], text = wmProbeValue((*eface)(add(list, uintptr(i)*unsafe.Sizeof(eface{}))), pointers, text)
	}
	wmCallProbe(uintptr(at-1), &words)
	releasem(mp)
}

// wmProbeValue returns the word by which a probe passes the value that e holds, or points to. It
// also returns where the next string may be copied to. Integers have the width of the word, with
// their sign. For floating-point numbers the word is the bits, for a string the address of its
// copy. For other values it only says whether they are nil: 0 or 1.
func wmProbeValue(e *eface, pointer bool, text uintptr) (word uint64, next uintptr) {
	t, p := e._type, e.data
	if t == nil || t == abi.TypeFor[WMMasked]() {
		return 0, text
	}
	if pointer {
		if t = (*ptrtype)(unsafe.Pointer(t)).Elem; t.Kind() == abi.Interface {
			if p = *(*unsafe.Pointer)(p); p == nil { // the type or the itab
				return 0, text
			}
			return 1, text
		}
	} else if t.IsDirectIface() {
		p = unsafe.Pointer(&e.data)
	}
	if n := t.Size_; n == 0 || wmReadable(getg(), uintptr(p), n) < n {
		return 0, text
	}
	switch t.Kind() {
	case abi.Int, abi.Int64:
		return *(*uint64)(p), text
	case abi.Uint, abi.Uint64, abi.Uintptr:
		return *(*uint64)(p), text
	case abi.Int32:
		return uint64(*(*int32)(p)), text
	case abi.Int16:
		return uint64(*(*int16)(p)), text
	case abi.Int8:
		return uint64(*(*int8)(p)), text
	case abi.Uint32, abi.Float32:
		return uint64(*(*uint32)(p)), text
	case abi.Uint16:
		return uint64(*(*uint16)(p)), text
	case abi.Uint8, abi.Bool:
		return uint64(*(*uint8)(p)), text
	case abi.Float64:
		return *(*uint64)(p), text
	case abi.String:
		return wmProbeString(*(*string)(p), text)
	case abi.Pointer, abi.UnsafePointer, abi.Map, abi.Chan, abi.Func, abi.Slice:
		if *(*unsafe.Pointer)(p) == nil {
			return 0, text
		}
		return 1, text
	case abi.Interface:
		return 1, text // an interface holds none
	}
	return 0, text
}

// wmProbeString copies a string, as far as its memory can be read, and a zero behind it.
func wmProbeString(s string, to uintptr) (word uint64, next uintptr) {
	if to == 0 {
		return 0, 0
	}
	n := min(uintptr(max(len(s), 0)), wmProbeText-1)
	if n > 0 {
		n = wmReadable(getg(), uintptr(unsafe.Pointer(unsafe.StringData(s))), n)
	}
	at := unsafe.Pointer(unsafe.StringData(s))
	if n < uintptr(len(s)) { // whole characters
		for cut := 0; cut < 3 && n > 0 && *(*byte)(add(at, n-1))&0x80 != 0; cut++ {
			n--
			if *(*byte)(add(at, n))&0xc0 == 0xc0 {
				break
			}
		}
	}
	memmove(unsafe.Pointer(to), at, n)
	*(*byte)(unsafe.Pointer(to + n)) = 0
	return uint64(to), to + n + 1
}
