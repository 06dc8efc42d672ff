package trampoline

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// CodeCopied is the code of a record that a copy of arguments or results follows, see package capture. Its value is how
// many bytes the copy takes, without what fills the last record.
const CodeCopied = 0xFE

// Of a cell, while values are copied.
const (
	saved     = 128                        // registers
	copyBegin = saved + 9*8                // where the copy is
	copyEnd   = copyBegin + 8              // where it must end
	share     = copyEnd + 8                // where the size of what is followed just now belongs, see capture.Plan
	lengths   = share + 8                  // bytes of the blocks that are being followed, by level
	groups    = lengths + 8*capture.Levels // of a map by level: where its group is, and how many are left
	parts     = groups + 16*capture.Levels // by level: where the size of a part belongs, and where the room ends
	copiesEnd = parts + 16*capture.Levels
)

const _ uint = slots - copiesEnd // it is in the cell

// integers are the registers of arguments and results in their order. rax has been moved.
var integers = [...]reg{r15, rbx, rcx, rdi, rsi, r8, r9, r10, r11}

// saves is where registers are that the trampoline of a line uses itself, in the order of capture.InSaved.
var saves = [...]mem{savedContext, saved12, saved13, saved15}

// blocks are the addresses of the blocks that are being followed, by level.
var blocks = [capture.Levels]reg{r8, r9, r10, r11}

// copySize returns how many bytes a copy takes at most, with the record before it.
func copySize(p *capture.Plan) int {
	if p == nil {
		return 0
	}
	return (p.Most + 2*format.RecordSize + 7) &^ (format.RecordSize - 1)
}

// copyRoom returns how many bytes of code copy takes at most.
func copyRoom(p *capture.Plan) int {
	if p == nil {
		return 0
	}
	const each, around, shared = 24, 400, 80
	n := around + each*len(p.Pieces) + followRoom(p.Follow)
	if p.Shared {
		n += shared * len(p.Follow)
	}
	return n
}

func followRoom(list []capture.Follow) (n int) {
	const each, contexts, mapping = 160, 160, 400
	for i := range list {
		n += each + followRoom(list[i].Inside)
		if list[i].Part > 0 {
			n += each
		}
		switch list[i].Kind {
		case capture.Map:
			n += mapping
		case capture.Contexts:
			n += contexts
		}
	}
	return n
}

// copy writes code that copies arguments or results to where the cursor is, r13, and moves it behind them. rax and rdx are
// free. Within runtime/secret.Do nothing is copied.
func (w *Writer) copy(p *capture.Plan) {
	const head = format.RecordSize
	secret := hole(0)
	if w.heap.Secret != 0 {
		w.compare32Constant(at(r14, int(w.heap.Secret)), 0)
		secret = w.ahead(notEqual)
	}
	for _, piece := range p.Pieces {
		to := at(r13, head+piece.At)
		switch piece.From {
		case capture.InInt:
			w.storePart(to, integers[piece.Number], piece.Size)
		case capture.InFloat:
			w.storeFloat(to, piece.Number, piece.Size)
		case capture.InSaved:
			w.load(rdx, saves[piece.Number])
			w.storePart(to, rdx, piece.Size)
		case capture.OnStack:
			w.load(rdx, at(rsp, 8+piece.Number))
			w.storePart(to, rdx, piece.Size)
		case capture.InGoroutine:
			w.load(rdx, at(r14, int(w.heap.Labels)))
			w.store(to, rdx)
		}
	}
	if len(p.Follow) == 0 {
		w.word(rax, codeWord(CodeCopied)|uint64(p.Size))
		w.store(at(r13, 8), rax)
		w.addTo(r13, int32(head+(p.Size+15)&^15))
	} else {
		cell := func(field int) mem { return at(r12, field) }
		for i, r := range integers {
			w.store(cell(saved+8*i), r)
		}
		w.store(cell(copyBegin), r13)
		w.lea(rax, at(r13, head+p.Most))
		w.store(cell(copyEnd), rax)
		w.lea(blocks[0], at(r13, head))
		w.lea(r13, at(r13, head+p.Size))
		if p.Shared {
			for i := range p.Follow {
				w.shared(p.Follow[i : i+1])
			}
		} else {
			w.follow(p.Follow, 0, true)
		}
		w.load(rdx, cell(copyBegin))
		w.lea(rax, at(r13, -head))
		w.sub(rax, rdx)
		w.word(rcx, codeWord(CodeCopied))
		w.or(rax, rcx)
		w.store(at(rdx, 8), rax)
		w.addTo(r13, 15)
		w.and(r13, -16)
		for i, r := range integers {
			w.load(r, cell(saved+8*i))
		}
	}
	if secret != 0 {
		w.land(secret)
	}
}

