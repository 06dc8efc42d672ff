// Package trampoline writes the code that patched functions jump to: it records that a call begins or ends,
// and goes on where the function would have.
//
//	w := trampoline.New(layout, memory, code)
//	w.Add(plan, site, trampoline.Record{}, bias)
//	process.Write(w.Base(), w.Bytes())
//
// A trampoline calls nothing, takes no lock and uses no memory of the program's but 88 bytes below the stack
// pointer, which are nobody's: signal handlers of Go programs have stacks of their own. Registers that it
// needs are free where a call begins behind the stack check, and where it returns: R12, R13, R15 and the
// flags. At lines it saves them. The time is read as late as can be at a beginning, and as early as can be at an end.
package trampoline

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// The memory that a patched process and its tracer share, in bytes from its beginning: a head, a cell for each
// of the scheduler's Ps, goroutines that no cell has, two counters for each site, one for each site and P, and chunks of events, as an arena of
// package format has them.
const (
	MostPs    = 1024
	MostSites = 1 << 16

	Cells     = 4096
	CellSize  = 1 << cellShift
	absent    = Cells + MostPs*CellSize
	Drops     = absent + absentees*8
	Counts    = Drops + MostSites*dropSize
	CountPs   = 128 // Ps that have counters of their own
	CountSize = 1 << countShift
	Chunks    = (Counts + CountPs*CountSize + format.ChunkSize - 1) &^ (format.ChunkSize - 1)

	absentees  = 1024 // goroutines, by the lowest bits of their ids, whose ids no cell has
	dropSize   = 16   // events that were dropped of a site: beginnings, ends
	cellShift  = 14
	countShift = 19 // 8 bytes for each site
)

// A cell, in bytes from its beginning. The P has it alone but for Tail and the slots behind it.
const (
	Cursor    = 0  // where the next event goes; 0: there is no chunk
	limit     = 8  // the last place where an event and a switch fit
	goroutine = 16 // of the latest event
	head      = 24 // chunks taken
	sequence  = 32 // of the chunk
	Lost      = 40 // events since the last chunk
	Chunk     = 48 // the chunk's address
	Tail      = 64 // chunks given
	slots     = 4096
	Slots     = 1024 // addresses of chunks to take, in a ring
)

// Heads, in bytes from the beginning of the memory.
const (
	HeadMagic  = 0
	HeadTracer = 8  // process id of who patches
	HeadStart  = 16 // when that process began, as the kernel tells it
	HeadCode   = 24 // address of the trampolines
	HeadUsed   = 32 // how many bytes of them there are
	HeadNoP    = 40 // events of threads that had no P
	headEnd    = 48 // address behind the cells of all Ps that have had a chunk
)

// Magic is what the head begins with.
const Magic = 0x6863746170_6d77 // "wmpatch"

// Slot returns where the n-th chunk that a P is given stands in its cell.
func Slot(n uint64) int { return slots + int(n%Slots)*8 }

// Drop returns where the counters of a site are.
func Drop(site uint32) int { return Drops + int(site)*dropSize }

// A Writer writes trampolines.
type Writer struct {
	code
	layout   *image.Layout
	memory   uint64 // its address in the process
	refill   uint64 // routines
	switched uint64
	copier   uint64 // 0: nothing can be copied
	heap     *image.Heap
	bias     uint64 // what the process's addresses are more than the file's
}

// New makes a writer of trampolines that are to lie at an address, for a process whose memory for events is at
// another one.
func New(layout *image.Layout, memory, at uint64) *Writer {
	w := &Writer{code: code{base: at}, layout: layout, memory: memory}
	w.routines()
	return w
}

// Bytes returns what has been written.
func (w *Writer) Bytes() []byte { return w.b }

// Saved registers, below the stack pointer.
var (
	savedContext = at(rsp, -8) // rdx at a beginning: the closure's
	savedA       = at(rsp, -16)
	savedD       = at(rsp, -24)
	savedC       = at(rsp, -32)
	savedG       = at(rsp, -40) // r14
	savedB       = at(rsp, -48)

	// At a line, where all registers may be in use.
	saved12    = at(rsp, -56)
	saved13    = at(rsp, -64)
	saved15    = at(rsp, -72)
	savedFlags = at(rsp, -80)
	savedAX    = at(rsp, -88)
)

