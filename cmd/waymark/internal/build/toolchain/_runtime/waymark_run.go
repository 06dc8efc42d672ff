// Package runtime, as waymark adds to it: programs write values, see waymark_programs.go.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// run writes the value at base and returns the address behind it, or 0 if the value is to be
// walked. There is room up to wmMostBeyond behind limit. The assembly does the same by steps, where
// there is any: what changes here changes there.
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
}

// wmPutCount writes a count.
//
//go:nosplit
func wmPutCount(at, n uintptr) uintptr {
	if wmUnaligned {
		*(*uint16)(unsafe.Pointer(at)) = uint16(n)
		return at + 2
	}
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
