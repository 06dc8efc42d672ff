package trampoline

import "github.com/waymark-go/waymark/internal/wire/format"

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
