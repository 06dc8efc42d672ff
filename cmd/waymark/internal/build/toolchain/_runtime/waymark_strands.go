// Package runtime, as waymark adds to it: what a goroutine does in a trace.
//
// A strand is a list of blocks of memory with records, as in the chunks of recordings. A record's
// word is stored before its clock, which commits the record. A block is clear before it is used.
// So a strand can be read while its goroutine runs.
//
// The assembly writes records at g.wm.gather, which is in a block, or a multiple of a block's size.
// If it is a multiple, the block is full, or the goroutine must take the slow path. Then the
// goroutine's next record goes to strand.pos.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmStrand lies outside of the heap.
type wmStrand struct {
	_       sys.NotInHeap
	trace   *wmTrace
	next    *wmStrand // of the trace, in the order in which they joined
	outer   *wmStrand // of the goroutine, in a trace of another gatherer
	goid    uint64
	parent  uint64 // goid
	started uint64 // clock, when the root call began, of the go statement or when the ticket was taken
	first   uintptr
	block   uintptr // the last one
	spare   uintptr // a clear one, which is to be the first; 0: it is, or there is none at hand
	pos     uintptr // where the next record goes, unless g.wm.gather says that; 0: there is no block
	ticket  uint64  // number of the one that it joined with; 0: a goroutine of the trace started it
	left    uint32
	handed  bool    // the goroutine ran before it joined, and leaves when it has done its work
	counted bool    // the records of the last block are counted, as it is full
	few     bool    // the trace has as many records as it may have: there are only ends of calls to come
	without WMFrame // if there are several gatherers: the call in progress that was lost, with all calls in it; 0: none
}

// Values of wmStrand.left.
const (
	wmLeft  = 1 // the goroutine has left the trace
	wmEnded = 2 // it has ended
)

// A wmBlock begins a block. It is aligned to its size.
type wmBlock struct {
	next  uintptr
	start uintptr // of the records; 0: the block is clear, but for next
}

// clear makes a block empty.
func (b *wmBlock) clear() {
	if b.start != 0 {
		memclrNoHeapPointers(unsafe.Pointer(b), wmBlockSize)
	}
	b.next = 0
}

const (
	wmBlockSize    = 4 << 10
	wmBlockHead    = wmRecordSize // so that records end with the block
	wmBlockRecords = (wmBlockSize - wmBlockHead) / wmRecordSize

	// wmGatherSlow in g.wm.gather has the assembly take the slow path.
	wmGatherSlow = wmBlockSize
)

// Words of records. That of a call has wmFrameGathered, that of its beginning has wmFrameFlagged, too.
const (
	wmGatherLeft    = 1 << 62 // of the end of a call: a panic or Goexit left it
	wmGatherPanic   = 1 << 57
	wmGatherRecover = 2 << 57
	wmGatherGoexit  = 3 << 57
	wmGatherError   = 4 << 57 // the value is the id of the site
	wmGatherGo      = 5 << 57 // the value is the goid of the goroutine that was started
	wmGatherTicket  = 6 << 57 // the value is the number of the ticket that was taken
	wmGatherValues  = 7 << 57 // values of the event before lie behind the record, the value is their size in bytes
	wmGatherCode    = 7 << 57
	wmGatherValue   = 1<<56 - 1
)

// enters returns the word of a record that says that the call f begins.
func (f WMFrame) enters() uint64 { return f.plain() | wmOnlyGathered }

// exits returns the word of a record that says that the call f ends.
func (f WMFrame) exits() uint64 { return f.plain() | wmFrameGathered }

// gatherFast writes a record if that takes no more than in the assembly, and reports whether it did.
// Nothing here can be preempted.
//
//go:nosplit
func (gp *g) gatherFast(word uint64) bool {
	pos := gp.wm.gather
	if pos&(wmBlockSize-1) == 0 {
		return false
	}
	clock := wmTicks()
	r := (*wmRecord)(unsafe.Pointer(pos))
	r.word = word
	r.commit(clock)
	gp.wm.gather = pos + wmRecordSize
	return true
}

// strand returns what gp does in a trace, nil if it is in none. Others follow.
func (gp *g) strand() *wmStrand { return (*wmStrand)(unsafe.Pointer(gp.wm.strand)) }

// wmSlowGather has the next call of gp take the slow path.
func wmSlowGather(gp *g) {
	if gp.wm.gather != 0 && gp.wm.gather != wmGatherSlow {
		gp.strand().pos = gp.wm.gather
		gp.wm.gather = wmGatherSlow
	}
}

