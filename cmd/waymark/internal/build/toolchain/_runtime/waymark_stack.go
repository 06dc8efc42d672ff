// Package runtime, as waymark adds to it: the stack of a goroutine's calls in progress.
//
// It has the calls whose ends are wanted for more than an event: they are timed, or monitors see
// them. It lies outside of the heap. Frames that were left without an exit, by a panic or Goexit,
// are known by their tokens. The functions here say which of the calls on a stack are over. Readers
// of recordings have the same rule, in package calltree.

package runtime

import "unsafe"

// A wmStack has its top, behind the innermost call, in wmG.top. Places in it are named by their
// distance from its beginning, so that the stack can move.
type wmStack struct {
	end   uintptr // behind the last place
	class uintptr
	free  uintptr // the next one of the class that is free

	// outer has places of timed calls that no other call of their site is around, by sites modulo its
	// length. It has the latest call of each remainder; 0 if there is none. The others of the same
	// remainder follow by wmCall.next.
	outer [wmStackSites]uint32

	off uintptr // of wmOff, one for each place, see waymark_off.go; 0 if there is none yet

	bottom wmCall // stands for the caller of the first one
	// More follow.
}

// A wmCall is a call in progress. The assembly knows its size.
type wmCall struct {
	enter    uint64  // clock, of a timed call
	children uint64  // ticks of the timed calls that were made by this call, and by calls above that aren't timed
	frame    WMFrame // its flags say what is wanted when the call ends
	next     uint32  // see wmStack.outer; only if it isn't inner
	flags    uint32
	path     uint64 // its word, see waymark_paths.go; of a call that isn't timed the one below's
}

// Bits of wmCall.flags. The assembly leaves calls with flags above the first one to Go.
const (
	wmCallInner     = 1  // another timed call of the site is around
	wmCallRecovered = 2  // it has recovered a panic
	wmCallPath      = 4  // it has been counted at its node
	wmCallOff       = 8  // of a timed call: its goroutine did not run for some of the time
	wmCallOther     = 16 // it has been counted in the other cell
	wmCallPanicked  = 32 // a panic has left it, whatever its deferred calls and those further out do
	wmCallExited    = 64 // the same of Goexit
)

const (
	wmStackSites = 32
	wmCallBytes  = unsafe.Sizeof(wmCall{})
	wmFirstCalls = 8 // places in a stack of class 0; of the next class twice as many
)

// wmStackOf returns gp's stack of calls, nil if it has none.
func wmStackOf(gp *g) *wmStack { return (*wmStack)(unsafe.Pointer(gp.wm.stack)) }

// base returns the top of a stack without calls.
func (s *wmStack) base() uintptr { return uintptr(unsafe.Pointer(&s.bottom)) + wmCallBytes }

// at returns the call at a place.
func (s *wmStack) at(place uint32) *wmCall {
	return (*wmCall)(unsafe.Pointer(uintptr(unsafe.Pointer(s)) + uintptr(place)))
}

// wmBelow returns the call that lies below an address in a stack.
func wmBelow(top uintptr) *wmCall { return (*wmCall)(unsafe.Pointer(top - wmCallBytes)) }

// reach returns the top of the stack without the calls that are over when a call begins in the
// frame f. Their frames lie where that frame is, or deeper. A function that is inlined into another
// one has the same token as that, and none is inlined into itself.
func (s *wmStack) reach(top uintptr, f WMFrame) uintptr {
	for wmBelow(top).frame.token() > f.token() {
		top -= wmCallBytes
	}
	for at := top; at > s.base() && wmBelow(at).frame.token() == f.token(); at -= wmCallBytes {
		if wmBelow(at).frame.base() == f.base() {
			top = at - wmCallBytes
		}
	}
	return top
}

// goOn returns the top of the stack without the calls that are over. The goroutine goes on in the
// frame of token, after a recovered panic. Of the calls in that frame only the frame's own can
// still be in progress: those inlined into it are over.
func (s *wmStack) goOn(top uintptr, token uint32) uintptr {
	for wmBelow(top).frame.token() > token {
		top -= wmCallBytes
	}
	for top-wmCallBytes > s.base() && wmBelow(top).frame.token() == token && wmBelow(top-wmCallBytes).frame.token() == token {
		top -= wmCallBytes
	}
	return top
}

// left reports whether a panic that is running deferred calls has left the call below top. It has
// left the call if the call's frame lies between the panic's own frame and the frame whose deferred
// calls these are. It has also left the calls in the latter frame, but for that frame's own call.
func (s *wmStack) left(gp *g, top uintptr) bool {
	for p := gp._panic; p != nil; p = p.link {
		if s.leftBy(gp, p, top) {
			return true
		}
	}
	return false
}

func (s *wmStack) leftBy(gp *g, p *_panic, top uintptr) bool {
	token, at := wmBelow(top).frame.token(), wmToken(gp, uintptr(p.sp))
	return token > at && token < wmToken(gp, uintptr(p.startSP)) || token == at && wmBelow(top-wmCallBytes).frame.token() == at
}