// routines writes what trampolines share.
func (w *Writer) routines() {
	cell := func(field int) mem { return at(r12, field) }

	// refill has a chunk for the P, if one is free. r12: the cell; r15: where to return to. r13: the cursor, or 0.
	w.refill = w.pc()
	w.store(savedA, rax)
	w.store(savedD, rdx)
	w.store(savedC, rcx)
	w.clock()
	w.load(rcx, cell(Chunk))
	w.test(rcx)
	none := w.ahead(equal)
	w.load(rdx, cell(Cursor))
	w.sub(rdx, rcx)
	w.store32(at(rcx, 32), rdx) // its header: the end, the time
	w.store(at(rcx, 48), rax)
	w.set32(at(rcx, 0), format.ChunkFull)
	w.set(cell(Chunk), 0)
	w.land(none)
	w.load(rdx, cell(head))
	w.compare(rdx, cell(Tail))
	empty := w.ahead(aboveEqual)
	w.move(rcx, rdx)
	w.and32(rcx, slotMask)
	w.load(rcx, mem{base: r12, index: rcx, scaled: true, disp: slots})
	w.addTo(rdx, 1)
	w.store(cell(head), rdx)
	w.store(at(rcx, 16), rax)
	w.load(rdx, at(r14, int(w.layout.GGoid)))
	w.store(at(rcx, 24), rdx)
	w.set(cell(goroutine), 0) // so that the first event has a switch
	w.load(rdx, cell(sequence))
	w.addTo(rdx, 1)
	w.store(cell(sequence), rdx)
	w.store(at(rcx, 8), rdx)
	w.load(rdx, cell(Lost))
	w.store(at(rcx, 40), rdx)
	w.set(cell(Lost), 0)
	w.set32(at(rcx, 0), format.ChunkActive)
	w.store(cell(Chunk), rcx)
	w.lea(r13, at(rcx, format.ChunkHeader))
	w.store(cell(Cursor), r13)
	w.addTo(rcx, format.ChunkSize-switchSize)
	w.store(cell(limit), rcx)
	w.lea(rdx, at(r12, CellSize))
	again := w.pc()
	w.load(rax, near(w.memory+headEnd))
	w.compareTo(rax, rdx)
	known := w.ahead(aboveEqual)
	w.exchange(near(w.memory+headEnd), rdx)
	w.jump(notEqual, again)
	w.land(known)
	back := w.pc()
	w.load(rax, savedA)
	w.load(rdx, savedD)
	w.load(rcx, savedC)
	w.jumpTo(r15)
	w.land(empty)
	w.clear(r13)
	w.store(cell(Cursor), r13)
	w.store(cell(limit), r13)
	w.countUp(cell(Lost))

	// Events of other Ps that seem to be next to each other have this one between them: the goroutine is nobody's latest
	// any more, so that its next event, wherever it is, has a switch.
	w.load(rax, at(r14, int(w.layout.GGoid)))
	w.absent(rax)
	w.compare(rax, at(rcx, 0))
	w.jump(equal, back) // since the last time it had none
	w.store(at(rcx, 0), rax)
	w.lea(rdx, near(w.memory+Cells))
	next := w.pc()
	w.compare(rax, at(rdx, goroutine))
	others := w.ahead(notEqual)
	w.clear(rcx)
	w.exchange(at(rdx, goroutine), rcx) // its P may be about to write that it runs another one
	w.load(rax, at(r14, int(w.layout.GGoid)))
	w.land(others)
	w.addTo(rdx, CellSize)
	w.compare(rdx, near(w.memory+headEnd))
	w.jump(below, next)
	w.jump(always, back)

	// switched records that the P runs another goroutine, whose id the cell has already: Go, Start and Origin, as if
	// the goroutine had just begun. The origin's value is where the go statement is. r13: the cursor.
	w.switched = w.pc()
	w.store(savedA, rax)
	w.store(savedD, rdx)
	w.store(savedC, rcx)
	w.load(rax, cell(goroutine))
	w.absent(rax)
	w.compare(rax, at(rcx, 0))
	present := w.ahead(notEqual)
	w.set(at(rcx, 0), 0)
	w.land(present)
	w.load(rcx, savedC)
	for i, e := range []struct {
		code uint64
		from mem
	}{{format.CodeGo, cell(goroutine)}, {format.CodeStart, at(r14, int(w.layout.GParent))}, {format.CodeOrigin, at(r14, int(w.layout.GStarted))}} {
		w.word(rax, codeWord(e.code))
		w.load(rdx, e.from)
		w.or(rax, rdx)
		w.store(at(r13, i*format.RecordSize+8), rax)
	}
	w.clock()
	for i := 0; i < switchSize; i += format.RecordSize {
		w.store(at(r13, i), rax)
	}
	w.addTo(r13, switchSize)
	w.store(cell(Cursor), r13)
	w.load(rax, savedA)
	w.load(rdx, savedD)
	w.jumpTo(r15)
	w.align()
}