// wmEnterGathered gathers a call that begins, and may begin a trace. It returns f without the flags that
// say so if it isn't gathered. v is nil unless arguments are wanted, too.
func wmEnterGathered(gp *g, f WMFrame, v *wmValues) WMFrame {
	all, none := f, f&^(wmFrameGathered|wmFrameRoot)
	if gp.wm.strand == 0 && f&wmFrameRoot == 0 || gp.wm.flags&wmMuted != 0 || gp != gp.m.curg {
		return none
	}
	mp := acquirem()
	if f = none; mp.p != 0 {
		f |= wmGatherCall(gp, mp.p.ptr(), all, v)
	}
	releasem(mp)
	return f
}

// wmGatherCall is wmEnterGathered where the P stays. It returns those of the flags that hold: the call is
// gathered, it is the root call of a trace.
func wmGatherCall(gp *g, pp *p, f WMFrame, v *wmValues) (is WMFrame) {
	calls, roots := f.gatherers()
	for s := gp.strand(); s != nil; {
		t, outer := s.trace, s.outer
		bit := uint32(1) << t.of
		if roots&bit != 0 {
			switch {
			case s == &t.root && t.overtaken(f):
				wmEndTrace(gp, pp, t)
				s = outer
				continue
			case t.over.Load() != 0:
				s.depart(gp, wmLeft)
				s = outer
				continue
			}
			roots &^= bit
		}
		if calls&bit != 0 && s.enter(gp, f) {
			is |= wmFrameGathered
			s.arguments(gp, v)
		}
		s = outer
	}
	for roots &= wmTraces.on.Load(); roots != 0; roots &= roots - 1 {
		if wmBeginTrace(gp, pp, &wmTraces.list[sys.TrailingZeros32(roots)], f) {
			is |= wmFrameGathered | wmFrameRoot
			gp.strand().arguments(gp, v)
		}
	}
	return is
}

// enter gathers that a call begins, and reports whether there is room.
func (s *wmStrand) enter(gp *g, f WMFrame) bool {
	if wmTraces.only != 0 {
		return s.add(gp, f.enters(), true)
	}
	if w := s.without; w != 0 && f.token() > w.token() {
		s.trace.lost.Add(1)
		return false
	}
	s.without = WMFrame(f.plain()) // first: when add fails the strand may be gone
	if !s.add(gp, f.enters(), true) {
		return false
	}
	s.without = 0
	return true
}

// wmExitGathered gathers that a call ends, and may end traces. v is nil unless results are wanted, too.
func wmExitGathered(gp *g, f WMFrame, v *wmValues) {
	mp := acquirem()
	if s := gp.strand(); s != nil && gp.wm.flags&wmMuted == 0 && gp == mp.curg && mp.p != 0 {
		if wmTraces.only != 0 { // there is no other strand
			s.exit(gp, f, v)
		} else {
			s.exits(gp, f, v)
		}
	}
	releasem(mp)
}

// exits is wmExitGathered with several gatherers. s is the goroutine's first strand.
func (s *wmStrand) exits(gp *g, f WMFrame, v *wmValues) {
	calls, _ := f.gatherers()
	for s != nil {
		outer := s.outer
		if calls&(1<<s.trace.of) != 0 || s.trace.frame == WMFrame(f.plain()) { // who wants it may have changed
			s.exit(gp, f, v)
		}
		s = outer
	}
}

func (s *wmStrand) exit(gp *g, f WMFrame, v *wmValues) {
	if w := s.without; w != 0 {
		if f.token() > w.token() {
			return
		}
		if s.without = 0; WMFrame(f.plain()) == w {
			return
		}
	}
	t := s.trace
	word := f.exits()
	left := f.left(gp)
	if left {
		word |= wmGatherLeft
		v = nil
	}
	root := f&wmFrameRoot != 0 && s == &t.root // of this trace or, if it isn't its frame, of another one
	switch {
	case !root || f.token() > t.frame.token():
		s.end(gp, word, v)
		return
	case WMFrame(f.plain()) == t.frame:
		s.end(gp, word, v)
		if left && gp._panic.goexit {
			t.flags |= WMTraceExited
		} else if left {
			t.flags |= WMTracePanicked
		}
	case f.token() == t.frame.token():
		s.end(gp, word, v) // the one is inlined into the other
		return
	}
	wmEndTrace(gp, gp.m.p.ptr(), t)
}

