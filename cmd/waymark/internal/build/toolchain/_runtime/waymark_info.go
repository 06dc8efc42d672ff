// Package runtime, as waymark adds to it: calls of info functions.
//
// They are told to the call that they stand in. Frames of the stack alone don't say which call that
// is, as the compiler inlines. It inlines the function around it into an instrumented one, if the
// function around it isn't instrumented. It inlines function literals into functions. It inlines an
// instrumented function into another one, if it has a profile. So the functions' names count, too.

package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// WMInfo reports a call of an info function: its word is that of a site, and it is called
// by the function itself.
//
//go:noinline
//go:nosplit
func WMInfo(site WMSite, args ...any) {
	v := wmValues{list: noescape(unsafe.Pointer(unsafe.SliceData(args))), n: len(args)}
	wmInfoCalled(site, &v, sys.GetCallerPC(), wmToken(getg(), sys.GetCallerSP()))
}

// wmInfoCalled continues WMInfo. token is that of the physical frame that pc lies in: the info
// function's, or its caller's if it has been inlined there.
func wmInfoCalled(site WMSite, v *wmValues, pc uintptr, token uint32) {
	gp := getg()
	if gp.wm.flags&wmMuted != 0 {
		return
	}
	if site&wmFlagged == 0 || site&wmRecorded != 0 {
		v.emit(gp, wmInfo|uint64(site&wmSiteID), wmCaptured.args)
	}
	if site&wmWatched == 0 {
		return
	}
	if gp != gp.m.curg || !wmMayWait(gp, 0) { // on a system stack it is no goroutine's
		wmUnreported.Add(1)
		return
	}
	wmSettle(gp)
	var chain wmCallers
	systemstack(func() { chain.find(gp, pc, token) })
	if chain.n == 0 {
		return
	}
	w := gp.wm.watching
	if w == nil {
		w = wmNewWatching(gp)
	}
	w.event.Take(w.event.at(v))
	chain.tell(w, gp, uint32(site&wmSiteID))
	w.event.set(nil)
}

// wmCallers are functions that called each other: literals, the innermost first, and what has
// called them.
type wmCallers struct {
	n      int
	names  [wmMostCallers]string
	tokens [wmMostCallers]uint32 // of the frames that they are in
	parent bool                  // the last one has started the goroutine
}

const wmMostCallers = 16 // literals within each other

// find finds, on the system stack, who has called the info function. token is that of the info
// function's frame, or of the frame that it was inlined into. pc is in the info function's code.
func (c *wmCallers) find(gp *g, pc uintptr, token uint32) {
	var u unwinder
	self := true         // the info function's own frame is still to come
	var deferrer uintptr // SP of the frame whose deferred calls a panic or Goexit runs: what is between isn't its caller
	for u.initAt(pc, gp.stack.hi-uintptr(token)+wmCallSize, 0, gp, unwindSilentErrors); u.valid(); u.next() {
		f := u.frame.fn
		switch {
		case deferrer != 0:
			if u.frame.sp == deferrer { // a function with deferred calls isn't inlined
				c.add(funcname(f), wmToken(gp, deferrer))
				return
			}
			continue
		case f.funcID == abi.FuncID_gopanic, f.entry() == abi.FuncPCABIInternal(Goexit):
			p := gp._panic
			if p == nil {
				return
			}
			deferrer = uintptr(p.sp)
			continue
		case f.entry() == abi.FuncPCABIInternal(deferreturn):
			continue
		case f.funcID == abi.FuncID_goexit:
			c.parent = c.addInlined(gp.gopc-sys.PCQuantum, 0, &self) || c.n > 0
			return
		}
		if c.addInlined(u.symPC(), wmToken(gp, u.frame.sp), &self) {
			return
		}
	}
}

// addInlined adds the functions that were inlined where pc is, and reports whether the last one is
// no literal. If self is set the innermost one is left out, once.
func (c *wmCallers) addInlined(pc uintptr, token uint32, self *bool) (found bool) {
	f := findfunc(pc)
	if !f.valid() {
		return false
	}
	for u, at := newInlineUnwinder(f, pc); at.valid(); at = u.next(at) {
		fn := u.srcFunc(at)
		switch {
		case *self:
			*self = false
		case fn.funcID == abi.FuncIDWrapper:
		case c.add(fn.name(), token):
			return true
		}
	}
	return false
}

// add adds a function, and reports whether it is the last one: no literal, or there is no room for
// more.
func (c *wmCallers) add(name string, token uint32) bool {
	c.names[c.n], c.tokens[c.n] = name, token
	c.n++
	return c.n == wmMostCallers || !wmLiteral(name)
}

// wmLiteral reports whether a function may be a literal, by its name: one ends as in F.func1,
// F.func1.2 or F-range1.
func wmLiteral(name string) bool {
	n := len(name)
	for n > 0 && '0' <= name[n-1] && name[n-1] <= '9' {
		n--
	}
	if n == len(name) {
		return false
	}
	for _, before := range [...]string{".", ".func", "-range"} {
		if n >= len(before) && name[n-len(before):n] == before {
			return true
		}
	}
	return false
}

// tell tells the call that the info function was called from, if it is a watched one.
func (c *wmCallers) tell(w *wmWatching, gp *g, site uint32) {
	names := unsafe.Slice((*string)(noescape(unsafe.Pointer(&c.names))), c.n) // nobody keeps them
	for i, name := range names {
		names[i] = funcNameForPrint(name)
	}
	for last := range names {
		callers := names[:last+1]
		if c.parent && last == c.n-1 {
			w.info(gp, nil, site, callers)
			return
		}
		i := w.n
		for top := gp.wm.top; i > 0; top -= wmCallBytes {
			call := wmBelow(top)
			if call.frame&wmFrameWatched == 0 {
				continue
			}
			i--
			if call.frame.token() == c.tokens[last] && w.info(gp, w.calls[i], site, callers) {
				return
			}
		}
	}
}

// info tells the monitor of the call of an info function.
func (w *wmWatching) info(gp *g, call watchedCall, site uint32, callers []string) (told bool) {
	wmMute(gp, true)
	told = wmMonitor.Info(call, &w.event, site, callers)
	wmMute(gp, false)
	return told
}
