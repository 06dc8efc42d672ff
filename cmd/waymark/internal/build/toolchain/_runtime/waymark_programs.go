// Package runtime, as waymark adds to it: programs that write values.
//
// Walking a type for each value costs several times what the value's bytes cost. So each type gets
// a program, a list of operations. Each operation writes one number, string or head at an offset. A
// program is made when a value of the type has been walked. Then all types that the program needs
// are described, in the same order as without programs. A program writes what the walk would write,
// or nothing: then the value is walked.
//
// A program has the operations of what the type's values hold by value or point to, up to the
// depth that is recorded. What it does not have: entries of maps and what interfaces hold.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// A wmProgram writes values of one type, see run. It lasts as long as the type's description.
type wmProgram struct {
	_       sys.NotInHeap
	depth   int    // that it was made for
	head    uint64 // the type's id, as it is written, in the lowest bytes
	headLen uintptr
	resting uint32 // so many values are walked before the program is tried again
	tries   uint32 // how often a program of the type has been made anew
	stale   bool   // it has met a type that was not described
	ops     *wmOp  // nil: there is no program
}

// A wmOp is an operation. Offsets count from the base: the value, or what a pointer leads to.
type wmOp struct {
	code   uint8
	skip   uint8 // operations for what a pointer or slice leads to
	level  uint8 // how many other pointers and slices lead to this one
	offset uint32
	size   uint32 // of what it leads to, bytes; a count
	id     uint32 // of the type that it leads to
}

const (
	wmOpEnd  = iota
	wmOpBack // the base before the latest pointer or slice
	wmOpNext // the next element of the slice, else as wmOpBack

	// All others write something. Fields and elements are left out when the value's limit is
	// reached; nothing of that kind is left to programs.
	wmOpNothing // a masked field
	wmOpInt64
	wmOpInt32
	wmOpInt16
	wmOpInt8
	wmOpUint64
	wmOpUint32
	wmOpUint16
	wmOpUint8
	wmOpBool
	wmOpFour
	wmOpEight
	wmOpString
	wmOpCount      // of fields or elements that follow
	wmOpBytes      // a slice of bytes
	wmOpByteArray  // an array of bytes
	wmOpAddress    // a pointer that is not followed
	wmOpOutermost  // a pointer that is followed, with its address
	wmOpPointer    // a pointer that is followed
	wmOpElements   // a slice whose elements are written
	wmOpLength     // a slice whose elements are not written
	wmOpFunction   // a function that is described, or nil
	wmOpHeader     // a map or a channel: its first words
	wmOpNil        // what there is no operation for unless it is nil
	wmOpUnexpected // the same, of a type that isn't described yet
)

const (
	wmMostOps   = 64 // of a program, with what is followed
	wmMostBases = 4  // pointers and slices that lead to each other

	// A program whose values needed walking rests: else values that always do would cost both.
	wmRest = 15
	// So often a type's program is made anew, as it has met types that weren't described.
	wmMostTries = 8
	// An element's size, bytes.
	wmMostElement = 1 << 16
)

// wmSteps is what a program of a P's keeps in memory where the assembly runs it.
type wmSteps struct {
	bases         [wmMostBases]uintptr // before pointers and slices that are followed
	left, written uintptr              // of the slice whose elements are written
	count         uintptr              // where their number is noted
}

// makeProgram gives t, a value of which has been walked, a program. It is called on the system
// stack.
func (t *wmType) makeProgram() {
	prog := t.program
	if t.kind == abi.Invalid || t.kind == abi.Interface || prog != nil && prog.depth == wmCaptured.depth && (!prog.stale || prog.tries >= wmMostTries) {
		return
	}
	lock(&wmTypes.lock)
	m := wmProgramMaker{depth: wmCaptured.depth}
	next := (*wmProgram)(wmTypeMemory(unsafe.Sizeof(wmProgram{})))
	next.depth = wmCaptured.depth
	if prog != nil && prog.depth == next.depth {
		next.tries = prog.tries + 1
	}
	if m.value(t, 0, next.depth) && m.add(wmOp{code: wmOpEnd}) {
		size := uintptr(m.n) * unsafe.Sizeof(wmOp{})
		ops := wmTypeMemory(size)
		memmove(ops, unsafe.Pointer(&m.ops), size)
		atomic.StorepNoWB(unsafe.Pointer(&next.ops), ops)
		id := t.id
		for next.headLen = 1; id >= 0x80; next.headLen++ {
			next.head |= uint64(id&0x7F|0x80) << (8 * (next.headLen - 1))
			id >>= 7
		}
		next.head |= uint64(id) << (8 * (next.headLen - 1))
	}
	atomic.StorepNoWB(unsafe.Pointer(&t.program), unsafe.Pointer(next))
	unlock(&wmTypes.lock)
}

// A wmProgramMaker makes a program.
type wmProgramMaker struct {
	depth int // of the program
	n     int
	bases int
	loop  bool // within the elements of a slice
	ops   [wmMostOps]wmOp
}

func (m *wmProgramMaker) add(op wmOp) bool {
	if m.n == wmMostOps {
		return false
	}
	m.ops[m.n] = op
	m.n++
	return true
}

