// Package runtime, as waymark adds to it: calls that are timed, without events.
//
// When a goroutine's timed calls in progress have begun, and how long the calls that they made have taken, is on
// a stack of its own, outside of the heap. That a function calls itself, and so which of its calls counts for the
// total, is found by a small hash table of those calls that no other call of their site is around.

package runtime

import "unsafe"

// A wmTimes is the stack of a goroutine's timed calls. Its top, behind the innermost one, is in g.wm.top. Places in it
// are named by their distance from its beginning, so that it can move.
type wmTimes struct {
	end   uintptr // behind the last place
	class uintptr
	free  uintptr // the next one of the class that is free

	// outer has, by sites modulo its length, the place of the latest call that no other one of its site is around; 0 if
	// there is none. The others of the same remainder follow by wmTime.next.
	outer [wmTimesSites]uint32

	bottom wmTime // stands for the caller of the first one
	// More follow.
}

// A wmTime is a timed call in progress. The assembly knows its size.
type wmTime struct {
	enter    uint64 // clock
	children uint64 // ticks of the timed calls that it made
	frame    WMFrame
	next     uint32 // see wmTimes.outer; only if it isn't inner
	flags    uint32
}

// wmTime.flags. The assembly leaves calls with flags above the first one to Go.
const (
	wmTimeInner     = 1 // another call of the site is around
	wmTimeRecovered = 2 // it has recovered a panic
)

const (
	wmTimesSites = 32
	wmTimeSize   = unsafe.Sizeof(wmTime{})
	wmFirstTimes = 8 // places in a stack of class 0; of the next class twice as many
)

// wmStacks has the stacks that nobody uses, by class.
var wmStacks struct {
	lock       mutex
	list       [24]uintptr
	goroutines uint64 // that got one
}

// WMTimedGoroutines gives the number of goroutines that made timed calls.
func WMTimedGoroutines() uint64 {
	lock(&wmStacks.lock)
	defer unlock(&wmStacks.lock)
	return wmStacks.goroutines
}

// wmTimesOf gives gp's stack of timed calls, nil if it has none.
func wmTimesOf(gp *g) *wmTimes { return (*wmTimes)(unsafe.Pointer(gp.wm.times)) }

// base gives the top of a stack without calls.
func (t *wmTimes) base() uintptr { return uintptr(unsafe.Pointer(&t.bottom)) + wmTimeSize }

// at gives the call at a place.
func (t *wmTimes) at(place uint32) *wmTime {
	return (*wmTime)(unsafe.Pointer(uintptr(unsafe.Pointer(t)) + uintptr(place)))
}

// wmTimeBelow gives the call that lies below an address in a stack.
func wmTimeBelow(top uintptr) *wmTime { return (*wmTime)(unsafe.Pointer(top - wmTimeSize)) }

// wmEnterTimed begins to time the call.
func wmEnterTimed(gp *g, f WMFrame) {
	mp := acquirem()
	pp := mp.p.ptr()
	if pp == nil {
		releasem(mp)
		return
	}
	if t := wmTimesOf(gp); t == nil || gp.wm.top == t.end {
		systemstack(func() { wmGrowTimes(gp) })
	}
	t := wmTimesOf(gp)
	site := f.site()
	at := wmReachTimed(gp, pp, t, f)
	wmCellOf(pp, site).calls++
	head := &t.outer[site%wmTimesSites]
	call := (*wmTime)(unsafe.Pointer(gp.wm.top))
	*call = wmTime{frame: f}
	if at != 0 {
		call.flags = wmTimeInner
	} else {
		call.next, *head = *head, uint32(gp.wm.top-gp.wm.times)
	}
	gp.wm.top += wmTimeSize
	if wm.counter {
		gp.wm.timing = gp.wm.times
	}
	call.enter = wmClock()
	releasem(mp)
}

