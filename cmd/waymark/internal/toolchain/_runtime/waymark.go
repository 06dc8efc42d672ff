// Package runtime, as waymark adds to it: the hot path of tracing.
//
// Events are written to chunks of a shared arena. Each P owns one chunk, so
// that no two threads ever write to the same one, the number of buffers does
// not depend on the number of goroutines, and nothing has to happen when
// goroutines are switched: the first event of another goroutine on the P is
// noticed by its goid and writes a Go record first. WMEnter and WMExit are
// assembly, in which the scheduler can't preempt; what they don't handle (a full
// chunk, another goroutine, tracing switched off meanwhile) is done by wmEmit.
//
// The layout of chunks, records and the control chunk is that of package
// github.com/waymark-go/waymark/format; a test compares the constants.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/exithook"
	"internal/runtime/sys"
	"unsafe"
)

// A WMSite is the word that an instrumented function checks at entry: 0 when
// tracing of the function is off, else its id. One load gives both. If its calls aren't merely
// recorded there are flags above the id, see waymark_flags.go.
type WMSite uint32

// A WMFrame is a traced call in progress: site<<32 | token. 0 is none: the
// decision to trace is made once, at entry, so that enter and exit always pair.
// The token is the distance from the top of the stack to the caller's frame.
type WMFrame uint64

// A WMPackage is a group of files that were compiled together. It lies in the
// package's data and lives as long as the program.
type WMPackage struct {
	Sites []WMSite
	Table string // what format.ParseTable reads
	Base  uint32 // id of the first site

	Settings string // of the build, in the form of WAYMARK

	// Groups are what the variables hold that the table names, when they have been
	// initialised.
	Groups []any

	bound bool
	next  *WMPackage
}

