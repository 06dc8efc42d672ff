// Package runtime, as waymark adds to it: the values of an event, by programs or walks.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// What an operation may write beyond the value's limit, bytes: it begins below the limit.
const wmMostBeyond = 64

// A limit of fewer bytes is not worth a fast path.
const wmFewBytes = 16

// wmEmitValues is wmEmit for an event with n values, of a site that is recorded and nothing else, see
// wmValues for list. It returns the frame of a call that begins, 0 if that isn't recorded. Nothing here
// can be preempted, so the P stays this one, and the goroutine's stack doesn't move. It takes the
// goroutine from its register time and again: so it need not be kept. On amd64 wmQuickValues does this
// in assembly, and leaves to wmMoreValues what is uncommon.
//
//go:nosplit
func wmEmitValues(word uint64, list unsafe.Pointer, n int) uint64 {
	now := wmTicks() // first, as little has to be kept then
	pp := getg().m.p.ptr()
	event := pp.wm.pos
	start := event + 2*wmRecordSize
	used := start & (wmChunkSize - 1) // 0 of a position without room but for its two records
	share := wmCaptured.space         // read once: WMCapture may change it
	space := uintptr(n) * share
	if pp.wm.goid != getg().wm.id || used <= 2*wmRecordSize || space > wmMaxValues || used+space > wmChunkSize {
		return wmSlowValues(word, list, n)
	}
	if n == 0 {
		wmPut(pp, now, word)
		return word
	}
	last := uintptr(list) + uintptr(n)*unsafe.Sizeof(eface{})
	(*wmRecord)(unsafe.Pointer(event)).word = word
	*(*wmRecord)(unsafe.Pointer(event + wmRecordSize)) = wmRecord{clock: now, word: uint64(last)}
	return wmMoreValues(word, uintptr(list), uintptr(list), start)
}

// wmMoreValues writes those of an event's values from e on, at the address at, and ends the event. The first
// one is at list. The record behind the event has the time and where the values end, until it is written.
//
//go:nosplit
//go:noinline
func wmMoreValues(word uint64, list, e, at uintptr) uint64 {
	event := getg().m.p.ptr().wm.pos
	start := event + 2*wmRecordSize
	values := (*wmRecord)(unsafe.Pointer(event + wmRecordSize))
	now, last := values.clock, uintptr(values.word)
	share := wmCaptured.space // read once: WMCapture may change it
	n := (last - list) / unsafe.Sizeof(eface{})
	end := start + n*share
	if n*share > wmMaxValues || start&(wmChunkSize-1)+n*share > wmChunkSize {
		return wmSlowValues(word, unsafe.Pointer(list), int(n))
	}
	each := share - wmValueSlop
	for e < last {
		key, p := wmWord(e), wmWord(e+wmWordSize)
		if key == uintptr(unsafe.Pointer(abi.TypeFor[int]())) || key == uintptr(unsafe.Pointer(abi.TypeFor[string]())) {
			if at, e = wmPutCommon(at, each, e, last); e >= last {
				break
			}
			key, p = wmWord(e), wmWord(e+wmWordSize)
		}
		slot := (*wmTypeTable)(atomic.Loadp(unsafe.Pointer(&wmTypes.table))).slot(wmHash(key))
		if atomic.Loaduintptr(&slot.key) == key {
			t := slot.typ
			if t == nil { // in an empty slot, whose key is 0: of nil
				goto other
			}
			if t.direct {
				p = e + wmWordSize
			} else if hi := getg().stack.hi; p-getg().stack.lo >= hi-getg().stack.lo || t.size > hi-p {
				goto other
			}
			if prog := t.program; prog.ready() {
				if next := prog.run(wmPutLow(at, prog.head, prog.headLen), at+each, p); next != 0 {
					at = next
					e += unsafe.Sizeof(eface{})
					continue
				}
				prog.resting = wmRest
			}
		}
	other:
		at = wmWrite(at, end, (*eface)(unsafe.Pointer(e)), false)
		e += unsafe.Sizeof(eface{})
		if end-at < (last-e)/unsafe.Sizeof(eface{})*share {
			// What was walked has taken more than its share.
			for ; e < last; e += unsafe.Sizeof(eface{}) {
				at = wmWrite(at, end, (*eface)(unsafe.Pointer(e)), false)
			}
			break
		}
	}
	if end-at >= wmRecordSize && wmUnaligned {
		// What was there before would get into the file.
		*(*uint64)(unsafe.Pointer(at)) = 0
		*(*uint64)(unsafe.Pointer(at + 8)) = 0
	} else {
		wmClearTail(at)
	}
	wmEndValues(getg().m.p.ptr(), start, at, now)
	return word
}