// wmReachTimed ends the calls that must be over when one begins in the frame f, as in wmWatching.reach, and
// gives the place of the outermost call of the same site that is still in progress; 0 if there is none.
func wmReachTimed(gp *g, pp *p, t *wmTimes, f WMFrame) (place uint32) {
	n := gp.wm.top
	for n > t.base() && wmTimeBelow(n).frame.token() > f.token() {
		n -= wmTimeSize
	}
	for at := n; at > t.base() && wmTimeBelow(at).frame.token() == f.token(); at -= wmTimeSize {
		if wmTimeBelow(at).frame.site() == f.site() {
			n = at - wmTimeSize
		}
	}
	wmPopTimed(gp, pp, t, n, true)
	for place = t.outer[f.site()%wmTimesSites]; place != 0 && t.at(place).frame.site() != f.site(); {
		place = t.at(place).next
	}
	return place
}

// wmExitTimed ends the call, and those above it, which have been left in ways that nobody has seen. It
// does nothing if the call has been ended already.
func wmExitTimed(gp *g, f WMFrame) {
	t := wmTimesOf(gp)
	if t == nil {
		return
	}
	top := gp.wm.top
	for top > t.base() && wmTimeBelow(top).frame != f {
		if wmTimeBelow(top).frame.token() < f.token() {
			return
		}
		top -= wmTimeSize
	}
	if top == t.base() {
		return
	}
	now := wmClock()
	left := f.left(gp)
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		panicked := gp._panic == nil || !gp._panic.goexit
		wmPopTimed(gp, pp, t, top, panicked)
		wmEndTimed(gp, pp, t, now, left && panicked)
		if wm.counter && gp.wm.flags&wmMuted == 0 {
			gp.wm.timing = gp.wm.times
		}
	}
	releasem(mp)
}

// wmRecoverTimed ends, on g0, the calls that a recovered panic has left: gp goes on in the frame of token. Of the calls
// there only the frame's own can be in progress still: those inlined into it are over.
func wmRecoverTimed(gp *g, token uint32) {
	t := wmTimesOf(gp)
	if t == nil {
		return
	}
	n := gp.wm.top
	for n > t.base() && wmTimeBelow(n).frame.token() > token {
		n -= wmTimeSize
	}
	for n-wmTimeSize > t.base() && wmTimeBelow(n).frame.token() == token && wmTimeBelow(n-wmTimeSize).frame.token() == token {
		n -= wmTimeSize
	}
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		wmPopTimed(gp, pp, t, n, true)
		if n > t.base() && wmTimeBelow(n).frame.token() == token {
			wmTimeBelow(n).flags |= wmTimeRecovered
		}
	}
	releasem(mp)
}

// wmLeaveTimed ends, on g0, all calls of gp, which ends.
func wmLeaveTimed(gp *g) {
	t := wmTimesOf(gp)
	if t == nil {
		return
	}
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		wmPopTimed(gp, pp, t, t.base(), false)
	}
	releasem(mp)
	t.release()
	gp.wm.times, gp.wm.timing, gp.wm.top = 0, 0, 0
}

// wmPopTimed ends the calls from the address n on.
func wmPopTimed(gp *g, pp *p, t *wmTimes, n uintptr, panicked bool) {
	if gp.wm.top == n {
		return
	}
	now := wmClock()
	for gp.wm.top > n {
		wmEndTimed(gp, pp, t, now, panicked)
	}
}

// wmEndTimed ends the innermost call.
func wmEndTimed(gp *g, pp *p, t *wmTimes, now uint64, panicked bool) {
	gp.wm.top -= wmTimeSize
	call := (*wmTime)(unsafe.Pointer(gp.wm.top))
	site := call.frame.site()
	took := uint64(0)
	if now > call.enter { // clocks of CPUs may differ
		took = now - call.enter
	}
	wmTimeBelow(gp.wm.top).children += took
	c := wmCellOf(pp, site)
	c.ended++
	if call.flags&wmTimeInner != 0 {
		c.inner += took
	} else {
		c.total += took
		t.outer[site%wmTimesSites] = call.next
	}
	if took > call.children {
		c.self += took - call.children
	}
	c.least, c.most = max(c.least, ^took), max(c.most, took)
	if panicked || call.flags&wmTimeRecovered != 0 {
		c.panicked()
	}
	if wmHistograms {
		c.countTime(took)
	}
}