// Words of events that aren't calls. Constants whose names those of package format end are made from
// that package, see waymark_format.go.
const (
	wmFirstWord = wmFirstCode << wmSiteShift

	wmGo      = wmFirstWord | wmCodeGo<<wmCodeShift
	wmStart   = wmFirstWord | wmCodeStart<<wmCodeShift
	wmEnd     = wmFirstWord | wmCodeEnd<<wmCodeShift
	wmPanic   = wmFirstWord | wmCodePanic<<wmCodeShift
	wmRecover = wmFirstWord | wmCodeRecover<<wmCodeShift
	wmGoexit  = wmFirstWord | wmCodeGoexit<<wmCodeShift
	wmValued  = wmFirstWord | wmCodeValues<<wmCodeShift
	wmOrigin  = wmFirstWord | wmCodeOrigin<<wmCodeShift
	wmInts    = wmFirstWord | wmCodeInts<<wmCodeShift
	wmInfo    = wmFirstWord | wmCodeInfo<<wmCodeShift
	wmError   = wmFirstWord | wmCodeError<<wmCodeShift // the innermost call of the site that the value names returns an error
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

type wmRecord struct {
	clock uint64
	word  uint64
}

// Chunks that only callers which can't wait may take: hooks on the system stack,
// and functions that are called while the runtime must not be left.
const wmReserve = 8

// After so many sleeps of 50 us in which no chunk was handed out and there was nothing for the
// writer to do, all are with idle Ps, more than there were when recording began, and none will come.
const wmPatience = 20_000

// A WMOverflow says what to do when no chunk is free.
type WMOverflow uint8

const (
	WMBlock = iota // wait for one
	WMDrop         // drop the event and count it
	WMRing         // use the chunk again that has been full for the longest
)

var wm struct {
	lock mutex

	// Registration. Packages are never removed.
	first, last *WMPackage
	nextSite    uint32
	onRegister  []func(*WMPackage)
	onBind      func(*WMPackage)

	on      atomic.Uint32 // events are being recorded
	open    bool          // there is an arena, and chunks of it are handed out
	block   bool          // wait for a free chunk
	ring    bool          // use the oldest full chunk again
	frozen  atomic.Bool   // the program is dying: the ring keeps what it holds
	broken  atomic.Bool   // memory of the arena could not be reached, see wmOnFault
	counter bool          // the clock is the processor's counter, which the fast path reads itself

	// The arena: the control chunk, then the others. free is a stack, so that
	// the chunk last emptied, still warm, is used next; full is a ring.
	base     uintptr
	free     []uint32
	nfree    int
	full     []uint32
	head     int
	nfull    int
	seq      uint64
	filled   uint64      // clock when a chunk was last full
	starved  atomic.Bool // a chunk was wanted and there was none
	taken    int         // chunks that the writer has, neither full nor free
	writer   *g          // parked in WMWait
	waiting  wmQueue     // parked in wmWait
	looking  bool        // a goroutine sleeps in wmWait
	looks    int         // how often one has, since a chunk was handed out
	pid      int         // of the process that records
	number   uint32      // of the latest recording
	origins  []wmOriginKey
	norigins uint32
}

type wmOriginKey struct {
	pc uintptr
	id uint32
}

// WMRegister makes a package's sites known. It runs before any function of the
// package does: instrumented functions refer to the variable it initialises.
func WMRegister(p *WMPackage) bool {
	lock(&wm.lock)
	if wm.last == nil {
		wm.first = p
		wm.nextSite = 1
	} else {
		wm.last.next = p
	}
	wm.last = p
	p.Base = wm.nextSite
	wm.nextSite += uint32(len(p.Sites))
	list := wm.onRegister
	unlock(&wm.lock)
	for _, f := range list {
		wmWork(func() { f(p) })
	}
	return true
}

// WMPackages calls f for each package registered so far and for each one that
// registers later, in the order of their site ids.
func WMPackages(f func(*WMPackage)) {
	for {
		lock(&wm.lock)
		old := wm.onRegister
		unlock(&wm.lock)
		list := append(old[:len(old):len(old)], f) // nothing can be allocated under the lock
		lock(&wm.lock)
		changed := len(wm.onRegister) != len(old)
		first, last := wm.first, wm.last
		if !changed {
			wm.onRegister = list
		}
		unlock(&wm.lock)
		if changed {
			continue
		}
		for p := first; p != nil; p = p.next {
			wmWork(func() { f(p) })
			if p == last {
				break
			}
		}
		return
	}
}

// WMBind tells what the groups are that the functions of p are in.
func WMBind(p *WMPackage, groups ...any) bool {
	p.Groups = groups
	lock(&wm.lock)
	p.bound = true
	f := wm.onBind
	unlock(&wm.lock)
	if f != nil {
		wmWork(func() { f(p) })
	}
	return true
}

// WMOnBind calls f for each package whose groups are known, and for each of which they become known later.
func WMOnBind(f func(*WMPackage)) {
	lock(&wm.lock)
	wm.onBind = f
	p := wm.first
	unlock(&wm.lock)
	for ; p != nil; p = p.next {
		if p.bound {
			wmWork(func() { f(p) })
		}
	}
}

// WMStart begins recording into an arena of memory mapped by the caller, which stays mapped until
// WMRetire, and returns the number of the recording. The one before has ended. WMSetClock has been
// called. No chunk is free before WMFree.
func WMStart(arena []byte, overflow WMOverflow) (recording uint32) {
	if wm.base != 0 {
		WMRetire()
	}
	chunks := len(arena) / wmChunkSize
	free, full := make([]uint32, chunks), make([]uint32, chunks)
	origins := make([]wmOriginKey, 256)
	lock(&wm.lock)
	wm.base = uintptr(unsafe.Pointer(unsafe.SliceData(arena)))
	wm.free, wm.full, wm.origins = free, full, origins
	wm.block, wm.ring = overflow == WMBlock, overflow == WMRing
	wm.looks = 0
	wm.broken.Store(false)
	wm.starved.Store(false)
	wm.pid, wm.open = wmPID(), true
	wm.number++
	recording = wm.number
	wmCaptured.panicsHidden = false
	if wmTypes.table == nil {
		wmForgetTypes()
	}
	wmFindConstants()
	wmFindArguments()
	unlock(&wm.lock)
	wmPair()
	wm.on.Store(1)
	return recording
}

// WMStop ends recording: calls in progress write their exits as long as there
// is room in the chunk at hand, and nobody waits any more.
func WMStop() {
	wm.on.Store(0)
	for p := wm.first; p != nil; p = p.next {
		for i := range p.Sites {
			WMSwitch(p, i, false)
		}
	}
	lock(&wm.lock)
	wm.open = false
	w := wm.writer
	wm.writer = nil
	waiting := wm.waiting
	wm.waiting = wmQueue{}
	unlock(&wm.lock)
	wmWake(w)
	for gp := waiting.pop(); gp != nil; gp = waiting.pop() {
		wmWake(gp)
	}
}

// WMLost gives the number of events dropped and not yet said in a chunk.
func WMLost() uint64 {
	var n uint64
	for _, pp := range allp {
		n += pp.wm.lost
	}
	return n
}

// WMMute makes the calling goroutine invisible, or visible again when it has been
// called as often with false as with true.
func WMMute(on bool) { wmMute(getg(), on) }

func wmMute(gp *g, on bool) {
	if on {
		gp.wm.flags += wmMute1
		gp.wm.id, gp.wm.timing = 0, 0 // of no P, and without a stack: its next call takes the slow path
	} else {
		gp.wm.flags -= wmMute1
	}
}

// wmWork calls f, which works for waymark: it may take locks that the program's calls of the same
// functions are reported under, if package sync is instrumented.
func wmWork(f func()) {
	WMMute(true)
	defer WMMute(false)
	f()
}

// WMSetClock chooses the clock of events and of timed calls, once, before the first of them: the processor's counter, else
// the monotonic clock.
func WMSetClock(counter bool) { wm.counter = counter }

// WMClock reads the clock of the events, in ticks, and the monotonic clock, in ns.
func WMClock() (clock uint64, mono int64) { return wmClock(), nanotime() }

// WMCounter describes the processor's counter: its name, empty if there is none;
// whether the processor says that it counts at a constant rate; and the rate in
// ticks per second, 0 if the processor doesn't say.
func WMCounter() (name string, constant bool, hz uint64) { return wmCounter() }

func wmClock() uint64 {
	if wm.counter {
		return wmTicks()
	}
	return uint64(nanotime())
}

// WMAtExit has f called when the program ends by os.Exit or by returning from main.
func WMAtExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

// wmSlowEnter continues WMEnter, which jumps here when the fast path won't do.
//
//go:noinline
func wmSlowEnter(site WMSite) WMFrame {
	gp := getg()
	f := WMFrame(site)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	if site&wmFlagged != 0 {
		return wmEnterFlagged(f, nil)
	}
	if !wmEmit(gp, uint64(f), true, nil) {
		return 0
	}
	return f
}

// wmSlowExit continues WMExit.
//
//go:noinline
func wmSlowExit(f WMFrame) {
	if f&wmFrameFlagged != 0 {
		wmExitFlagged(f, nil)
		return
	}
	wmEmit(getg(), uint64(f)|wmExitBit, true, nil)
}

// wmToken gives the token of the frame that calls a function with the given
// stack pointer: the value that the assembly finds, which reads SP wmCallSize deeper.
// A stack pointer in a variable is worth nothing once the stack has moved, which it
// may at the start of any function that can be preempted: so this one can't, and
// what is passed on is the token.
//
//go:nosplit
func wmToken(gp *g, sp uintptr) uint32 { return uint32(gp.stack.hi - sp + wmCallSize) }

// wmEmit writes a record for gp, with values if there are some, and tells whether it
// did. With wait it may release the P and wait for a chunk, if the program asked for that.
func wmEmit(gp *g, word uint64, wait bool, v *wmValues) bool {
	if wm.on.Load() == 0 && word&wmExitBit == 0 || gp.wm.flags&wmMuted != 0 {
		return false
	}
	for woken := false; ; woken = wmWait(woken) {
		mp := acquirem()
		pp := mp.p.ptr()
		if gp != mp.curg || pp == nil {
			// On a system stack, where timers' callbacks run: the event is no goroutine's.
			if pp != nil {
				wmLose(pp, word)
			}
			releasem(mp)
			return false
		}
		need := 1 + v.records()
		if pp.wm.last != gp.goid {
			need++
		}
		if gp.wm.flags&wmStarted == 0 {
			need += 2
		}
		canWait := wait && wm.block && wmMayWait(gp, 1)
		if wmRoom(pp) >= need || wmRefill(pp, !canWait) {
			now := wmClock()
			if pp.wm.last != gp.goid {
				wmPut(pp, now, wmGo|gp.goid&wmValueMask)
				pp.wm.last = gp.goid
			}
			if gp.wm.flags&wmStarted == 0 {
				gp.wm.flags |= wmStarted
				wmPut(pp, now, wmStart|gp.parentGoid&wmValueMask)
				wmPut(pp, now, wmOrigin|uint64(wmOriginID(gp.gopc)))
			}
			wmPut(pp, now, word)
			if v != nil && v.n > 0 {
				wmPutValues(gp, pp, now, v)
			}
			if wm.counter {
				pp.wm.goid, gp.wm.id = gp.goid, gp.goid
			}
			releasem(mp)
			if woken {
				wmWakeNext()
			}
			return true
		}
		ended := wm.on.Load() == 0 || !wm.open
		if !ended && canWait && (wm.looks <= wmPatience || wm.nfull > 0) {
			releasem(mp)
			continue
		}
		if !ended && word != wmEnd { // an end only tells readers early what they learn at last
			wmLose(pp, word)
		}
		releasem(mp)
		if woken {
			wmWakeNext()
		}
		return false
	}
}

// wmLose counts an event that isn't written.
func wmLose(pp *p, word uint64) {
	pp.wm.lost++
	if word < wmGo {
		pp.wm.lost++ // an enter: its exit won't be tried
	}
}

// wmMayWait tells whether gp, which is running, may wait, and so call code of the program's. own is
// what the caller itself adds to m.locks. A goroutine that keeps its processor to itself, as in
// sync.Pool, or holds a lock of the runtime's, must come back to it without a switch.
func wmMayWait(gp *g, own int32) bool {
	mp := gp.m
	return mp.locks == own && mp.mallocing == 0 && mp.preemptoff == "" && !gp.throwsplit
}

// wmRoom tells how many records fit into pp's chunk. The position is at a
// multiple of the chunk size when there is no chunk or it is full.
func wmRoom(pp *p) int {
	if at := pp.wm.pos & (wmChunkSize - 1); at != 0 {
		return int(wmChunkSize-at) / wmRecordSize
	}
	return 0
}

// wmPut writes a record. The clock comes last: it is what makes the record
// valid for whoever reads the arena after a kill.
func wmPut(pp *p, clock, word uint64) {
	r := (*wmRecord)(unsafe.Pointer(pp.wm.pos))
	atomic.Store64(&r.word, word)
	atomic.Store64(&r.clock, clock)
	pp.wm.pos += wmRecordSize
}

// wmOriginID gives the id of the go statement at pc. The control chunk lists
// them with their positions, resolved here because nobody could after a kill.
func wmOriginID(pc uintptr) uint32 {
	if pc == 0 {
		return 0
	}
	lock(&wm.lock)
	defer unlock(&wm.lock)
	mask := uint32(len(wm.origins) - 1)
	i := uint32(pc>>2) & mask
	for ; wm.origins[i].pc != 0; i = (i + 1) & mask {
		if wm.origins[i].pc == pc {
			return wm.origins[i].id
		}
	}
	f := findfunc(pc)
	if !f.valid() || int(wm.norigins) >= len(wm.origins)*3/4 {
		return 0
	}
	name := funcNameForPrint(funcname(f))
	file, line := funcline(f, pc-sys.PCQuantum)
	used := (*uint32)(unsafe.Pointer(wm.base + wmArenaOrigins))
	size := (16 + len(name) + len(file) + 7) &^ 7
	if int(*used)+size > wmChunkSize-wmOriginsOffset || len(name) >= 1<<16 || len(file) >= 1<<16 {
		return 0
	}
	at := wm.base + wmOriginsOffset + uintptr(*used)
	*(*uint64)(unsafe.Pointer(at)) = uint64(pc)
	*(*uint32)(unsafe.Pointer(at + 8)) = uint32(line)
	*(*uint16)(unsafe.Pointer(at + 12)) = uint16(len(name))
	*(*uint16)(unsafe.Pointer(at + 14)) = uint16(len(file))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at+16)), len(name)), name)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at+16+uintptr(len(name)))), len(file)), file)
	atomic.Store(used, *used+uint32(size))
	wm.norigins++
	wm.origins[i] = wmOriginKey{pc, wm.norigins}
	return wm.norigins
}

