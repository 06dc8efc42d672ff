//go:build !waymark

package condition

// See ops.go. Where the hooks are, package runtime has this.

import "unsafe"

// A frame is what a code is evaluated on.
type frame struct {
	list unsafe.Pointer // to the first of n interfaces, which hold values
	n    int

	// Of integers whose interfaces have not been made, list is nil. kinds has their kinds, from the
	// third bit on, five bits each.
	words *[4]uint64
	kinds uint64

	duration  int64
	goroutine uint64
	panicked  bool
	slots     uint64
}

// A number or a string: its address and length.
type cell struct{ a, b uint64 }

// run evaluates the operations at o. Nothing that values lead to may move meanwhile. Most codes begin
// with comparisons of integers with constants, and most calls are rejected by one of these: they need
// no stack of operations.
func run(o *op, f *frame) outcome {
	for o.code == opRootInts || o.code == opRootUints {
		v, bad := f.compare(o)
		if bad != isTrue {
			return bad
		}
		o = o.after(1)
		switch o.code {
		case opEnd:
			return outcome(v)
		case opAnd, opOr:
			if v != uint64(o.code-opAnd) {
				o = o.after(1)
				continue
			}
			if o = o.after(uintptr(o.offset) + 1); o.code == opEnd {
				return outcome(v)
			}
		}
		return evaluate(o, f, v, 0)
	}
	return evaluate(o, f, 0, maxStack-1)
}

// compare compares an integer at a root with the constant of opRootInts and opRootUints. bad is isTrue,
// or else the outcome of the code.
func (f *frame) compare(o *op) (v uint64, bad outcome) {
	if f.list != nil || o.mode != opInt64 {
		p := f.root(o)
		if p <= lastOutcome {
			return 0, outcome(p)
		}
		v = fetch(o.mode, p)
	} else {
		i := uint(o.arg) & 3
		if int(o.arg) >= f.n || uint8(f.kinds>>((3+5*i)&63))&31 != o.kind {
			return 0, isOther
		}
		v = f.words[i]
	}
	if o.code == opRootUints {
		return compareIntegers(v, o.value, o.rel), isTrue
	}
	return compareIntegers(int64(v), int64(o.value), o.rel), isTrue
}

// after returns the n-th operation after o.
func (o *op) after(n uintptr) *op {
	return (*op)(unsafe.Add(unsafe.Pointer(o), n*unsafe.Sizeof(op{})))
}

// evaluate evaluates operations on a stack that has v at its bottom if top is 0, and is empty if top is
// maxStack-1.
func evaluate(o *op, f *frame, v uint64, top uint) outcome {
	var stack [maxStack]cell
	stack[0].a = v
	var at uintptr
	for ; ; o = o.after(1) { // top is modulo maxStack: the code has been verified
		p := at + uintptr(o.offset)
		var v uint64
		switch o.code {
		case opEnd:
			return outcome(stack[top%maxStack].a & 1)
		case opFail:
			return isFailed
		case opRoot:
			if at = f.root(o); at <= lastOutcome {
				return outcome(at)
			}
			continue
		case opRootInts, opRootUints:
			var bad outcome
			if v, bad = f.compare(o); bad != isTrue {
				return bad
			}
		case opDeref:
			if at = load(p); at == 0 || readable(at, uintptr(o.value)) < uintptr(o.value) {
				return isFailed
			}
			continue
		case opElem:
			i, size := uintptr(o.value>>32), uintptr(uint32(o.value))
			if i >= load(p+wordSize) {
				return isFailed
			}
			if at = load(p) + i*size; readable(at, size) < size {
				return isFailed
			}
			continue
		case opInt8, opInt16, opInt32, opInt64, opUint8, opUint16, opUint32, opUint64:
			v = fetch(o.code, p)
		case opFloat64:
			v = *(*uint64)(pointer(p))
		case opFloat32:
			v = bits(float64(*(*float32)(pointer(p))))
		case opBool:
			v = uint64(*(*uint8)(pointer(p)) & 1)
		case opWord:
			v = uint64(load(p))
		case opCount:
			if q := load(p); q != 0 {
				if readable(q, wordSize) < wordSize {
					return isFailed
				}
				v = uint64(load(q))
			}
		case opString:
			top++
			stack[top%maxStack] = cell{uint64(load(p)), uint64(load(p + wordSize))}
			continue
		case opConst:
			v = o.value
		case opText:
			top++
			stack[top%maxStack] = cell{uint64(uintptr(o.ref)), o.value}
			continue
		case opDuration:
			v = uint64(f.duration)
		case opGoroutine:
			v = f.goroutine
		case opPanicked:
			v = truth(f.panicked)
		case opSlot:
			if f.slots>>(o.arg+slotRefused)&1 != 0 {
				return isFailed
			}
			v = f.slots >> o.arg & 1
		case opFromInt:
			c := &stack[(top-uint(o.arg))%maxStack]
			c.a = bits(float64(int64(c.a)))
			continue
		case opFromUint:
			c := &stack[(top-uint(o.arg))%maxStack]
			c.a = bits(float64(c.a))
			continue
		case opIntConst:
			c := &stack[top%maxStack]
			c.a = compareIntegers(int64(c.a), int64(o.value), o.arg)
			continue
		case opUintConst:
			c := &stack[top%maxStack]
			c.a = compareIntegers(c.a, o.value, o.arg)
			continue
		case opFloatConst:
			c := &stack[top%maxStack]
			c.a = compareFloats(number(c.a), number(o.value), o.arg)
			continue
		case opNot:
			stack[top%maxStack].a ^= 1
			continue
		case opAnd, opOr:
			if stack[top%maxStack].a&1 == uint64(o.code-opAnd) {
				o = o.after(uintptr(o.offset))
			} else {
				top--
			}
			continue
		default: // of the two at the top
			b := stack[top%maxStack]
			top--
			c := &stack[top%maxStack]
			switch o.code {
			case opInts:
				c.a = compareIntegers(int64(c.a), int64(b.a), o.arg)
			case opUints:
				c.a = compareIntegers(c.a, b.a, o.arg)
			case opIntUint:
				if int64(c.a) < 0 {
					c.a = uint64(o.arg & relLess)
				} else {
					c.a = compareIntegers(c.a, b.a, o.arg)
				}
			case opUintInt:
				if int64(b.a) < 0 {
					c.a = uint64(o.arg & relGreater >> 2)
				} else {
					c.a = compareIntegers(c.a, b.a, o.arg)
				}
			case opFloats:
				c.a = compareFloats(number(c.a), number(b.a), o.arg)
			default:
				var sound bool
				if c.a, sound = texts(o, *c, b); !sound {
					return isFailed
				}
			}
			continue
		}
		top++
		stack[top%maxStack].a = v
	}
}

