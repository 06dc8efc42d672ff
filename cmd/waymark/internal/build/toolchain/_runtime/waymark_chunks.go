// Package runtime, as waymark adds to it: chunks go from the free ones to Ps, and to the writer.
//
// A chunk is free, a P's, or full. Full chunks wait for the writer, which frees them when their
// events are in the trace file. Of a ring the oldest full chunk is used again.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// wmChunkHead begins a chunk.
type wmChunkHead struct {
	state, stream uint32
	seq           uint64
	clock         uint64
	goroutine     uint64
	end           uint32
	flags         uint32
	lost          uint64
	filled        uint64
}

// Chunks that only callers which can't wait may take. These callers are hooks on
// the system stack, and functions that are called while the runtime must not be
// left.
const wmReserve = 8

// Goroutines wait no longer after this many sleeps of 50 us in which no chunk was handed out and
// the writer had no work. Then idle Ps hold all chunks, because there are more Ps than when
// recording began. No chunk will come.
const wmPatience = 20_000

// WMTake returns the index of the chunk that has been full for the longest, -1 if there is none.
func WMTake() int {
	lock(&wm.lock)
	defer unlock(&wm.lock)
	if wm.nfull == 0 {
		return -1
	}
	i := wm.full[wm.head]
	wm.head = (wm.head + 1) % len(wm.full)
	wm.nfull--
	wm.taken++
	return int(i)
}

// WMWait waits until a chunk is full or more of them are wanted, and reports whether the recording
// goes on. One goroutine of each recording may call WMWait.
func WMWait(recording uint32) bool {
	lock(&wm.lock)
	for wm.nfull == 0 && !wm.starved.Load() && wm.open && wm.number == recording && !wm.broken.Load() {
		wm.writer = getg()
		goparkunlock(&wm.lock, waitReasonZero, traceBlockSystemGoroutine, 1)
		lock(&wm.lock)
	}
	goesOn := wm.open && wm.number == recording
	if goesOn {
		wm.starved.Store(false)
	}
	unlock(&wm.lock)
	return goesOn
}

// WMFree makes a chunk free, after WMTake or for the first time.
func WMFree(i int) {
	wmClear((*wmChunkHead)(unsafe.Pointer(wm.base + uintptr(i)*wmChunkSize)))
	lock(&wm.lock)
	wm.free[wm.nfree] = uint32(i)
	wm.nfree++
	wm.taken = max(wm.taken-1, 0) // one that is freed for the first time comes when the writer has none
	var gp *g
	if wm.nfree > wmReserve || wm.nfull+wm.taken == 0 { // after the last one nobody else would wake it
		gp = wm.waiting.pop()
	}
	unlock(&wm.lock)
	wmWake(gp)
}

// A wmQueue is a list of parked goroutines, linked by schedlink.
//
// They wait for room in a chunk. Each P needs one chunk, whatever the number of goroutines, so a
// chunk that is freed wakes one goroutine. A woken goroutine that has written its event wakes the
// next, as there may be room for the next one's event too. So one wake-up for each chunk is in
// vain. A waiting goroutine is always woken at some time. Either the writer wakes it, which has
// chunks to free. Or a goroutine that has been woken, or that looks again and again, wakes the
// next.
type wmQueue struct{ head, tail guintptr }

// push appends gp; a goroutine that has been woken in vain comes first.
func (q *wmQueue) push(gp *g, first bool) {
	switch {
	case q.head == 0:
		gp.schedlink = 0
		q.head.set(gp)
		q.tail.set(gp)
	case first:
		gp.schedlink = q.head
		q.head.set(gp)
	default:
		gp.schedlink = 0
		q.tail.ptr().schedlink.set(gp)
		q.tail.set(gp)
	}
}

// pop removes and returns the first goroutine, nil if there is none.
func (q *wmQueue) pop() *g {
	gp := q.head.ptr()
	if gp != nil {
		q.head, gp.schedlink = gp.schedlink, 0
	}
	return gp
}