// wmOnPanic reports a panic that begins; gopanic calls it before any deferred call.
func wmOnPanic(gp *g, token uint32, e any) {
	wmWatchedPanic(gp, e, false)
	if gp.wm.flags&wmStarted != 0 && wm.on.Load() != 0 {
		e = wmPanicValue(e)
		if wmStringer != nil && gp.wm.flags&wmMuted == 0 && gp.bubble == nil { // as in wmAsTexts
			e = wmAsText(e)
		}
		wmEmit(gp, wmPanic|uint64(token), true, &wmValues{list: noescape(unsafe.Pointer(&e)), n: 1})
	}
}

// wmOnGoexit reports that runtime.Goexit begins.
func wmOnGoexit(gp *g, token uint32) {
	wmWatchedPanic(gp, nil, true)
	if gp.wm.flags&wmStarted != 0 {
		wmEmit(gp, wmGoexit|uint64(token), true, nil)
	}
}

// wmOnGoexited is called when the deferred calls of a Goexit have run.
func wmOnGoexited(gp *g) {
	if w := gp.wm.watching; w != nil {
		gp.wm.unwound = 0
		w.pay(gp)
		w.leave(gp, 0)
	}
}

// wmOnRecovery reports, on g0, that gp goes on in the frame whose stack pointer
// is sp: deeper frames are gone.
func wmOnRecovery(gp *g, sp uintptr) {
	if gp.wm.flags&wmStarted != 0 {
		wmEmitFor(gp, wmRecover|uint64(wmToken(gp, sp)))
	}
	wmRecoverTimed(gp, wmToken(gp, sp))
	if gp.wm.watching != nil && gp.wm.flags&wmMuted == 0 { // else it is a monitor that has recovered
		gp.wm.unwound = wmToken(gp, sp) + 1
	}
}