// value adds operations for a value of type t at the offset from the base. It reports whether there
// are any: the walk's method value has their counterparts.
func (m *wmProgramMaker) value(t *wmType, offset uintptr, depth int) bool {
	if offset > 1<<31 || t.size > 1<<31 {
		return false
	}
	op := wmOp{offset: uint32(offset)}
	switch t.kind {
	case abi.Bool:
		op.code = wmOpBool
	case abi.Int8:
		op.code = wmOpInt8
	case abi.Int16:
		op.code = wmOpInt16
	case abi.Int32:
		op.code = wmOpInt32
	case abi.Int64:
		op.code = wmOpInt64
	case abi.Int:
		op.code = wmOpInt64
		if wmWordSize == 4 {
			op.code = wmOpInt32
		}
	case abi.Uint8:
		op.code = wmOpUint8
	case abi.Uint16:
		op.code = wmOpUint16
	case abi.Uint32:
		op.code = wmOpUint32
	case abi.Uint64:
		op.code = wmOpUint64
	case abi.Uint, abi.Uintptr, abi.UnsafePointer:
		op.code = wmOpUint64
		if wmWordSize == 4 {
			op.code = wmOpUint32
		}
	case abi.Float32:
		op.code = wmOpFour
	case abi.Float64:
		op.code = wmOpEight
	case abi.Complex64:
		op.code = wmOpFour
		return m.add(op) && m.add(wmOp{code: wmOpFour, offset: op.offset + 4})
	case abi.Complex128:
		op.code = wmOpEight
		return m.add(op) && m.add(wmOp{code: wmOpEight, offset: op.offset + 8})
	case abi.String:
		op.code = wmOpString
	case abi.Struct:
		return m.structure(t, offset, depth)
	case abi.Array:
		return m.array(t, offset, depth)
	case abi.Slice:
		return m.slice(t, op, depth)
	case abi.Pointer:
		return m.pointer(t, op, depth)
	case abi.Func:
		op.code, op.size = wmOpFunction, uint32(wmWordSize)
	case abi.Chan:
		op.code, op.size = wmOpHeader, uint32(2*wmWordSize)
	case abi.Map:
		op.code, op.size = wmOpHeader, uint32(wmWordSize)
		if depth > 0 {
			op.code = wmOpNil
		}
	case abi.Interface:
		op.code = wmOpNil
	default:
		return false
	}
	return m.add(op)
}

func (m *wmProgramMaker) structure(t *wmType, offset uintptr, depth int) bool {
	if depth <= 0 {
		return m.add(wmOp{code: wmOpCount})
	}
	if !m.add(wmOp{code: wmOpCount, size: uint32(t.nfields)}) {
		return false
	}
	for i := 0; i < t.nfields; i++ {
		f := t.field(i)
		if f.masked {
			if !m.add(wmOp{code: wmOpNothing}) {
				return false
			}
		} else if !m.value(f.typ, offset+f.offset, depth-1) {
			return false
		}
	}
	return true
}

func (m *wmProgramMaker) array(t *wmType, offset uintptr, depth int) bool {
	switch {
	case t.elem.kind == abi.Uint8:
		return t.len <= wmMaxCount && m.add(wmOp{code: wmOpByteArray, offset: uint32(offset), size: uint32(t.len)})
	case depth <= 0:
		return m.add(wmOp{code: wmOpCount})
	case t.len > wmMostOps || !m.add(wmOp{code: wmOpCount, size: uint32(t.len)}):
		return false
	}
	for i := uintptr(0); i < t.len; i++ {
		if !m.value(t.elem, offset+i*t.elem.size, depth-1) {
			return false
		}
	}
	return true
}

// leadsTo adds an operation for a pointer or slice, and those for what it leads to.
func (m *wmProgramMaker) leadsTo(op wmOp, elem *wmType, depth int, back uint8) bool {
	at := m.n
	op.level = uint8(m.bases)
	if m.bases == wmMostBases || !m.add(op) {
		return false
	}
	m.bases++
	if !m.value(elem, 0, depth) || !m.add(wmOp{code: back, level: op.level, size: op.size, skip: uint8(m.n - at)}) {
		return false
	}
	m.bases--
	m.ops[at].skip = uint8(m.n - 1 - at)
	return true
}

func (m *wmProgramMaker) slice(t *wmType, op wmOp, depth int) bool {
	elem := wmFindType(t.elemKey)
	switch {
	case elem == nil:
		op.code = wmOpUnexpected
		return m.add(op)
	case elem.id == wmTypeUnread || elem.size == 0 || elem.size > wmMostElement:
		op.code = wmOpNil
		return m.add(op)
	}
	op.id, op.size = elem.id, uint32(elem.size)
	switch {
	case elem.kind == abi.Uint8:
		op.code = wmOpBytes
	case depth <= 0:
		op.code = wmOpLength
	case m.loop:
		op.code = wmOpNil
	default:
		op.code = wmOpElements
		m.loop = true
		ok := m.leadsTo(op, elem, depth-1, wmOpNext)
		m.loop = false
		return ok
	}
	return m.add(op)
}

func (m *wmProgramMaker) pointer(t *wmType, op wmOp, depth int) bool {
	op.code = wmOpAddress
	if depth <= 0 {
		return m.add(op)
	}
	elem := wmFindType(t.elemKey)
	switch {
	case elem == nil:
		op.code = wmOpUnexpected
		return m.add(op)
	case elem.id == wmTypeUnread:
		return m.add(op)
	case elem.size > 1<<31:
		return false
	}
	op.code, op.id, op.size = wmOpPointer, elem.id, uint32(elem.size)
	if depth == m.depth {
		op.code = wmOpOutermost
	}
	if elem.kind != abi.Struct && elem.kind != abi.Array {
		depth--
	}
	return m.leadsTo(op, elem, depth, wmOpBack)
}
