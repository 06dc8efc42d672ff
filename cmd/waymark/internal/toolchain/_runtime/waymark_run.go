// Package runtime, as waymark adds to it: programs write values, see waymark_programs.go.

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

// wmEmitValues is wmEmitFast for an event with n values, of a site that is recorded and nothing
// else, see wmValues for list. Nothing here can be preempted, so the P stays this one, and the
// goroutine's stack doesn't move. It takes the goroutine from its register time and again: so it
// need not be kept.
//
//go:nosplit
func wmEmitValues(word uint64, list unsafe.Pointer, n int) bool {
	pp := getg().m.p.ptr()
	start := pp.wm.pos + 2*wmRecordSize
	used := start & (wmChunkSize - 1) // 0 of a position without room but for its two records
	share := wmCaptured.space         // read once: WMCapture may change it
	space := (uintptr(n)*share + wmRecordSize - 1) &^ (wmRecordSize - 1)
	if pp.wm.goid != getg().wm.id || used <= 2*wmRecordSize || space > wmMaxValues || used+space > wmChunkSize {
		return false
	}
	at, end := start, start+space
	now := wmTicks()
	if n == 0 {
		wmPut(pp, now, word)
		return true
	}
	(*wmRecord)(unsafe.Pointer(pp.wm.pos)).word = word
	each := share - wmValueSlop
	last := uintptr(list) + uintptr(n)*unsafe.Sizeof(eface{})
	for e := uintptr(list); e < last; e += unsafe.Sizeof(eface{}) {
		key, p := wmWord(e), wmWord(e+wmWordSize)
		slot := wmTypes.table.slot(wmHash(key))
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
			switch t.common {
			case uint8(abi.Int):
				*(*byte)(unsafe.Pointer(at)) = uint8(abi.Int)
				i := *(*int)(unsafe.Pointer(p))
				at = wmPutUvarint(at+1, uint64(i)<<1^uint64(i>>63))
				continue
			case uint8(abi.String):
				*(*byte)(unsafe.Pointer(at)) = uint8(abi.String)
				at = wmPutString(at+1, at+each, wmWord(p), wmWord(p+wmWordSize))
				continue
			}
			if prog := t.program; prog.ready() {
				if next := prog.run(wmPutLow(at, prog.head, prog.headLen), at+each, p); next != 0 {
					at = next
					continue
				}
				prog.resting = wmRest
			}
		}
	other:
		at = wmWrite(at, end, (*eface)(unsafe.Pointer(e)), false)
		if end-at < ((last-e)/unsafe.Sizeof(eface{})-1)*share {
			// What was walked has taken more than its share.
			for e += unsafe.Sizeof(eface{}); e < last; e += unsafe.Sizeof(eface{}) {
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
	return true
}

// ready reports whether the program can be run: it may be nil.
//
//go:nosplit
func (prog *wmProgram) ready() bool {
	return prog != nil && prog.ops != nil && prog.depth == wmCaptured.depth && prog.resting == 0
}

// wmWrite writes the value that e holds, or points to, with its type's id at the address at, and
// returns the address behind it. end is that of the space. Nothing here can be preempted, nor does
// the goroutine's stack move.
//
//go:nosplit
func wmWrite(at, end uintptr, e *eface, pointer bool) uintptr {
	gp := getg()
	key, p := uintptr(unsafe.Pointer(e._type)), uintptr(e.data)
	limit := at + wmCaptured.bytes
	if key == 0 && at < end {
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
	c := wmCursor{at: at, limit: at + wmCaptured.bytes, end: end, gp: getg()}
	systemstack(func() { c.top(e, pointer) })
	return c.at
}

// wmPutString writes a string that may be torn, at most up to limit, above which there is room for
// numbers. It calls nothing where the string is a constant or in the heap.
//
//go:nosplit
//go:noinline
func wmPutString(at, limit, src, n uintptr) uintptr {
	take := min(uintptr(max(int(n), 0)), limit-at)
	if off := src - wmFixed.constants; off < wmFixed.constantsSize {
		take = min(take, wmFixed.constantsSize-off)
	} else if take > 0 {
		if s := spanOf(src); s != nil && s.state.get() == mSpanInUse && src >= s.base() && src < s.limit && !s.isUserArenaChunk {
			take = min(take, s.base()+(s.objIndex(src)+1)*s.elemsize-src, s.limit-src)
		} else {
			take = wmReadable(getg(), src, take)
		}
	}
	if take == n {
		at = wmPutUvarint(at, uint64(n)<<1)
	} else {
		at = wmPutUvarint(wmPutUvarint(at, uint64(take)<<1|1), uint64(int(n)))
	}
	end := at + take
	if wmUnaligned && take >= 8 {
		for ; take > 32; take -= 32 {
			w0, w1, w2, w3 := wmWord(src), wmWord(src+8), wmWord(src+16), wmWord(src+24)
			*(*uintptr)(unsafe.Pointer(at)) = w0
			*(*uintptr)(unsafe.Pointer(at + 8)) = w1
			*(*uintptr)(unsafe.Pointer(at + 16)) = w2
			*(*uintptr)(unsafe.Pointer(at + 24)) = w3
			at += 32
			src += 32
		}
		for ; take > 8; take -= 8 {
			*(*uintptr)(unsafe.Pointer(at)) = wmWord(src)
			at += 8
			src += 8
		}
		*(*uintptr)(unsafe.Pointer(end - 8)) = wmWord(src + take - 8)
		return end
	}
	for ; at < end; at++ {
		*(*byte)(unsafe.Pointer(at)) = *(*byte)(unsafe.Pointer(src))
		src++
	}
	return end
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

// run writes the value at base and returns the address behind it, or 0 if the value is to be
// walked. There is room up to wmMostBeyond behind limit.
//
// It calls nothing, not even memmove: all that it works with stays in registers.
//
//go:nosplit
func (prog *wmProgram) run(at, limit, base uintptr) uintptr {
	var bases [wmMostBases]uintptr
	var slice [3]uintptr // whose elements are written: how many are left, have been written, and where that is noted
	nbases := 0
	var p, src, n, take, end uintptr // memory that is read, as far as it can be
	var v uint64
	var s *mspan
	for op := prog.ops; ; op = (*wmOp)(add(unsafe.Pointer(op), unsafe.Sizeof(wmOp{}))) {
		if at >= limit && op.code > wmOpNext {
			return 0
		}
		p = base + uintptr(op.offset)
		switch op.code {
		case wmOpEnd:
			return at
		case wmOpBack:
			nbases--
			base = bases[nbases&(wmMostBases-1)]
			continue
		case wmOpNext:
			slice[1]++
			if slice[0]--; slice[0] > 0 && at < limit {
				base += uintptr(op.size)
				op = op.before(op.skip)
				continue
			}
			wmPutCount(slice[2], slice[1])
			nbases--
			base = bases[nbases&(wmMostBases-1)]
			continue
		case wmOpNothing:
			continue
		case wmOpInt64:
			v = uint64(*(*int64)(unsafe.Pointer(p)))
			v = v<<1 ^ uint64(int64(v)>>63)
			goto number
		case wmOpInt32:
			v = uint64(int64(*(*int32)(unsafe.Pointer(p))))
			v = v<<1 ^ uint64(int64(v)>>63)
			goto number
		case wmOpInt16:
			v = uint64(int64(*(*int16)(unsafe.Pointer(p))))
			v = v<<1 ^ uint64(int64(v)>>63)
			goto number
		case wmOpInt8:
			v = uint64(int64(*(*int8)(unsafe.Pointer(p))))
			v = v<<1 ^ uint64(int64(v)>>63)
			goto number
		case wmOpUint64:
			v = *(*uint64)(unsafe.Pointer(p))
			goto number
		case wmOpUint32:
			v = uint64(*(*uint32)(unsafe.Pointer(p)))
			goto number
		case wmOpUint16:
			v = uint64(*(*uint16)(unsafe.Pointer(p)))
			goto number
		case wmOpUint8:
			*(*byte)(unsafe.Pointer(at)) = *(*byte)(unsafe.Pointer(p))
			at++
			continue
		case wmOpBool:
			*(*byte)(unsafe.Pointer(at)) = *(*byte)(unsafe.Pointer(p)) & 1
			at++
			continue
		case wmOpFour:
			at = wmPutLow(at, uint64(*(*uint32)(unsafe.Pointer(p))), 4)
			continue
		case wmOpEight:
			at = wmPutLow(at, *(*uint64)(unsafe.Pointer(p)), 8)
			continue
		case wmOpCount:
			at = wmPutCount(at, uintptr(op.size))
			continue
		case wmOpByteArray:
			take = uintptr(op.size)
			end = at
			if at += 2; at < limit {
				take = min(take, limit-at)
			} else {
				take = 0
			}
			wmPutCount(end, take)
			src = p
			goto copy
		case wmOpAddress:
			if v = uint64(wmWord(p)); v != 0 {
				*(*byte)(unsafe.Pointer(at)) = 1
				at++
			}
			goto number
		case wmOpUnexpected, wmOpNil:
			if wmWord(p) != 0 {
				if op.code == wmOpUnexpected {
					prog.stale = true
				}
				return 0
			}
			v = 0
			goto number
		case wmOpString:
			src, n = wmWord(p), wmWord(p+wmWordSize)
			if n == 0 {
				v = 0
				goto number
			}
			take = min(uintptr(max(int(n), 0)), limit-at)
		case wmOpBytes, wmOpLength, wmOpElements:
			src, n = wmWord(p), wmWord(p+wmWordSize)
			if src == 0 {
				v = 0
				op = op.after(op.skip)
				goto number
			}
			take = min(uintptr(max(int(n), 0)), limit-at) * uintptr(op.size)
		default: // a pointer, or words behind one
			src, take = wmWord(p), uintptr(op.size)
			if src == 0 {
				v = 0
				op = op.after(op.skip)
				goto number
			}
		}

		// What lies at src is read next, as far as take says: wmReadable, for the memory that is common.
		if end = src - wmFixed.constants; end < wmFixed.constantsSize {
			take = min(take, wmFixed.constantsSize-end)
		} else if end = src - wmFixed.data; end < wmFixed.dataSize {
			take = min(take, wmFixed.dataSize-end)
		} else if s = spanOf(src); s == nil {
			return 0
		} else if s.state.get() == mSpanInUse {
			if src < s.base() || src >= s.limit || s.isUserArenaChunk {
				return 0
			}
			take = min(take, s.base()+(s.objIndex(src)+1)*s.elemsize-src, s.limit-src)
		} else if end = src - getg().stack.lo; end < getg().stack.hi-getg().stack.lo {
			take = min(take, getg().stack.hi-src)
		} else {
			return 0
		}

		switch op.code {
		case wmOpString:
			v = uint64(n) << 1
			if take != n {
				at = wmPutUvarint(at, uint64(take)<<1|1)
				v = uint64(int(n))
			}
			at = wmPutUvarint(at, v)
			goto copy
		case wmOpBytes, wmOpLength, wmOpElements:
			*(*byte)(unsafe.Pointer(at)) = 1
			at = wmPutUvarint(at+1, uint64(int(n)))
			at = wmPutUvarint(at, uint64(op.id))
			end = at
			at += 2
			if op.code == wmOpLength || at >= limit {
				wmPutCount(end, 0)
				op = op.after(op.skip)
				continue
			}
			if op.code == wmOpBytes {
				take = min(take, limit-at)
				wmPutCount(end, take)
				goto copy
			}
			if take /= uintptr(op.size); take == 0 {
				wmPutCount(end, 0)
				op = op.after(op.skip)
				continue
			}
			bases[nbases&(wmMostBases-1)] = base
			nbases++
			base = src
			slice[0], slice[1], slice[2] = take, 0, end
			continue
		case wmOpOutermost, wmOpPointer:
			if take != uintptr(op.size) {
				return 0
			}
			bases[nbases&(wmMostBases-1)] = base
			nbases++
			base = src
			*(*byte)(unsafe.Pointer(at)) = 2
			at++
			if op.code == wmOpOutermost {
				*(*byte)(unsafe.Pointer(at - 1)) = 3
				limit -= at
				at = wmPutUvarint(at, uint64(src))
				limit += at // not at the cost of what it points to
			}
			v = uint64(op.id)
		case wmOpFunction:
			if take != wmWordSize {
				return 0
			}
			table := (*wmTypeTable)(atomic.Loadp(unsafe.Pointer(&wmTypes.table)))
			n = wmWord(src)
			for i := wmHash(n); ; i++ {
				slot := table.slot(i)
				if end = atomic.Loaduintptr(&slot.key); end == n {
					v = uint64(slot.typ.id)
					break
				}
				if end == 0 {
					return 0 // it is described when it is walked
				}
			}
		case wmOpHeader:
			if take != uintptr(op.size) {
				return 0
			}
			*(*byte)(unsafe.Pointer(at)) = 2
			at++
			if take > wmWordSize {
				at = wmPutUvarint(at, uint64(wmWord(src)))
				src += wmWordSize
			}
			v = uint64(wmWord(src))
		}

	number:
		for v >= 0x80 {
			*(*byte)(unsafe.Pointer(at)) = byte(v) | 0x80
			v >>= 7
			at++
		}
		*(*byte)(unsafe.Pointer(at)) = byte(v)
		at++
		continue

	copy:
		end = at + take
		if wmUnaligned && take >= 8 {
			for ; take > 32; take -= 32 {
				w0, w1, w2, w3 := wmWord(src), wmWord(src+8), wmWord(src+16), wmWord(src+24)
				*(*uintptr)(unsafe.Pointer(at)) = w0
				*(*uintptr)(unsafe.Pointer(at + 8)) = w1
				*(*uintptr)(unsafe.Pointer(at + 16)) = w2
				*(*uintptr)(unsafe.Pointer(at + 24)) = w3
				at += 32
				src += 32
			}
			for ; take > 8; take -= 8 {
				*(*uintptr)(unsafe.Pointer(at)) = wmWord(src)
				at += 8
				src += 8
			}
			at = end
			*(*uintptr)(unsafe.Pointer(at - 8)) = wmWord(src + take - 8)
			continue
		}
		for ; at < end; at++ {
			*(*byte)(unsafe.Pointer(at)) = *(*byte)(unsafe.Pointer(src))
			src++
		}
	}
}

// wmPutCount writes a count.
//
//go:nosplit
func wmPutCount(at, n uintptr) uintptr {
	*(*byte)(unsafe.Pointer(at)) = byte(n)
	*(*byte)(unsafe.Pointer(at + 1)) = byte(n >> 8)
	return at + 2
}

//go:nosplit
func (op *wmOp) after(n uint8) *wmOp {
	return (*wmOp)(add(unsafe.Pointer(op), uintptr(n)*unsafe.Sizeof(wmOp{})))
}

//go:nosplit
func (op *wmOp) before(n uint8) *wmOp {
	return (*wmOp)(unsafe.Pointer(uintptr(unsafe.Pointer(op)) - uintptr(n)*unsafe.Sizeof(wmOp{})))
}
