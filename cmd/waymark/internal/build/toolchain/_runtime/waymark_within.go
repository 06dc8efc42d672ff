// Package runtime, as waymark adds to it: the span of the program's own tracing that a root call is in.
//
// The code of a function with a context, a request or a message hands these on if the call begins a
// trace. The library finds the span in them, and the trace keeps it.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A WMSpan is a span as W3C's Trace Context names it, with what it is known to be a request for. Zeros are none.
type WMSpan struct {
	TraceID [16]byte
	SpanID  [8]byte
	Sampled bool
	Request [103]byte // text, up to the first 0: traces can hold no pointers
}

// wmFindSpan finds the span that values name; nil: nobody wants it.
var wmFindSpan atomic.Pointer[func(in []any, span *WMSpan)]

// WMFindSpans has find called from now on for each call that begins a trace, with those of its arguments
// that may name a span, and with a span to be filled in. find mutes the goroutine if it calls code of others.
func WMFindSpans(find *func(in []any, span *WMSpan)) { wmFindSpan.Store(find) }

// WMBegins reports whether the call f begins a trace. It is inlined where functions begin.
func WMBegins(f WMFrame) bool { return f&wmFrameRoot != 0 }

// WMWithin takes those arguments of the call f, which begins a trace, that may name the span it is in.
//
//go:noinline
func WMWithin(f WMFrame, args ...any) {
	find := wmFindSpan.Load()
	if find == nil || getg().hides() {
		return
	}
	// As in other hooks, values don't escape because of this: programs allocate as they do without.
	in := unsafe.Slice((*any)(noescape(unsafe.Pointer(unsafe.SliceData(args)))), len(args))
	// Not in place: the trace may be given up meanwhile, and its memory be another's.
	var span WMSpan
	(*find)(in, (*WMSpan)(noescape(unsafe.Pointer(&span))))
	gp := getg()
	mp := acquirem()
	for s := gp.strand(); s != nil; s = s.outer {
		if t := s.trace; s == &t.root && t.frame == WMFrame(f.plain()) {
			t.within = span
		}
	}
	releasem(mp)
}