// wmOvertake notes which calls a panic or Goexit has left that is running deferred calls. Another
// panic or Goexit is about to begin in these. It goes on with the deferred calls further out.
func wmOvertake(gp *g) {
	s, p := wmStackOf(gp), gp._panic
	if s == nil || p == nil || gp.wm.flags&wmMuted != 0 {
		return
	}
	fate := uint32(wmCallPanicked)
	if p.goexit {
		fate = wmCallExited
	}
	for top := gp.wm.top; top > s.base(); top -= wmCallBytes {
		if call := wmBelow(top); call.flags&(wmCallPanicked|wmCallExited) == 0 && s.leftBy(gp, p, top) {
			call.flags |= fate
		}
	}
}

// find returns the top of the stack when the call f is the innermost one, 0 if f isn't on it.
func (s *wmStack) find(top uintptr, f WMFrame) uintptr {
	for (wmBelow(top).frame^f)&^wmFrameStacked != 0 { // an end may have been reported before
		if wmBelow(top).frame.token() < f.token() {
			return 0
		}
		top -= wmCallBytes
	}
	return top
}

// wmPanics reports whether calls that are left now are left by a panic, and not by Goexit.
func wmPanics(gp *g) bool { return gp._panic == nil || !gp._panic.goexit }

// wmLeave ends the calls above the address n, which are over and had no exit, at the clock now. Monitors are told
// if the goroutine may wait; else the ends are owed to them.
func wmLeave(gp *g, n uintptr, panicked bool, now uint64) {
	wmEndTimes(gp, n, panicked, now)
	if gp.wm.top > n {
		wmLeaveWatched(gp, n)
	}
}

// wmReach ends the calls that are over when one begins in the frame f.
//
//go:noinline
func wmReach(gp *g, f WMFrame) { wmLeave(gp, wmStackOf(gp).reach(gp.wm.top, f), true, wmClock()) }

// wmPop takes the innermost call off the stack, and returns what the monitor gave for it, nil if the
// monitor doesn't see it.
func wmPop(gp *g) (call watchedCall) {
	gp.wm.top -= wmCallBytes
	c := (*wmCall)(unsafe.Pointer(gp.wm.top))
	wmBelow(gp.wm.top).children += c.children
	if c.frame&wmFrameWatched != 0 {
		call = gp.wm.watching.pop()
	}
	return call
}

// wmDrop takes calls of which nothing is wanted any more off the top of the stack, down to the address n.
func wmDrop(gp *g, n uintptr) {
	for gp.wm.top > n && wmBelow(gp.wm.top).frame&wmFrameStacked == 0 {
		wmPop(gp)
	}
}

// wmStacks has the stacks that nobody uses, by class.
var wmStacks struct {
	lock mutex
	list [24]uintptr
}

// wmGrowStack gives gp a stack of calls, or a larger one, and returns it.
func wmGrowStack(gp *g) *wmStack {
	systemstack(func() { wmNewStack(gp) })
	return wmStackOf(gp)
}

func wmNewStack(gp *g) {
	old := wmStackOf(gp)
	class := uintptr(0)
	if old != nil {
		class = old.class + 1
	}
	free := &wmStacks.list[class] // Go's stacks are smaller than the largest one by far
	lock(&wmStacks.lock)
	s := (*wmStack)(unsafe.Pointer(*free))
	if s != nil {
		*free = s.free
	}
	unlock(&wmStacks.lock)
	places := uintptr(wmFirstCalls) << class
	if s == nil {
		s = (*wmStack)(persistentalloc(unsafe.Sizeof(wmStack{})+places*wmCallBytes, 64, &memstats.other_sys))
	}
	*s = wmStack{class: class, off: s.off}
	s.end = s.base() + places*wmCallBytes
	gp.wm.stack = uintptr(unsafe.Pointer(s))
	gp.slowCalls()
	if old == nil {
		s.bottom.path = uint64(gp.wm.node) << wmPathNodeShift
		gp.wm.top = s.base()
		return
	}
	used := gp.wm.top - old.base()
	memmove(unsafe.Pointer(s.base()), unsafe.Pointer(old.base()), used)
	gp.wm.top = s.base() + used
	s.outer, s.bottom = old.outer, old.bottom
	if old.off != 0 {
		if s.off == 0 {
			s.makeOff()
		}
		memmove(unsafe.Pointer(s.off), unsafe.Pointer(old.off), used/wmCallBytes*unsafe.Sizeof(wmOff{}))
	}
	old.release()
}

// release gives the stack to others.
func (s *wmStack) release() {
	lock(&wmStacks.lock)
	s.free, wmStacks.list[s.class] = wmStacks.list[s.class], uintptr(unsafe.Pointer(s))
	unlock(&wmStacks.lock)
}

// wmEndStack ends, on g0, all calls of gp, which ends. Monitors have been told.
func wmEndStack(gp *g) {
	s := wmStackOf(gp)
	if s == nil {
		return
	}
	wmEndTimes(gp, s.base(), false, wmClock())
	s.release()
	gp.wm.stack, gp.wm.top = 0, 0
	gp.slowCalls()
}