// wmWait waits until there may be room. It reports whether it is then the caller's turn to wake the
// next goroutine, see wmQueue; woken says that it was already. A parked goroutine needs no thread:
// there may be no more threads. If idle Ps hold all chunks, the writer can free nothing. Then one
// goroutine sleeps a little, as in a blocking system call: without the P, which others may need.
func wmWait(woken bool) bool {
	lock(&wm.lock)
	switch wake := wm.writer; {
	case !wm.open || wm.nfree > wmReserve:
		unlock(&wm.lock)
		return woken
	case wm.nfull+wm.taken == 0 && !wm.looking:
		wm.looking = true
		unlock(&wm.lock)
		entersyscallblock()
		usleep(50)
		exitsyscall()
		lock(&wm.lock)
		wm.looking = false
		wm.looks++
		unlock(&wm.lock)
		return true
	case wake != nil:
		wm.writer = nil
		unlock(&wm.lock)
		wmWake(wake)
		return woken
	}
	wm.waiting.push(getg(), woken)
	goparkunlock(&wm.lock, waitReasonZero, traceBlockSystemGoroutine, 1)
	return true
}

// wmWakeNext wakes the goroutine that has waited for the longest.
func wmWakeNext() {
	lock(&wm.lock)
	gp := wm.waiting.pop()
	unlock(&wm.lock)
	wmWake(gp)
}

// wmClear makes a chunk ready to be handed out again. Bytes of values may look like a record that is
// newer than the chunk, which readers of the arena would take for an event.
func wmClear(h *wmChunkHead) {
	atomic.Store(&h.state, wmChunkFree)
	if h.flags&wmHeldValues != 0 {
		h.flags = 0
		memclrNoHeapPointers(add(unsafe.Pointer(h), wmChunkHeader), wmChunkSize-wmChunkHeader)
	}
}

// WMQueue returns the numbers of free and of full chunks.
func WMQueue() (free, full int) { return wm.nfree, wm.nfull }

// wmRefill queues pp's chunk, hands an empty chunk to pp, and reports whether there was one. The last
// few chunks are for callers that can't wait.
func wmRefill(pp *p, reserve bool) bool {
	if !wm.open {
		return false
	}
	if wmPID() != wm.pid {
		wmForked()
		return false
	}
	if wm.broken.Load() {
		lock(&wm.lock)
		wake := wm.writer // who says what has happened
		wm.writer = nil
		unlock(&wm.lock)
		wmWake(wake)
		return false
	}
	if wm.ring {
		return wmTurn(pp)
	}
	left := 0
	if !reserve && wm.block {
		left = wmReserve
	}
	if wm.nfree <= left && wm.starved.Load() && pp.wm.pos == 0 {
		// A look without the lock: dropping must not cost more than recording.
		return false
	}
	lock(&wm.lock)
	if !wm.open {
		unlock(&wm.lock)
		return false
	}
	wmQueueFull(pp) // also if there is no other one: it is what the writer can free
	if wm.nfree <= left {
		// Perhaps Ps that are idle hold all chunks, and none will ever be full.
		wm.starved.Store(true)
		wake := wm.writer
		wm.writer = nil
		unlock(&wm.lock)
		wmWake(wake)
		return false
	}
	wm.nfree--
	wmHandOut(pp, wm.free[wm.nfree])

	// Waking the writer for each chunk would cost more than what it then does.
	var wake *g
	if wm.nfull >= 16 || wm.nfree <= wmReserve || wm.pace > 0 && wm.nfull > 0 && wm.filled-wm.woken >= wm.pace {
		wake, wm.writer = wm.writer, nil
		wm.woken = wm.filled
	}
	hurry := wake != nil && wm.pace > 0 && sched.npidle.Load() == 0
	unlock(&wm.lock)
	if hurry {
		systemstack(func() { ready(wake, 0, true) })
		wmYield()
	} else {
		wmWake(wake)
	}
	return true
}