// end gathers that a call ends, with its results.
func (s *wmStrand) end(gp *g, word uint64, v *wmValues) {
	if s.add(gp, word, false) {
		s.results(gp, v)
	}
}

// wmGatherEvent gathers what isn't a call. On g0 it is for gp, which ran last.
func wmGatherEvent(gp *g, word uint64) {
	mp := acquirem()
	if gp.wm.flags&wmMuted == 0 {
		for s := gp.strand(); s != nil; {
			outer := s.outer
			if t := s.trace; s == &t.root && word&wmGatherCode == wmGatherGoexit {
				t.flags |= WMTraceExited
			}
			s.add(gp, word, false)
			s = outer
		}
	}
	releasem(mp)
}

// wmGatherRecovery gathers, on g0, that gp goes on in the frame with that token.
func wmGatherRecovery(gp *g, token uint32) {
	wmGatherEvent(gp, wmGatherRecover|uint64(token))
	pp := getg().m.p.ptr()
	for s := gp.strand(); s != nil && pp != nil; {
		t, outer := s.trace, s.outer
		if s == &t.root && token <= t.frame.token() {
			t.flags |= WMTracePanicked
			if token < t.frame.token() { // the panic has left the root call
				wmEndTrace(gp, pp, t)
			}
		}
		s = outer
	}
}

// wmGatherFailed gathers that the call f returns an error.
func wmGatherFailed(gp *g, f WMFrame) {
	mp := acquirem()
	calls, _ := f.gatherers()
	for s := gp.strand(); s != nil; {
		t, outer := s.trace, s.outer
		if f&wmFrameRoot != 0 && s == &t.root && WMFrame(f.plain()) == t.frame {
			t.flags |= WMTraceFailed
		}
		lost := s.without != 0 && f.token() >= s.without.token()
		if calls&(1<<t.of) != 0 && !lost && gp.wm.flags&wmMuted == 0 {
			s.add(gp, wmGatherError|uint64(f.site()), false)
		}
		s = outer
	}
	releasem(mp)
}

// wmOnGo has the goroutine newg, which gp is about to start, join gp's traces, or those of a timer's ticket if
// gp is g0. It runs on g0.
func wmOnGo(gp, newg *g) {
	if gp.wm.flags&wmMuted != 0 || isSystemGoroutine(newg, false) {
		return
	}
	if gp == getg() {
		(*WMTicket)(unsafe.Pointer(gp.wm.strand)).join(newg, false)
		return
	}
	now := wmClock()
	for s := gp.strand(); s != nil; {
		outer := s.outer
		s.start(gp, newg, now)
		s = outer
	}
}

// start has newg join the strand's trace, whose goroutine gp starts it.
func (s *wmStrand) start(gp, newg *g, now uint64) {
	t := s.trace
	if t.over.Load() != 0 {
		s.depart(gp, wmLeft)
		return
	}
	lock(&wmTraces.lock)
	joined := t.join(newg.goid, gp.goid, now)
	unlock(&wmTraces.lock)
	if joined == nil {
		t.lost.Add(1)
		return
	}
	joined.join(newg)
	s.add(gp, wmGatherGo|newg.goid, false)
}

// join gives the trace a strand of the goroutine goid, whose start another one caused at a time. It
// returns nil if the trace is over, or there is no memory. The caller has the lock, and keeps its P.
func (t *wmTrace) join(goid, parent, started uint64) *wmStrand {
	if t.over.Load() != 0 {
		return nil
	}
	s, spare := (*wmStrand)(nil), uintptr(0)
	if pp := getg().m.p.ptr(); pp != nil && pp.wm.traces[t.of].strands != nil {
		own := &pp.wm.traces[t.of]
		s = own.strands
		own.strands, spare = s.next, s.spare
		own.nstrands--
	} else {
		b := &t.gatherer().blocks
		s = (*wmStrand)(unsafe.Pointer(b.strands.take(b, unsafe.Sizeof(wmStrand{}))))
	}
	if s == nil {
		return nil
	}
	*s = wmStrand{trace: t, goid: goid, parent: parent, started: started, spare: spare}
	t.last.next, t.last = s, s
	t.running.Add(1)
	return s
}

// wmEndStrands is called on g0 when gp, which is in traces, has ended.
func wmEndStrands(gp *g) {
	for s := gp.strand(); s != nil; {
		t, outer := s.trace, s.outer
		if s == &t.root {
			wmEndTrace(gp, getg().m.p.ptr(), t)
		} else {
			s.depart(gp, wmEnded)
		}
		s = outer
	}
}