// wmSlowValues continues wmEmitValues where the fast path won't do.
//
//go:nosplit
//go:noinline
func wmSlowValues(word uint64, list unsafe.Pointer, n int) uint64 {
	if word&wmExitBit != 0 {
		wmSlowExitResults(WMFrame(word&^wmExitBit), list, n)
		return 0
	}
	return uint64(wmSlowEnterArgs(WMFrame(word), list, n))
}

// ready reports whether the program can be run: it may be nil.
//
//go:nosplit
func (prog *wmProgram) ready() bool {
	return prog != nil && prog.ops != nil && prog.depth == wmCaptured.depth && prog.resting == 0
}

// wmWrite writes the value that e holds, or points to, with its type's id at the address at, and
// returns the address behind it. end is that of the space. Nothing here can be preempted, nor does
// the goroutine's stack move. Without room for the least of a value it writes nothing, nor does it for those that follow.
//
//go:nosplit
func wmWrite(at, end uintptr, e *eface, pointer bool) uintptr {
	gp := getg()
	key, p := uintptr(unsafe.Pointer(e._type)), uintptr(e.data)
	limit := at + wmCaptured.bytes
	if end-at < wmValueSlop {
		return at
	}
	if key == 0 {
		*(*byte)(unsafe.Pointer(at)) = wmTypeNil
		return at + 1
	}
	if end < limit || end-limit < wmMostBeyond {
		return wmWalk(at, end, e, pointer)
	}
	if pointer {
		key = uintptr(unsafe.Pointer((*ptrtype)(unsafe.Pointer(e._type)).Elem))
	}
	t := wmFind(key)
	if t == nil {
		return wmWalk(at, end, e, pointer)
	}
	prog := t.program
	if !prog.ready() {
		if prog != nil && prog.resting > 0 {
			prog.resting--
		}
		return wmWalk(at, end, e, pointer)
	}
	switch {
	case pointer:
	case t.direct:
		p = uintptr(unsafe.Pointer(&e.data))
	// Mostly it is a copy on the caller's stack. An argument that is an interface was made by the
	// program.
	case p-gp.stack.lo < gp.stack.hi-gp.stack.lo && t.size <= gp.stack.hi-p:
	case wmReadable(gp, p, t.size) < t.size:
		return wmWalk(at, end, e, pointer)
	}
	next := prog.run(wmPutLow(at, prog.head, prog.headLen), limit, p)
	if next == 0 {
		prog.resting = wmRest
		return wmWalk(at, end, e, pointer)
	}
	return next
}

// wmWalk is wmWrite by walking the value's type.
//
//go:nosplit
//go:noinline
func wmWalk(at, end uintptr, e *eface, pointer bool) uintptr {
	c := wmCursor{at: at, limit: min(at+wmCaptured.bytes, end-wmValueSlop), end: end, gp: getg()}
	systemstack(func() { c.top(e, pointer) })
	return c.at
}