// shared writes code that follows a word within its share.
func (w *Writer) shared(one []capture.Follow) {
	w.store(at(r12, share), r13)
	w.lea(rax, at(r13, one[0].Share))
	w.store(at(r12, copyEnd), rax)
	w.set(at(r13, 0), 0)
	w.addTo(r13, 8)
	w.follow(one, 0, true)
	w.load(rdx, at(r12, share))
	w.lea(rax, at(r13, -8))
	w.sub(rax, rdx)
	w.store(at(rdx, 0), rax)
}

// follow writes code that copies what words of a block lead to. whole says that the block has all of its bytes.
func (w *Writer) follow(list []capture.Follow, level int, whole bool) {
	from, length := blocks[level], at(r12, lengths+8*level)
	for i := range list {
		f := &list[i]
		if f.Kind == capture.Contexts {
			w.contexts(f, from)
			continue
		}
		short := hole(0)
		if !whole {
			w.compareConstant(length, int32(f.At+f.Width()))
			short = w.ahead(below)
		}
		if f.Part > 0 {
			w.part(f, level)
		} else {
			w.one(f, level)
		}
		if short != 0 {
			w.land(short)
		}
	}
}

// part writes code that copies what a word leads to within a part of the room that is left.
func (w *Writer) part(f *capture.Follow, level int) {
	begin, end := at(r12, parts+16*level), at(r12, parts+16*level+8)
	w.load(rdx, at(r12, copyEnd))
	w.store(end, rdx)
	w.store(begin, r13)
	w.addTo(r13, 8)
	w.sub(rdx, r13)
	none := w.ahead(below)
	w.shiftRight(rdx, byte(f.Part))
	w.and(rdx, -8)
	w.add(rdx, r13)
	w.store(at(r12, copyEnd), rdx)
	w.one(f, level)
	w.load(rdx, begin)
	w.lea(rax, at(r13, -8))
	w.sub(rax, rdx)
	w.store(at(rdx, 0), rax)
	w.load(rdx, end)
	w.store(at(r12, copyEnd), rdx)
	done := w.ahead(always)
	w.land(none)
	w.load(r13, begin)
	w.land(done)
}

// one writes code that copies what a word of a block leads to.
func (w *Writer) one(f *capture.Follow, level int) {
	from := blocks[level]
	switch f.Kind {
	case capture.List:
		w.load(rax, at(from, f.At))
		w.load(rcx, at(from, f.At+8))
		most := int32(f.Bytes / f.Step)
		w.constant(quad, 7, rcx, most)
		few := w.ahead(below)
		w.constant32(rcx, uint32(most))
		w.land(few)
		if f.Step > 1 {
			w.multiply(rcx, int32(f.Step))
		}
	case capture.Interface:
		w.load(rax, at(from, f.At+8))
		w.constant32(rcx, uint32(f.Bytes))
	default:
		w.load(rax, at(from, f.At))
		w.constant32(rcx, uint32(f.Bytes))
	}
	if f.Kind == capture.Map {
		w.mapping(f, level)
		return
	}
	w.callCopier()
	w.inside(f, level)
}

// inside writes code that copies what words lead to in a block that has just been copied: rcx bytes
// at rbx.
func (w *Writer) inside(f *capture.Follow, level int) {
	if len(f.Inside) == 0 {
		return
	}
	next, left := blocks[level+1], at(r12, lengths+8*(level+1))
	w.move(next, rbx)
	if f.Kind == capture.Map {
		w.addTo(next, capture.MapSlots)
		w.addTo(rcx, -capture.MapSlots)
		enough := w.ahead(below) // there was a carry
		w.clear(rcx)
		w.land(enough)
	}
	w.store(left, rcx)
	if f.Kind != capture.List && f.Kind != capture.Map {
		w.follow(f.Inside, level+1, false)
		return
	}
	again := w.pc()
	w.compareConstant(left, int32(f.Step))
	done := w.ahead(below)
	w.follow(f.Inside, level+1, true)
	w.addTo(next, int32(f.Step))
	w.addConstant(left, -int32(f.Step))
	w.jump(always, again)
	w.land(done)
}