// wmOnEnd reports, on g0, that gp has ended. A g is used again for other goroutines.
func wmOnEnd(gp *g) {
	if gp.wm.flags != 0 {
		if gp.wm.flags&wmStarted != 0 {
			wmEmitFor(gp, wmEnd)
		}
		if gp.wm.flags&wmOwn != 0 {
			wmGoroutines.alive.Add(-1)
		}
	}
	gp.wm.flags, gp.wm.id = 0, 0
	gp.wm.watching, gp.wm.unwound = nil, 0
	wmLeaveTimed(gp)
}

// wmOnFatal is called when the program is about to print why it dies: of a panic, a
// fatal error or SIGQUIT. The ring stops turning, so that what other goroutines
// do while stacks are printed does not overwrite what led there; nothing else need be
// done, because the arena outlives the process. This may run in a signal handler,
// in whatever state the runtime is: it takes no lock that may be held.
func wmOnFatal() {
	wm.frozen.Store(true)
	if wm.on.Load() != 0 {
		wmPair()
	}
	// A fatal error or a signal may come while deferred calls of a panic run, which is perhaps recovered.
	mp := getg().m
	if gp := mp.curg; mp.throwing == throwTypeNone && gp != nil && gp._panic != nil && !gp._panic.goexit {
		wmLast.panicked.set(gp)
	}
	wmLastWords()
}

// wmEmitFor is wmEmit on g0, which still holds the P that gp ran on.
func wmEmitFor(gp *g, word uint64) { wmEmit(gp, word, false, nil) }