// absent sets rcx to where it is written that no cell has the id of a goroutine, which is in a register. rdx is free.
func (w *Writer) absent(id reg) {
	w.lea(rdx, near(w.memory+absent))
	w.move(rcx, id)
	w.and32(rcx, absentees-1)
	w.shift32(rcx, 3)
	w.add(rcx, rdx)
}

// switchSize is what a switch to another goroutine takes, bytes.
const switchSize = 3 * format.RecordSize

func codeWord(code uint64) uint64 { return format.FirstCode<<format.SiteShift | code<<format.CodeShift }

// slotMask has the bits of a number that choose a slot.
const slotMask = Slots - 1

// A Record is what is recorded of a function's calls beside that they begin and end.
type Record struct {
	Count         bool          // they are only counted where they begin
	Line          bool          // it is of a line, which has Args only: variables
	Callers       int           // so many return addresses at most, the innermost first; 0: none
	Args, Results *capture.Plan // nil: they aren't copied

	Failure *capture.Piece // of a call that returns an error it is recorded where this is not 0; nil: never
}

// MostCallers is how many return addresses can be recorded of a call.
const MostCallers = 64

// CodeStack is the code of a record that return addresses follow, of the call whose beginning is before it. Its value is
// how many bytes they take, without what fills the last record.
const CodeStack = 0xFF

// An event is what a place records.
type event struct {
	callers int // see Record
	frames  frames
	copied  *capture.Plan
	failure *capture.Piece
	site    uint32 // whose counters count it where there is no room
	exit    bool
	// enter sets r14 to the goroutine that the event is of; nil: that which runs. A signal meanwhile does no harm: its
	// handler takes the goroutine from the thread's own memory.
	enter func()
	word  func() // stores the event's word behind the clock at r13. rax and rdx are free
}

// record writes code that records an event, then what body writes, which ends in a jump or a return.
// All registers but r12, r13, r15 and the flags keep their values, and at an end rdx, which is no result.
func (w *Writer) record(e event, body func()) {
	cell := func(field int) mem { return at(r12, field) }
	drops := w.memory + uint64(Drop(e.site))
	if e.exit {
		drops += 8
	}
	nobody := hole(0)
	if e.enter != nil {
		w.store(savedG, r14)
		e.enter()
		w.test(r14)
		nobody = w.ahead(equal)
	}
	w.load(r12, at(r14, int(w.layout.GM)))
	w.load(r12, at(r12, int(w.layout.MP)))
	w.test(r12)
	noP := w.ahead(equal)
	w.load32(r12, at(r12, int(w.layout.PID)))
	w.compare32(r12, MostPs)
	tooMany := w.ahead(aboveEqual)
	w.shift32(r12, cellShift)
	w.lea(r13, near(w.memory+Cells))
	w.add(r12, r13)
	w.load(r13, cell(Cursor))
	if more := stackSize(e.callers) + copySize(e.copied) + failureSize(e.failure); more > 0 { // room for them, too
		w.lea(r15, at(r13, more))
		w.compare(r15, cell(limit))
	} else {
		w.compare(r13, cell(limit))
	}
	full := w.ahead(aboveEqual)
	got := w.pc()
	w.load(r15, at(r14, int(w.layout.GGoid)))
	w.compare(r15, cell(goroutine))
	other := w.ahead(notEqual)
	same := w.pc()
	w.move(r15, rax)
	if !e.exit {
		w.store(savedContext, rdx)
	}
	if e.failure != nil {
		w.failure(e.failure, e.site)
	}
	e.word()
	w.clock()
	w.store(at(r13, 0), rax)
	w.addTo(r13, format.RecordSize)
	if e.callers > 0 {
		w.stack(e.callers, e.frames)
	}
	if e.copied != nil {
		w.copy(e.copied)
	}
	w.store(cell(Cursor), r13)
	w.move(rax, r15)
	if !e.exit {
		w.load(rdx, savedContext)
	}
	skip := w.pc()
	if e.enter != nil {
		w.land(nobody)
		w.load(r14, savedG)
	}
	body()
	w.land(full)
	back := w.aheadAddress(r15)
	w.jump(always, w.refill)
	w.land(back)
	w.test(r13)
	w.jump(notEqual, got)
	w.increment(near(drops))
	w.jump(always, skip)
	w.land(other)
	w.store(cell(goroutine), r15)
	w.lea(r15, near(same))
	w.jump(always, w.switched)
	w.land(noP)
	w.land(tooMany)
	w.increment(near(w.memory + HeadNoP))
	w.increment(near(drops))
	w.jump(always, skip)
	w.align()
}