// mapping writes code that copies a map, whose head rax leads to, with groups of its slots: its
// only group, or the first ones of the first table of a larger map.
func (w *Writer) mapping(f *capture.Follow, level int) {
	group, left := at(r12, groups+16*level), at(r12, groups+16*level+8)
	var short []hole
	whole := func(size int32) {
		w.constant32(rcx, uint32(size))
		w.callCopier()
		w.constant(quad, 7, rcx, size)
		short = append(short, w.ahead(below))
	}
	whole(capture.MapHead)
	w.load(rax, at(rbx, capture.MapGroup))
	w.constant32(rdx, 1)
	w.compareConstant(at(rbx, capture.MapTables), 0)
	small := w.ahead(equal)
	whole(8)
	w.load(rax, at(rbx, 0))
	whole(capture.MapTable)
	w.load(rax, at(rbx, capture.TableGroups))
	w.load(rdx, at(rbx, capture.TableLast))
	w.constant(quad, 7, rdx, capture.MostGroups-1)
	few := w.ahead(below)
	w.constant32(rdx, capture.MostGroups-1)
	w.land(few)
	w.addTo(rdx, 1)
	w.land(small)
	w.store(left, rdx)
	again := w.pc()
	w.store(group, rax)
	w.constant32(rcx, uint32(f.Bytes))
	w.callCopier()
	w.steady(group)
	w.inside(f, level)
	w.load(rax, group)
	w.addTo(rax, int32(f.Group()))
	w.addConstant(left, -1)
	w.jump(notEqual, again)
	for _, h := range short {
		w.land(h)
	}
}

// steady writes code that compares a group of slots, rcx bytes at rbx, with what it was copied
// from. If somebody has written to it meanwhile, a key may be there with the element of another
// one: then the group counts as one that can't be read. Of an empty group nothing is kept.
func (w *Writer) steady(group mem) {
	w.constant(quad, 7, rcx, capture.MapSlots)
	none := w.ahead(below)
	w.load(rsi, group)
	w.move(rdx, rcx)
	w.shiftRight(rdx, 3)
	again := w.pc()
	w.addTo(rdx, -1)
	same := w.ahead(aboveEqual) // there was no carry
	w.load(rdi, mem{base: rbx, index: rdx, scaled: true})
	w.compare(rdi, mem{base: rsi, index: rdx, scaled: true})
	w.jump(equal, again)
	w.set(at(rbx, -8), 1<<32-1) // capture.Unread
	changed := w.ahead(always)
	w.land(same)
	w.word(rdi, 0x7f7f7f7f7f7f7f7f)
	w.load(rdx, at(rbx, 0))
	w.or(rdi, rdx)
	w.addTo(rdi, 1)
	some := w.ahead(notEqual)
	w.set(at(rbx, -8), 0)
	w.land(changed)
	w.move(r13, rbx)
	w.clear(rcx)
	w.land(some)
	w.land(none)
}

// contexts writes code that copies a context of a block with those around it, and the span that one
// of them has.
func (w *Writer) contexts(f *capture.Follow, from reg) {
	left := at(r12, lengths) // the block that is followed first has all of its bytes
	w.set(left, capture.MostContexts)
	w.load(rax, at(from, f.At+8))
	again := w.pc()
	w.constant32(rcx, capture.ContextSize)
	w.callCopier()
	w.constant(quad, 7, rcx, capture.ContextSize)
	short := w.ahead(below)
	w.word(rdx, f.Key+w.bias)
	w.compare(rdx, at(rbx, capture.ContextKey))
	other := w.ahead(notEqual)
	w.load(rax, at(rbx, capture.ContextSpan))
	w.constant32(rcx, uint32(f.Bytes))
	w.callCopier()
	found := w.ahead(always)
	w.land(other)
	w.load(rax, at(rbx, capture.ContextNext))
	w.addConstant(left, -1)
	w.jump(notEqual, again)
	w.land(short)
	w.land(found)
}

// callCopier writes a call of what copyRoutine writes.
func (w *Writer) callCopier() {
	back := w.aheadAddress(r15)
	w.jump(always, w.copier)
	w.land(back)
}