// A WMOpen adds up calls of a site that are in progress.
type WMOpen struct {
	Total, Inner, Self uint64 // as in WMSum
	Least, Most        uint64 // ^Least is what the shortest one has taken; 0 if there is none
	Panics             uint64 // of these, calls that the panic ends which ends the program
	Ended              WMSum  // of the site at the same instant, if there is one
}

// WMOpenCalls adds to open, by site, what calls in progress have taken until now. It stops the world for that, as what a goroutine
// does meanwhile would make nonsense of it; if a dying thread keeps that from happening nothing is added. Sites
// that have no place in open are left out. It returns that instant.
func WMOpenCalls(open []WMOpen) (now uint64) {
	if wmLast.stuck.Load() {
		return wmClock()
	}
	stw := stopTheWorld(stwReadMemStats)
	now = wmClock()
	forEachGRace(func(gp *g) {
		t := wmTimesOf(gp)
		if t == nil {
			return
		}
		within := uint64(0) // what the call made by the one at hand has taken
		panics := uint64(0)
		if wmLast.panicked.ptr() == gp {
			panics = 1
		}
		for top := gp.wm.top; top > t.base(); top -= wmTimeSize {
			call := wmTimeBelow(top)
			took := uint64(0)
			if now > call.enter {
				took = now - call.enter
			}
			if site := call.frame.site(); int(site) < len(open) {
				open[site].add(call, took, within)
				open[site].Panics += panics
			}
			within = took
		}
	})
	for site := range open {
		if open[site].Least > 0 {
			open[site].Ended = WMSumOf(uint32(site))
		}
	}
	startTheWorld(stw)
	return now
}

func (o *WMOpen) add(call *wmTime, took, within uint64) {
	if call.flags&wmTimeInner != 0 {
		o.Inner += took
	} else {
		o.Total += took
	}
	if inside := call.children + within; took > inside {
		o.Self += took - inside
	}
	o.Least, o.Most = max(o.Least, ^took), max(o.Most, took)
}

// wmSlowTime counts a call in the histogram where a line of it is missing. The assembly jumps here: the call has been
// popped from its place, and what it took is where its children's time was. A single parameter is what callers of
// WMExit have room for.
//
//go:nosplit
func wmSlowTime(at *wmTime) {
	mp := acquirem()
	if pp := mp.p.ptr(); pp != nil {
		systemstack(func() { wmCellOf(pp, at.frame.site()).countTime(at.children) })
	}
	releasem(mp)
}

// wmGrowTimes gives gp a stack of timed calls, or a larger one.
func wmGrowTimes(gp *g) {
	old := wmTimesOf(gp)
	class := uintptr(0)
	if old != nil {
		class = old.class + 1
	}
	free := &wmStacks.list[class] // Go's stacks are smaller than the largest one by far
	lock(&wmStacks.lock)
	t := (*wmTimes)(unsafe.Pointer(*free))
	if t != nil {
		*free = t.free
	}
	if old == nil {
		wmStacks.goroutines++
	}
	unlock(&wmStacks.lock)
	places := uintptr(wmFirstTimes) << class
	if t == nil {
		t = (*wmTimes)(persistentalloc(unsafe.Sizeof(wmTimes{})+places*wmTimeSize, 64, &memstats.other_sys))
	}
	*t = wmTimes{class: class}
	t.end = t.base() + places*wmTimeSize
	gp.wm.times, gp.wm.timing = uintptr(unsafe.Pointer(t)), 0
	if old == nil {
		gp.wm.top = t.base()
		return
	}
	used := gp.wm.top - old.base()
	memmove(unsafe.Pointer(t.base()), unsafe.Pointer(old.base()), used)
	gp.wm.top = t.base() + used
	t.outer, t.bottom = old.outer, old.bottom
	old.release()
}

// release gives the stack to others.
func (t *wmTimes) release() {
	lock(&wmStacks.lock)
	t.free, wmStacks.list[t.class] = wmStacks.list[t.class], uintptr(unsafe.Pointer(t))
	unlock(&wmStacks.lock)
}