// count writes code that counts a call of a site, then what body writes, which ends in a jump.
func (w *Writer) count(site uint32, body func()) {
	w.load(r12, at(r14, int(w.layout.GM)))
	w.load(r12, at(r12, int(w.layout.MP)))
	w.test(r12)
	noP := w.ahead(equal)
	w.load32(r12, at(r12, int(w.layout.PID)))
	w.compare32(r12, CountPs)
	tooMany := w.ahead(aboveEqual)
	w.shift32(r12, countShift)
	w.lea(r13, near(w.memory+uint64(Counts+8*int(site))))
	w.add(r12, r13)
	w.countUp(at(r12, 0))
	counted := w.pc()
	body()
	w.land(noP)
	w.land(tooMany)
	w.increment(near(w.memory + uint64(Drop(site))))
	w.jump(always, counted)
	w.align()
}

// failure writes code that records where the cursor is, r13, that the call is about to return an error, if it is. rax and
// rdx are free.
func (w *Writer) failure(p *capture.Piece, site uint32) {
	if p.From == capture.OnStack {
		w.load(rdx, at(rsp, 8+p.Number))
		w.test(rdx)
	} else {
		w.test(integers[p.Number])
	}
	none := w.ahead(equal)
	w.word(rax, codeWord(format.CodeError)|uint64(site))
	w.store(at(r13, 8), rax)
	w.clock()
	w.store(at(r13, 0), rax)
	w.addTo(r13, format.RecordSize)
	w.land(none)
}

// failureSize returns how many bytes it takes to record that a call returns an error.
func failureSize(p *capture.Piece) int {
	if p == nil {
		return 0
	}
	return format.RecordSize
}

// stackSize returns how many bytes so many return addresses take, with the record before them.
func stackSize(callers int) int {
	if callers == 0 {
		return 0
	}
	return (1 + (callers+1)/2) * format.RecordSize
}

// frames says where the frames begin that return addresses are recorded of.
type frames struct {
	own   bool // the frame pointer is the function's own: the first address is in its frame
	above int  // where the first address is, above the stack pointer, bytes; nothing with own
}

// stack writes code that records return addresses where the cursor is, r13, and moves it behind them. They are those of
// the frames that the frame pointer leads to. Each frame is further out on the goroutine's stack than the one before,
// however wrong a frame pointer may be. rax and rdx are free.
func (w *Writer) stack(callers int, f frames) {
	w.store(savedC, rcx)
	w.store(savedB, rbx)
	const head = format.RecordSize
	w.lea(rdx, at(r13, head))
	w.lea(rbx, at(rdx, callers*8))
	if !f.own {
		w.load(rax, at(rsp, f.above))
		w.store(at(rdx, 0), rax)
		w.addTo(rdx, 8)
	}
	w.move(rcx, rbp)
	w.compareTo(rcx, rsp)
	low := w.ahead(below)
	next := w.pc()
	w.compareTo(rdx, rbx)
	enough := w.ahead(aboveEqual)
	w.load(rax, at(r14, int(w.layout.GStackHi)))
	w.addTo(rax, -16)
	w.compareTo(rcx, rax)
	high := w.ahead(above)
	w.load(rax, at(rcx, 8))
	w.store(at(rdx, 0), rax)
	w.addTo(rdx, 8)
	w.load(rax, at(rcx, 0))
	w.compareTo(rax, rcx)
	w.move(rcx, rax)
	w.jump(above, next)
	for _, h := range []hole{low, enough, high} {
		w.land(h)
	}
	w.move(rax, rdx)
	w.and(rax, 8)
	even := w.ahead(equal)
	w.set(at(rdx, 0), 0) // what fills the last record
	w.land(even)
	w.lea(rax, at(rdx, -head))
	w.sub(rax, r13)
	w.word(rcx, codeWord(CodeStack))
	w.or(rax, rcx)
	w.store(at(r13, 8), rax)
	w.lea(r13, at(rdx, 15))
	w.and(r13, -16)
	w.load(rcx, savedC)
	w.load(rbx, savedB)
}