// wmForked ends recording in a copy of the process that records: C's fork, in a program that goes on
// in Go. The copy shares the arena and has nobody to empty it. wmForked takes no lock: a thread that
// wasn't copied may hold the lock for ever, and no other thread runs.
func wmForked() {
	wm.on.Store(0)
	wm.open = false
	wmSwitchOff()
	for _, pp := range allp {
		pp.wm.pos = 0
	}
}

// wmTurn is wmRefill for a ring. It never waits and needs no writer: if no chunk is free, the chunk
// that has been full for the longest is overwritten. There is none only if other Ps, more than there
// were when recording began, hold all.
func wmTurn(pp *p) bool {
	lock(&wm.lock)
	if !wm.open || wm.frozen.Load() {
		unlock(&wm.lock)
		return false
	}
	wmQueueFull(pp)
	i, ok := wmTakeChunk()
	if ok {
		wmHandOut(pp, i)
	}
	unlock(&wm.lock)
	return ok
}

// wmTakeChunk takes a chunk that is free or, of a ring, the chunk that has been full for the longest.
// wm.lock is held.
func wmTakeChunk() (i uint32, ok bool) {
	if wm.nfree > 0 {
		wm.nfree--
		return wm.free[wm.nfree], true
	}
	if !wm.ring || wm.nfull == 0 {
		return 0, false
	}
	i = wm.full[wm.head]
	wm.head = (wm.head + 1) % len(wm.full)
	wm.nfull--
	// Whoever reads the arena, now or after a kill, must find this before the
	// chunk changes. The reader must not take a half-written header for a full
	// chunk's.
	h := (*wmChunkHead)(unsafe.Pointer(wm.base + uintptr(i)*wmChunkSize))
	atomic.Store64((*uint64)(unsafe.Pointer(wm.base+wmArenaBefore)), h.filled)
	wmClear(h)
	return i, true
}

// wmQueueFull queues pp's chunk, if it has one. wm.lock is held.
func wmQueueFull(pp *p) {
	if pp.wm.pos == 0 {
		return
	}
	c := (pp.wm.pos - 1) &^ (wmChunkSize - 1)
	h := (*wmChunkHead)(unsafe.Pointer(c))
	h.end = uint32(pp.wm.pos - c)
	wm.filled = max(wmClock(), wm.filled+1) // no two are equal: it orders chunks
	h.filled = wm.filled
	atomic.Store(&h.state, wmChunkFull)
	wm.full[(wm.head+wm.nfull)%len(wm.full)] = uint32((c - wm.base) / wmChunkSize)
	wm.nfull++
	pp.wm.pos = 0
}

// wmHandOut makes chunk i, which is free, pp's. wm.lock is held. Records that an earlier use left
// there have older clocks; see wmClear for bytes without a clock.
func wmHandOut(pp *p, i uint32) {
	wm.looks = 0
	c := wm.base + uintptr(i)*wmChunkSize
	wm.seq++
	h := (*wmChunkHead)(unsafe.Pointer(c))
	h.stream = uint32(pp.id)
	h.seq = wm.seq
	h.end = 0
	h.lost, pp.wm.lost = pp.wm.lost, 0
	h.goroutine = 0
	h.clock = wmClock()
	h.filled = 0
	atomic.Store(&h.state, wmChunkActive)
	pp.wm.pos = c + wmChunkHeader
	pp.wm.last = ^uint64(0) // every chunk says for itself whose events it holds
	pp.wm.goid = ^uint64(0) // not 0: that is every g0, whose events no fast path may write
	wmPair()
}

func wmWake(gp *g) {
	if gp != nil {
		systemstack(func() { ready(gp, 0, false) })
	}
}

// wmYield has the calling goroutine give up its P when it next calls a function, to the writer, who has just been put first
// of all.
func wmYield() {
	if gp := getg(); gp == gp.m.curg {
		gp.preempt = true
		gp.stackguard0 = stackPreempt
	}
}

// WMLost returns the number of dropped events that no chunk says yet.
func WMLost() uint64 {
	var n uint64
	for _, pp := range allp {
		n += pp.wm.lost
	}
	return n
}