// copyRoutine writes what copies bytes. rax: from where; rcx: how many; r13: where to; r15: where to return to. Then rbx is
// where the bytes are, rcx how many were copied, and r13 is behind them. It reads only what is the program's: its data, and
// pages of its heap that have been in use. Those stay mapped. rdx, rsi and rdi are overwritten.
func (w *Writer) copyRoutine(bias uint64) {
	const (
		pageShift  = 13
		pages      = 1 << 13 // of an arena
		arenaShift = 26
		firstArena = 1 << 47 >> arenaShift // the arena of address 0
	)
	w.copier = w.pc()
	w.lea(rbx, at(r13, 8))
	w.load(rdx, at(r12, copyEnd))
	w.sub(rdx, rbx)
	none := w.ahead(below) // there is no room
	w.compareTo(rcx, rdx)
	fits := w.ahead(below)
	w.move(rcx, rdx)
	w.land(fits)
	var found []hole
	// rdx becomes how many bytes can be read.
	for _, r := range w.heap.Data {
		w.lea(rsi, near(r.High+bias))
		w.move(rdx, rsi)
		w.sub(rdx, rax)
		beyond := w.ahead(below)
		w.constant(quad, 7, rdx, int32(r.Len()+1))
		found = append(found, w.ahead(below))
		w.land(beyond)
	}
	w.move(rsi, rax)
	w.shiftRight(rsi, 47)
	bad := []hole{w.ahead(notEqual)}
	w.load(rdi, near(w.heap.Arenas+bias))
	w.test(rdi)
	bad = append(bad, w.ahead(equal))
	w.move(rsi, rax)
	w.shiftRight(rsi, arenaShift)
	w.addTo(rsi, firstArena)
	w.load(rdi, mem{base: rdi, index: rsi, scaled: true})
	w.test(rdi)
	bad = append(bad, w.ahead(equal))
	w.move(rsi, rax)
	w.shiftRight(rsi, pageShift)
	w.and32(rsi, pages-1)
	span := mem{base: rdi, index: rsi, scaled: true, disp: int32(w.heap.Spans)}
	w.load(rdx, span)
	w.test(rdx)
	bad = append(bad, w.ahead(equal))
	w.move(rdx, rax) // until the end of the page
	w.emit(extra|quad, 0xF7, 0xD0|byte(rdx))
	w.constant(quad, 4, rdx, 1<<pageShift-1)
	w.addTo(rdx, 1)
	w.compareTo(rcx, rdx)
	found = append(found, w.ahead(below))
	// The next page, in the same arena.
	w.constant(long, 7, rsi, pages-1)
	last := w.ahead(equal)
	span.disp += 8
	w.load(rdi, span)
	w.test(rdi)
	unused := w.ahead(equal)
	w.addTo(rdx, 1<<pageShift)
	w.land(last)
	w.land(unused)
	for _, h := range found {
		w.land(h)
	}
	w.compareTo(rcx, rdx)
	all := w.ahead(below)
	w.move(rcx, rdx)
	w.land(all)
	w.store(at(r13, 0), rcx)
	w.move(rdx, rcx)
	w.move(rdi, rbx)
	eight := w.pc()
	w.addTo(rdx, -8)
	rest := w.ahead(aboveEqual) // there was no carry
	w.load(rsi, at(rax, 0))
	w.store(at(rdi, 0), rsi)
	w.addTo(rax, 8)
	w.addTo(rdi, 8)
	w.jump(always, eight)
	w.land(rest)
	w.addTo(rdx, 8)
	one := w.pc()
	w.test(rdx)
	done := w.ahead(equal)
	w.loadByte(rsi, at(rax, 0))
	w.storePart(at(rdi, 0), rsi, 1)
	w.addTo(rax, 1)
	w.addTo(rdi, 1)
	w.addTo(rdx, -1)
	w.jump(always, one)
	w.land(done)
	w.lea(r13, at(rdi, 7))
	w.and(r13, -8)
	w.jumpTo(r15)
	for _, h := range bad {
		w.land(h)
	}
	w.set(at(r13, 0), 1<<32-1) // capture.Unread
	w.addTo(r13, 8)
	w.land(none)
	w.clear(rcx)
	w.jumpTo(r15)
	w.align()
}

// UseHeap says where the process keeps which memory is its own. Before, nothing can be copied.
func (w *Writer) UseHeap(h image.Heap, bias uint64) {
	w.heap, w.bias = &h, bias
	w.copyRoutine(bias)
}