// wmPutCommon writes ints and strings that the interfaces from e up to last hold, each in at most
// so many bytes and some for numbers. It returns the address behind what it has written. It also
// returns the address of the interface which holds another type or something in uncommon memory,
// last if there is none.
//
// It calls nothing and has few variables, so all are in registers.
//
//go:nosplit
func wmPutCommon(at, each, e, last uintptr) (uintptr, uintptr) {
	for ; e < last; e += unsafe.Sizeof(eface{}) {
		key, p := wmWord(e), wmWord(e+wmWordSize)
		// Mostly it is a copy on the caller's stack. An argument that is an interface was made by the
		// program.
		if p-getg().stack.lo > getg().stack.hi-getg().stack.lo-2*wmWordSize {
			break
		}
		if key == uintptr(unsafe.Pointer(abi.TypeFor[int]())) {
			*(*byte)(unsafe.Pointer(at)) = uint8(abi.Int)
			i := *(*int)(unsafe.Pointer(p))
			at = wmPutUvarint(at+1, uint64(i)<<1^uint64(i>>63))
			continue
		}
		if key != uintptr(unsafe.Pointer(abi.TypeFor[string]())) {
			break
		}
		src, n := wmWord(p), wmWord(p+wmWordSize)
		take := min(uintptr(max(int(n), 0)), each-1)
		if off := src - wmFixed.constants; off < wmFixed.constantsSize {
			take = min(take, wmFixed.constantsSize-off)
		} else if take > 0 {
			s := spanOf(src)
			if s == nil || s.state.get() != mSpanInUse || src < s.base() || src >= s.limit || s.isUserArenaChunk {
				break
			}
			take = min(take, s.base()+(s.objIndex(src)+1)*s.elemsize-src, s.limit-src)
		}
		*(*byte)(unsafe.Pointer(at)) = uint8(abi.String)
		at++
		if take == n {
			at = wmPutUvarint(at, uint64(n)<<1)
		} else {
			at = wmPutUvarint(wmPutUvarint(at, uint64(take)<<1|1), uint64(int(n)))
		}
		end := at + take
		if wmUnaligned && take >= 16 {
			for ; take > 64; take -= 64 {
				*(*wmBytes64)(unsafe.Pointer(at)) = *(*wmBytes64)(unsafe.Pointer(src))
				at += 64
				src += 64
			}
			if take > 32 {
				*(*wmBytes32)(unsafe.Pointer(at)) = *(*wmBytes32)(unsafe.Pointer(src))
				at += 32
				src += 32
				take -= 32
			}
			if take > 16 {
				*(*wmBytes16)(unsafe.Pointer(at)) = *(*wmBytes16)(unsafe.Pointer(src))
			}
			at = end
			*(*wmBytes16)(unsafe.Pointer(at - 16)) = *(*wmBytes16)(unsafe.Pointer(src + take - 16))
			continue
		}
		if wmUnaligned && take >= 8 {
			*(*uint64)(unsafe.Pointer(at)) = *(*uint64)(unsafe.Pointer(src))
			at = end
			*(*uint64)(unsafe.Pointer(at - 8)) = *(*uint64)(unsafe.Pointer(src + take - 8))
			continue
		}
		for ; at < end; at++ {
			*(*byte)(unsafe.Pointer(at)) = *(*byte)(unsafe.Pointer(src))
			src++
		}
	}
	return at, e
}

// wmUnaligned says that words may be stored at any address, the lowest byte first.
const wmUnaligned = goarch.IsAmd64+goarch.IsArm64 > 0

// wmPutLow writes the n lowest bytes of v, at most 8, and perhaps zeros behind them.
//
//go:nosplit
func wmPutLow(at uintptr, v uint64, n uintptr) uintptr {
	if wmUnaligned {
		*(*uint64)(unsafe.Pointer(at)) = v
		return at + n
	}
	for end := at + n; at < end; at++ {
		*(*byte)(unsafe.Pointer(at)) = byte(v)
		v >>= 8
	}
	return at
}

//go:nosplit
func wmPutUvarint(at uintptr, v uint64) uintptr {
	for v >= 0x80 {
		*(*byte)(unsafe.Pointer(at)) = byte(v) | 0x80
		v >>= 7
		at++
	}
	*(*byte)(unsafe.Pointer(at)) = byte(v)
	return at + 1
}

// Vector instructions move them. For arrays that are not in structs the compiler calls memmove, as they
// may overlap.
type (
	wmBytes16 struct{ bytes [16]byte }
	wmBytes32 struct{ bytes [32]byte }
	wmBytes64 struct{ bytes [64]byte }
)
