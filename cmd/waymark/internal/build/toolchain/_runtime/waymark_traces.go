// Package runtime, as waymark adds to it: traces, gathered while the program runs.
//
// A trace is the life of a root call, from the root call's start to its end. It has the calls of
// the root call's goroutine meanwhile. It also has those of the goroutines that a goroutine of the
// trace starts meanwhile. Whether a trace is kept is decided when the root call ends, without a
// look at its events.
//
// A gatherer has the traces of a collector: by its own roots and calls, in its own memory. A goroutine may
// be in a trace of each (waymark_gatherers.go).
//
// What a goroutine does in a trace is a strand. Only the goroutine writes to its strand, without a
// lock (waymark_strands.go). A trace that isn't kept, whose other goroutines have left, and of which
// nobody has a ticket (waymark_tickets.go), is known to the root call's goroutine only. Such a trace
// ends without a lock, and its memory stays with the P, where the next one begins without a lock.
// wmTraces.lock guards all else about traces that others may know of.
//
// A goroutine of a trace that is over learns so when it needs memory, makes a root call or ends, and
// leaves the trace then.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A wmTrace lies outside of the heap.
type wmTrace struct {
	root    wmStrand // of the goroutine that makes the root call; its start is the root call's
	next    uintptr  // the next one in the queue
	last    *wmStrand
	frame   WMFrame // of the root call
	ended   uint64  // clock, when the root call ended
	records atomic.Uint64
	valued  atomic.Uint64 // of the records, those that values have taken the place of
	lost    atomic.Uint64
	running atomic.Int32  // strands whose goroutines have not left
	over    atomic.Uint32 // nothing more is gathered
	done    bool          // nobody will read it
	flags   uint32        // of the root call
	status  atomic.Uint32 // of HTTP, with which a goroutine of the trace has answered; 0: none
	answer  uint32        // status when the root call ended
	within  WMSpan        // that the root call is in
	of      uint32        // number of its gatherer
	era     uint32        // of the types when it began; 0: no values are gathered
	key     uint64        // when it is kept
	ticket  uint64        // number of its first ticket, 0 if it has none; see waymark_tickets.go
}

// Bits of wmTrace.flags.
const (
	WMTraceFailed   = 1 // the root call returned an error, or the request was answered with one
	WMTracePanicked = 2 // a panic ended the root call, or it recovered one
	WMTraceExited   = 4 // runtime.Goexit ended it
	WMTraceChosen   = 8 // it is kept because the root call took longer than most of its site, or by a rule
)

// wmMostQueued is how many kept traces may wait for the library.
const wmMostQueued = 1024

// wmMostSpares is how many traces, and how many strands, a P has at hand at most: while a request waits, its P begins
// others.
const wmMostSpares = 16

// A wmTracesOfP is what a P knows of a gatherer's traces.
type wmTracesOfP struct {
	traces            *wmTrace  // at hand, a list, each with one block
	strands           *wmStrand // the same, each with a spare block
	ntraces, nstrands int

	begun uint64
	ended uint64

	unvalued uint64 // events whose values were left out, because they would have cost too much
}

// wmBeginTrace begins a trace of c with the root call f, and reports whether there was memory for that. The
// caller keeps the P.
func wmBeginTrace(gp *g, pp *p, c *wmGatherer, f WMFrame) bool {
	own := &pp.wm.traces[c.number]
	t := own.traces
	if t != nil {
		own.traces = (*wmTrace)(unsafe.Pointer(t.next))
		own.ntraces--
		t.next = 0
	} else if t = c.newTrace(); t == nil {
		c.lost.Add(1)
		return false
	}
	own.begun++
	s := &t.root
	t.frame, t.last = WMFrame(f.plain()), s
	t.running.Store(1)
	if c.args || c.results {
		t.era = wmTypes.era
	}
	s.trace, s.goid, s.parent = t, gp.goid, gp.parentGoid
	s.pos = s.first + wmBlockHead
	if c.most < uint64(wmBlockRecords) {
		s.pos = s.first + wmBlockSize - uintptr(c.most)*wmRecordSize
	}
	(*wmBlock)(unsafe.Pointer(s.first)).start = s.pos
	s.join(gp)
	s.started = s.put(gp, s.pos, f.enters())
	return true
}