// lastOutcome is the last one that root returns in place of an address.
const lastOutcome = uintptr(isFailed)

// root returns the address of a value, which has been found to be readable.
func (f *frame) root(o *op) uintptr {
	i := int(o.arg)
	if i >= f.n {
		return uintptr(isOther)
	}
	if f.list == nil {
		if kind := uint8(f.kinds>>(3+5*uint(i))) & 31; kind != o.kind {
			return uintptr(isOther)
		}
		return uintptr(unsafe.Pointer(&f.words[i&3]))
	}
	e := (*eface)(unsafe.Add(f.list, uintptr(i)*unsafe.Sizeof(eface{})))
	switch {
	case e.typ != o.ref:
		return uintptr(isOther)
	case o.value&1 != 0 && o.code == opRoot: // the word is the value
		return uintptr(unsafe.Pointer(&e.data))
	case readable(uintptr(e.data), uintptr(o.offset)) < uintptr(o.offset):
		return uintptr(isFailed)
	}
	return uintptr(e.data)
}

// fetch loads an integer.
func fetch(code uint8, p uintptr) uint64 {
	switch code {
	case opInt8:
		return uint64(*(*int8)(pointer(p)))
	case opInt16:
		return uint64(*(*int16)(pointer(p)))
	case opInt32:
		return uint64(*(*int32)(pointer(p)))
	case opUint8:
		return uint64(*(*uint8)(pointer(p)))
	case opUint16:
		return uint64(*(*uint16)(pointer(p)))
	case opUint32:
		return uint64(*(*uint32)(pointer(p)))
	}
	return *(*uint64)(pointer(p))
}

// pointer returns the pointer to an address.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func load(p uintptr) uintptr { return *(*uintptr)(pointer(p)) }

// texts compares two strings, or looks for b in a. It reports false if it can't read them.
func texts(o *op, a, b cell) (v uint64, sound bool) {
	if o.code == opStrings && a.b != b.b {
		switch o.arg {
		case relEqual:
			return 0, true
		case relLess | relGreater | relUnordered:
			return 1, true
		}
	}
	if a.b > maxSearch && b.b > maxSearch {
		return 0, false
	}
	s, ok := text(a, false)
	t, fine := text(b, o.mode != 0)
	if !ok || !fine {
		return 0, false
	}
	if o.code == opStrings {
		switch {
		case s < t:
			return uint64(o.arg & relLess), true
		case s > t:
			return uint64(o.arg & relGreater >> 2), true
		}
		return uint64(o.arg & relEqual >> 1), true
	}
	if len(t) > len(s) {
		return 0, true
	}
	switch o.arg {
	case findPrefix:
		return truth(s[:len(t)] == t), true
	case findSuffix:
		return truth(s[len(s)-len(t):] == t), true
	}
	for i := 0; i <= min(len(s), maxSearch)-len(t); i++ {
		if s[i:i+len(t)] == t {
			return 1, true
		}
	}
	return 0, true
}

// text returns the string of a cell, which may be torn unless it is sound, and reports whether it can be
// read.
func text(c cell, sound bool) (s string, ok bool) {
	if c.b == 0 {
		return "", true
	}
	if p, n := uintptr(c.a), uintptr(c.b); sound || readable(p, n) == n {
		return unsafe.String((*byte)(pointer(p)), int(n)), true
	}
	return "", false
}
