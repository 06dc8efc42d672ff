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