// gatherer returns the trace's gatherer.
func (t *wmTrace) gatherer() *wmGatherer { return &wmTraces.list[t.of] }

// overtaken reports whether the root call has been left, without a hook, when a call begins in the
// frame f: as wmStack.reach.
func (t *wmTrace) overtaken(f WMFrame) bool {
	return f.token() < t.frame.token() || f.token() == t.frame.token() && f.site() == t.frame.site()
}

// wmEndTrace ends the trace of a root call that has ended. The caller keeps the P.
func wmEndTrace(gp *g, pp *p, t *wmTrace) {
	t.root.leave(gp)
	t.ended = wmClock()
	if t.answer = t.status.Load(); t.answer >= wmLeastServerError {
		t.flags |= WMTraceFailed
	}
	c := t.gatherer()
	pp.wm.traces[t.of].ended++
	keep := t.wanted(pp, c)
	// With a ticket others may look at it at any time. Another goroutine of the trace that takes one does so before it
	// leaves. So the goroutines are counted first: when this is the only one, nobody can take one any more.
	alone := t.running.Load() == 1 && t.ticket == 0
	if lost := t.lost.Load(); lost > 0 {
		c.lost.Add(int64(lost))
	}
	if alone && !keep {
		t.reuse(pp, c)
		return
	}
	lock(&wmTraces.lock)
	var wake *g
	if keep && c.queued == wmMostQueued {
		if c.ranked {
			keep = c.displace(t)
		} else {
			c.dropped++
			keep = false
		}
	}
	t.root.left = wmLeft
	t.running.Add(-1)
	if keep {
		wake = t.queue()
	} else {
		t.over.Store(1)
		t.release()
		wake = c.starve()
	}
	unlock(&wmTraces.lock)
	wmWake(wake)
}

// wmLeastServerError is the least status of HTTP that says that the server has failed.
const wmLeastServerError = 500

// WMAnswer is called by package net/http when a handler sets the status of its response. Handlers return no
// error that would say that a request has failed.
func WMAnswer(status int) {
	if gp := getg(); gp.wm.strand != 0 && gp.wm.flags&wmMuted == 0 {
		mp := acquirem()
		for s := gp.strand(); s != nil; s = s.outer {
			s.trace.status.Store(uint32(status))
		}
		releasem(mp)
	}
}

// wanted reports whether the trace, which is of c, is kept.
func (t *wmTrace) wanted(pp *p, c *wmGatherer) bool {
	if !c.on() {
		return false
	}
	if w := &wmTailsOf[t.of]; w.on.Load() != 0 && w.exceeded(t.frame.site(), t.took()) || t.selected(c.rules) {
		t.flags |= WMTraceChosen
		return true
	}
	return c.all ||
		c.failed && t.flags&(WMTraceFailed|WMTracePanicked) != 0 ||
		t.took() > c.longer.Load() ||
		c.oneIn > 0 && pp.wm.traces[t.of].ended%c.oneIn == 0
}

// took returns for how many ticks the root call has run.
func (t *wmTrace) took() uint64 {
	if t.ended < t.root.started { // clocks of CPUs may differ
		return 0
	}
	return t.ended - t.root.started
}

// displace gives up the fastest trace in the full queue if t took longer, and reports whether it did. No trace
// is kept from now on that was not slower than the fastest one. The caller has the lock.
func (c *wmGatherer) displace(t *wmTrace) bool {
	var before, fastest, last *wmTrace
	for q := (*wmTrace)(unsafe.Pointer(c.head)); q != nil; last, q = q, (*wmTrace)(unsafe.Pointer(q.next)) {
		if fastest == nil || q.took() < fastest.took() {
			before, fastest = last, q
		}
	}
	least := fastest.took()
	c.longer.Store(max(c.longer.Load(), least))
	if t.took() <= least {
		return false
	}
	c.unlink(before, fastest)
	c.kept--
	fastest.over.Store(1)
	fastest.release()
	return true
}

