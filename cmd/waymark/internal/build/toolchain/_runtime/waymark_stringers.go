// Package runtime, as waymark adds to it: values as text, by methods of the program.
//
// Functions that were instrumented for it (waymark's flag --stringers) call these
// hooks. What they are given escapes, for nobody knows what a method String keeps. A value
// that holds masked fields is recorded by its fields: its text would hold theirs.

package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// wmStringer gives a value's text, if its type has a method for that. The library
// sets it: it guards against methods that panic, wait or don't come back.
var wmStringer func(any) (string, bool)

// WMStringer sets the function by which values are turned into text.
func WMStringer(f func(any) (string, bool)) { wmStringer = f }

// wmAsText gives in place of v its text, if there is one.
func wmAsText(v any) any {
	if v == nil {
		return v
	}
	switch v.(type) {
	case WMMasked:
		return v
	case error, stringer:
	default:
		return v // nor is it searched
	}
	if wmHoldsMasked(&v) {
		return v // its fields are recorded, but for those
	}
	gp := getg()
	wmMute(gp, true)
	text, ok := wmStringer(v)
	wmMute(gp, false)
	if ok {
		return wmText{efaceOf(&v)._type, text}
	}
	return v
}

// wmAsTexts is wmAsText for all values of a list, or for what they point to. In a bubble of
// testing/synctest no method is asked. On a goroutine in the bubble it would take part in
// the bubble's time, which stands still while it waits for a lock. On a goroutine outside
// it must not touch the bubble's channels. Nor is one asked where the goroutine must not
// wait.
func wmAsTexts(list []any, pointers bool) []any {
	gp := getg()
	if wmStringer == nil || wm.on.Load() == 0 || gp.wm.flags&wmMuted != 0 || gp.hides() || gp.bubble != nil || !wmMayWait(gp, 0) {
		return list
	}
	out := make([]any, len(list))
	for i, v := range list {
		if pointers {
			v = wmTarget(v)
		}
		out[i] = wmAsText(v)
	}
	return out
}

// wmTarget gives the value that p, which holds a pointer, points to.
func wmTarget(p any) (v any) {
	e, out := efaceOf(&p), efaceOf(&v)
	if e._type.Kind() != abi.Pointer {
		return p // masked
	}
	t := (*ptrtype)(unsafe.Pointer(e._type)).Elem
	switch {
	case t.Kind() == abi.Interface && len((*interfacetype)(unsafe.Pointer(t)).Methods) == 0:
		return *(*any)(e.data)
	case t.Kind() == abi.Interface:
		if i := (*iface)(e.data); i.tab != nil {
			out._type, out.data = i.tab.Type, i.data
		}
	case t.IsDirectIface():
		out._type, out.data = t, *(*unsafe.Pointer)(e.data)
	default:
		out._type, out.data = t, e.data
	}
	return v
}

// WMEnterStrings is WMEnterArgs with texts in place of values that have them.
//
//go:noinline
func WMEnterStrings(site WMSite, args ...any) WMFrame {
	if site&wmFlagged != 0 {
		v := wmValues{list: noescape(unsafe.Pointer(unsafe.SliceData(args))), n: len(args)}
		return wmEnterFlagged(WMFrame(site)<<32|WMFrame(wmToken(getg(), sys.GetCallerSP())), &v)
	}
	if wmCaptured.args {
		args = wmAsTexts(args, false)
	}
	gp := getg()
	f := WMFrame(site)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	v := wmValues{list: noescape(unsafe.Pointer(unsafe.SliceData(args))), n: len(args)}
	if !wmCaptured.args {
		v.n = 0
	}
	if !wmEmit(gp, uint64(f), true, &v) {
		return 0
	}
	return f
}

// WMExitStrings is WMExitResults with texts in place of values that have them.
func WMExitStrings(f WMFrame, results ...any) {
	if wmCaptured.results && f&wmFrameFlagged == 0 {
		results = wmAsTexts(results, false)
	}
	WMExitResults(f, results...)
}

// WMExitDeferredStrings is WMExitStrings for a deferred call, with pointers to the results.
func WMExitDeferredStrings(f WMFrame, results ...any) {
	texts := results
	if wmCaptured.results && f&wmFrameFlagged == 0 {
		texts = wmAsTexts(results, true)
	}
	if unsafe.SliceData(texts) == unsafe.SliceData(results) {
		WMExitDeferred(f, results...)
	} else {
		v := wmValues{list: noescape(unsafe.Pointer(unsafe.SliceData(results))), n: len(results), pointers: true}
		if v.failedLast() && !f.left(getg()) {
			wmFail(f)
		}
		WMExitResults(f, texts...)
	}
}