// call returns the event of a call that begins or ends.
func (w *Writer) call(site uint32, exit bool, r Record) event {
	kind, callers, copied, failure := site, min(r.Callers, MostCallers), r.Args, (*capture.Piece)(nil)
	if exit {
		kind, callers, copied, failure = kind|1<<31, 0, r.Results, r.Failure
	}
	return event{callers: callers, copied: copied, failure: failure, site: site, exit: exit, word: func() {
		w.depth(rax)
		w.store32(at(r13, 8), rax)
		w.set32(at(r13, 12), kind)
	}}
}

// depth sets a register to how deep the stack is, bytes.
func (w *Writer) depth(r reg) {
	w.load32(r, at(r14, int(w.layout.GStackHi)))
	w.sub32(r, rsp)
}

// aheadAddress loads the address where land is called with the hole.
func (w *Writer) aheadAddress(r reg) hole {
	w.lea(r, near(w.pc()+7))
	return hole(len(w.b))
}

// A Trampoline is what a place jumps to, in the process's addresses.
type Trampoline struct {
	Place  *displace.Place
	Start  uint64
	Copies []uint64 // of the displaced instructions
}

// Add writes the trampolines of a plan's places, which record calls of a site: first that of the entry. bias is what the
// process's addresses are more than those of the file.
func (w *Writer) Add(p *displace.Plan, site uint32, r Record, bias uint64) []Trampoline {
	switch {
	case r.Count:
		return []Trampoline{w.place(p, p.Entry, bias, func(body func()) { w.count(site, body) })}
	case r.Line:
		return []Trampoline{w.place(p, p.Entry, bias, func(body func()) { w.line(p, site, r, body) })}
	}
	return w.places(p, bias, func(exit bool) event { return w.call(site, exit, r) })
}

func (w *Writer) places(p *displace.Plan, bias uint64, event func(exit bool) event) []Trampoline {
	var list []Trampoline
	p.Each(func(place *displace.Place) {
		list = append(list, w.place(p, place, bias, func(body func()) { w.record(event(place.Exit), body) }))
	})
	return list
}

// place writes the trampoline of a place of a plan: what is displaced before the call begins or ends, what around writes,
// and within it the rest.
func (w *Writer) place(p *displace.Plan, place *displace.Place, bias uint64, around func(body func())) Trampoline {
	t := Trampoline{Place: place, Start: w.pc()}
	moved := func(list []displace.Instruction) {
		for i := range list {
			t.Copies = append(t.Copies, w.pc())
			w.emit(list[i].Moved(bias, w.pc())...)
		}
	}
	all, before := place.Displaced, p.Check
	if place.Exit {
		before = len(place.Displaced) - 1 // the return
	}
	moved(all[:before])
	around(func() {
		moved(all[before:])
		if !place.Exit && !place.Call {
			w.jump(always, place.End()+bias)
		}
	})
	return t
}

// line writes code that records that a line is reached, then what body writes. All registers and the flags keep their
// values.
func (w *Writer) line(p *displace.Plan, site uint32, r Record, body func()) {
	w.store(saved12, r12)
	w.store(saved13, r13)
	w.store(saved15, r15)
	w.store(savedAX, rax)
	w.saveFlags()
	w.store(savedFlags, rax)
	w.load(rax, savedAX)
	e := w.call(site, false, r)
	e.word = func() {
		w.word(rax, codeWord(format.CodeInfo)|uint64(site))
		w.store(at(r13, 8), rax)
	}
	depth, _ := p.Func.Depth().At(p.Entry.At())
	e.frames.own = depth > 0
	if p.Entry.Call {
		e.frames.above = 8 // there is another return address
	}
	w.record(e, func() {
		w.store(savedAX, rax)
		w.load(rax, savedFlags)
		w.restoreFlags()
		w.load(rax, savedAX)
		w.load(r12, saved12)
		w.load(r13, saved13)
		w.load(r15, saved15)
		body()
	})
}

// Room returns how many bytes the trampolines of a plan take at most.
func Room(p *displace.Plan, r Record) int {
	const each, line = 576, 160 // of code that records, and more where all registers are saved
	n := 0
	if r.Line {
		n = line
	}
	p.Each(func(place *displace.Place) {
		n += each + 8*len(place.Displaced) + int(place.End()-place.At()) + copyRoom(r.Args)
		if place.Exit {
			n += copyRoom(r.Results) - copyRoom(r.Args)
		}
	})
	return n
}