// unlink removes a trace from the queue, which follows before there. The caller has the lock.
func (c *wmGatherer) unlink(before, t *wmTrace) {
	if before == nil {
		c.head = t.next
	} else {
		before.next = t.next
	}
	if t.next == 0 {
		c.tail = uintptr(unsafe.Pointer(before))
	}
	c.queued--
}

// queue appends the trace to the queue, and returns the goroutine to wake. The caller has the lock.
func (t *wmTrace) queue() (wake *g) {
	c := t.gatherer()
	if c.tail == 0 {
		c.head = uintptr(unsafe.Pointer(t))
	} else {
		(*wmTrace)(unsafe.Pointer(c.tail)).next = uintptr(unsafe.Pointer(t))
	}
	c.tail = uintptr(unsafe.Pointer(t))
	c.queued++
	c.kept++
	wmTraces.keys++
	t.key = wmTraces.keys
	if c.linger == 0 {
		t.over.Store(1)
	}
	wake, c.waiter = c.waiter, nil
	return wake
}

// reuse makes the memory of a trace of c that nobody else knows any more ready for the next ones.
func (t *wmTrace) reuse(pp *p, c *wmGatherer) {
	root, own := &t.root, &pp.wm.traces[t.of]
	var rest *wmStrand // of those that the P doesn't keep
	for s := root.next; s != nil; {
		next := s.next
		if s.first == s.block && s.first != 0 {
			s.wipe()
			s.spare, s.first, s.block = s.first, 0, 0
		}
		if s.first == 0 && s.spare != 0 && c.room(own.nstrands) {
			s.next, own.strands = own.strands, s
			own.nstrands++
		} else {
			s.next, rest = rest, s
		}
		s = next
	}
	if blocks := (*wmBlock)(unsafe.Pointer(root.first)).next; blocks != 0 || rest != nil {
		lock(&wmTraces.lock)
		if blocks != 0 {
			c.blocks.give(blocks)
			root.pos = root.first + wmBlockSize
		}
		c.blocks.forget(rest)
		unlock(&wmTraces.lock)
	}
	root.wipe()
	first := root.first
	*t = wmTrace{of: c.number}
	root.first, root.block = first, first
	if own.traces == nil || c.room(own.ntraces) {
		t.next = uintptr(unsafe.Pointer(own.traces))
		own.traces = t
		own.ntraces++
		return
	}
	lock(&wmTraces.lock)
	c.blocks.give(first)
	c.blocks.traces.free(uintptr(unsafe.Pointer(t)))
	unlock(&wmTraces.lock)
}

// room reports whether a P that has so many traces, or strands, at hand keeps one more. Not so if a good part of the
// memory is used, which is read without the lock: what a P has at hand no other one can use.
func (c *wmGatherer) room(have int) bool {
	return have < wmMostSpares && c.blocks.used < c.blocks.most/4
}

// release gives back the memory of a trace that is over and that nobody will read. It gives back
// the memory of the strands that have been left. When all have been left it gives back that of
// the trace. The caller has the lock.
func (t *wmTrace) release() {
	t.done = true
	t.gatherer().stale += t.running.Load()
	for s := &t.root; s != nil; s = s.next {
		if s.left != 0 {
			s.release()
		}
	}
	t.forget()
}

// forget gives back what is left of a trace that nobody will read, if no goroutine knows it. The caller
// has the lock.
func (t *wmTrace) forget() {
	if !t.done || t.running.Load() > 0 {
		return
	}
	b := &t.gatherer().blocks
	b.forget(t.root.next)
	t.ticket = 0 // those that there are are void
	b.traces.free(uintptr(unsafe.Pointer(t)))
}