// add writes a record, and reports whether there is room. begins says that the call has more to follow: of
// the last memory it gets none. The caller keeps the M.
func (s *wmStrand) add(gp *g, word uint64, begins bool) bool {
	pos := gp.wm.gather
	if pos == wmGatherSlow {
		pos = s.pos
	}
	if begins && s.few {
		s.trace.lost.Add(1)
		return false
	}
	if pos&(wmBlockSize-1) == 0 {
		if pos = s.extend(gp, begins, begins); pos == 0 {
			return false
		}
	}
	s.put(gp, pos, word)
	return true
}

// put writes a record at pos, and returns its clock.
func (s *wmStrand) put(gp *g, pos uintptr, word uint64) (clock uint64) {
	r := (*wmRecord)(unsafe.Pointer(pos))
	clock = wmClock()
	r.word = word
	r.commit(clock)
	s.goOn(gp, pos+wmRecordSize)
	return clock
}

// goOn has the goroutine's next record go to pos.
func (s *wmStrand) goOn(gp *g, pos uintptr) {
	if wm.counter && gp.wm.flags&wmMuted == 0 && !s.few && wmTraces.only != 0 {
		gp.wm.gather = pos
	} else {
		s.pos, gp.wm.gather = pos, wmGatherSlow
	}
}

// extend gives the strand another block, and returns where its records go. It returns 0 if there is
// no block, or the trace has as many records as it may have. begins says that the block isn't for what ends:
// of the last memory it gets none. call says that a call is lost then.
func (s *wmStrand) extend(gp *g, begins, call bool) uintptr {
	t := s.trace
	if t.over.Load() != 0 {
		s.depart(gp, wmLeft)
		return 0
	}
	if s.block != 0 && !s.counted {
		b := (*wmBlock)(unsafe.Pointer(s.block))
		t.records.Add(int64((s.block + wmBlockSize - b.start) / wmRecordSize))
		s.counted = true
	}
	c := t.gatherer()
	records, have, most := uint64(wmBlockRecords), t.records.Load(), c.most
	have -= min(have, t.valued.Load()) // which are noted before the records of their block are
	switch {
	case have < most:
		records = min(records, most-have)
	case begins:
		if call {
			t.lost.Add(1)
		}
		return 0
	default:
		s.few = true
	}
	b := s.spare
	s.spare = 0
	if b == 0 {
		lock(&wmTraces.lock)
		b = c.blocks.take(begins)
		unlock(&wmTraces.lock)
	}
	if b == 0 {
		if call {
			t.lost.Add(1)
		}
		return 0
	}
	(*wmBlock)(unsafe.Pointer(b)).clear()
	start := b + wmBlockSize - uintptr(records)*wmRecordSize
	(*wmBlock)(unsafe.Pointer(b)).start = start
	// Who reads the trace sees the block when it has been cleared.
	if s.block == 0 {
		atomic.Storeuintptr(&s.first, b)
	} else {
		atomic.Storeuintptr(&(*wmBlock)(unsafe.Pointer(s.block)).next, b)
	}
	s.block, s.counted = b, false
	return start
}

// depart has gp leave the trace, which is over, or gp has ended. It isn't the root call's goroutine.
func (s *wmStrand) depart(gp *g, how uint32) {
	s.leave(gp)
	t := s.trace
	if s.block != 0 && !s.counted {
		b := (*wmBlock)(unsafe.Pointer(s.block))
		t.records.Add(int64((s.pos - b.start) / wmRecordSize))
	}
	lock(&wmTraces.lock)
	s.left = how
	if t.done {
		t.gatherer().stale--
		s.release()
		t.running.Add(-1)
		t.forget()
	} else {
		t.running.Add(-1) // at last: then its memory, and that of s, may be another trace's
	}
	unlock(&wmTraces.lock)
}

// release gives the strand's blocks back. The caller has the lock.
func (s *wmStrand) release() {
	b := &s.trace.gatherer().blocks
	if s.spare != 0 {
		b.give(s.spare)
		s.spare = 0
	}
	if s.first == 0 {
		return
	}
	if s.first == s.block {
		s.wipe()
	}
	b.give(s.first)
	s.first, s.block = 0, 0
}

// wipe clears the strand's first block, of which most hardly use a part. The goroutine has left, and pos is in that
// block.
func (s *wmStrand) wipe() {
	b := (*wmBlock)(unsafe.Pointer(s.first))
	memclrNoHeapPointers(unsafe.Pointer(b.start), s.pos-b.start)
	*b = wmBlock{}
}
