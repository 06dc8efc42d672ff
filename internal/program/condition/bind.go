package condition

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A Shape is what Bind needs to know of the calls of a function.
type Shape struct {
	Names  []string               // of the arguments or results; _ or empty: it has none
	Types  []reflect.Type         // that they have, of interfaces that of what these hold; nil for nil
	Places bool                   // Types are pointers to them
	Line   bool                   // they are variables of a line
	Absent bool                   // the call has not returned: reading a result rejects it
	Secret func(name string) bool // reports whether values and fields of this name must not be seen; nil: none

	early bool // no call has begun: Types are those that are known before, see Fits
}

// A Bound is a code for calls whose values have certain types.
type Bound struct {
	Next *Bound // for others

	// Err says why the code, or an operand of || in it, can't be evaluated for these types: calls for
	// which it would have to be are rejected.
	Err error

	ops   []op
	types []reflect.Type // keeps them reachable
}

// Bind returns the code for calls whose values have these types. If that can't be, it has an Err.
func (c Code) Bind(s Shape) *Bound {
	b := &binder{shape: s}
	if err := b.code(c); err != nil {
		b.ops = b.ops[:0]
		for i := range c {
			if index, err := b.index(&c[i]); c[i].Op == Value && err == nil && index < len(s.Types) {
				b.root(index)
			}
		}
		b.add(op{code: opFail})
		return &Bound{Err: err, ops: b.ops, types: s.Types}
	}
	b.add(op{code: opEnd})
	return &Bound{Err: b.skipped, ops: b.ops, types: s.Types}
}

// binder follows the types on the stack.
type binder struct {
	shape Shape
	ops   []op
	stack []operand
	joins map[int][]jump // by the instruction that they lead to

	last operand // what the code leaves
	why  string  // it is never true

	skipped error // why an operand of || can't be evaluated
}

// A jump is that of And or Or, over its second operand.
type jump struct {
	op    int // its index among the operations
	or    bool
	never bool // of the first operand
}

// An operand is what is known of a value on the stack.
type operand struct {
	kind  operandKind
	what  string // for errors
	fixed bool   // a constant, which is not on the stack of operations
	value uint64
	text  string
	never bool // it is true for no call
}

type operandKind uint8

const (
	ofBool operandKind = iota
	ofInt
	ofUint
	ofFloat
	ofString
	ofWord // of a type that has nil
	ofNil
	ofAbsent // a result of a call that has not returned: the code has ended
	ofAny    // of a type that only calls have
)

func (k operandKind) String() string {
	return [...]string{
		"a truth value", "an integer", "an unsigned integer", "a floating-point number", "a string",
		"a value that may be nil", "nil", "absent", "of any type",
	}[k]
}

func (b *binder) add(o op) { b.ops = append(b.ops, o) }

func (b *binder) push(o operand) { b.stack = append(b.stack, o) }

func (b *binder) pop() operand {
	o := b.stack[len(b.stack)-1]
	b.stack = b.stack[:len(b.stack)-1]
	return o
}

func (b *binder) code(c Code) error {
	b.joins = make(map[int][]jump)
	for i := range c {
		if err := b.land(i); err != nil {
			return err
		}
		depth := len(b.stack)
		if err := b.instruction(c, i); err != nil && !b.skip(c[i].Op, i, depth, err) {
			return err
		}
	}
	if err := b.land(len(c)); err != nil {
		return err
	}
	b.last = b.pop()
	return b.last.truth()
}

// skip makes of instruction i, which can't be evaluated, a refusal of the calls that get there. It
// reports false if all calls do, because it isn't in an operand that || may skip, or if the
// condition must not read the value. depth is that of the stack before.
func (b *binder) skip(o Opcode, i, depth int, err error) bool {
	if _, hidden := err.(hiddenError); hidden || b.shape.early || !b.optional(i) {
		return false
	}
	if b.skipped == nil {
		b.skipped = err
	}
	b.add(op{code: opFail})
	switch o {
	case And, Or:
		b.stack = b.stack[:depth-1]
		return true
	case Not:
		depth--
	case Compare, Find:
		depth -= 2
	}
	b.stack = append(b.stack[:depth], operand{kind: ofAbsent})
	return true
}

// optional reports whether || may skip instruction i.
func (b *binder) optional(i int) bool {
	for to, joins := range b.joins {
		for _, j := range joins {
			if to > i && j.or {
				return true
			}
		}
	}
	return false
}

// A hiddenError says that a value is masked.
type hiddenError struct{ error }

func hiddenf(format string, args ...any) error { return hiddenError{fmt.Errorf(format, args...)} }

// land completes the jumps to the instruction i, which come with a truth value.
func (b *binder) land(i int) error {
	joins := b.joins[i]
	for k := range joins {
		j := joins[len(joins)-1-k] // the innermost first
		b.ops[j.op].offset = uint32(len(b.ops) - j.op - 1)
		top := &b.stack[len(b.stack)-1]
		if err := top.truth(); err != nil {
			return err
		}
		if j.or {
			top.never = top.never && j.never
		} else {
			top.never = top.never || j.never
		}
	}
	return nil
}

// truth returns an error if o is no truth value. Those are always on the stack of operations.
func (o operand) truth() error {
	if o.kind != ofBool && o.kind != ofAbsent && o.kind != ofAny {
		return fmt.Errorf("%s is %s, want a truth value", o.what, o.kind)
	}
	return nil
}

// materialize puts a constant on the stack of operations.
func (b *binder) materialize(o operand) {
	switch {
	case !o.fixed:
	case o.kind == ofString:
		b.add(op{code: opText, value: uint64(len(o.text)), ref: unsafe.Pointer(unsafe.StringData(o.text))})
	default:
		b.add(op{code: opConst, value: o.value})
	}
}

func (b *binder) instruction(c Code, i int) error {
	in := &c[i]
	switch in.Op {
	case Value:
		return b.value(in, c.ComparesNil(i))
	case Int:
		b.push(operand{kind: ofInt, what: fmt.Sprint(int64(in.Bits)), fixed: true, value: in.Bits})
	case Uint:
		b.push(operand{kind: ofUint, what: fmt.Sprint(in.Bits), fixed: true, value: in.Bits})
	case Float:
		b.push(operand{kind: ofFloat, what: fmt.Sprint(number(in.Bits)), fixed: true, value: in.Bits})
	case Text:
		b.push(operand{kind: ofString, what: fmt.Sprintf("%q", in.Text), fixed: true, text: in.Text})
	case Bool:
		b.add(op{code: opConst, value: in.Bits}) // at once: a jump may lead behind it
		b.push(operand{kind: ofBool})
	case Nil:
		b.push(operand{kind: ofNil, what: "nil", fixed: true})
	case Duration:
		b.add(op{code: opDuration})
		b.push(operand{kind: ofInt, what: "duration"})
	case Goroutine:
		b.add(op{code: opGoroutine})
		b.push(operand{kind: ofUint, what: "goroutine"})
	case Panicked:
		b.add(op{code: opPanicked})
		b.push(operand{kind: ofBool})
	case Failed:
		b.failed()
	case Slot:
		b.add(op{code: opSlot, arg: uint8(in.Index)})
		b.push(operand{kind: ofBool})
	case Compare:
		return b.compare(in.Rel)
	case Find:
		return b.find(in.Find)
	case Not, And, Or:
		o := b.pop()
		if err := o.truth(); err != nil {
			return err
		}
		if in.Op == Not {
			b.add(op{code: opNot})
			b.push(operand{kind: ofBool})
			return nil
		}
		code := uint8(opAnd)
		if in.Op == Or {
			code = opOr
		}
		to := i + 1 + in.Skip
		b.joins[to] = append(b.joins[to], jump{len(b.ops), in.Op == Or, o.never})
		b.add(op{code: code})
	}
	return nil
}

func (b *binder) find(f Finder) error {
	y := b.pop()
	x := b.pop()
	for _, o := range []operand{x, y} {
		if o.kind != ofString && o.kind != ofAbsent && o.kind != ofAny {
			return fmt.Errorf("%s is %s, want a string", o.what, o.kind)
		}
	}
	if x.fixed && !y.fixed {
		return fmt.Errorf("%s is looked through: want a constant as the second string", x.what)
	}
	b.materialize(x)
	b.materialize(y)
	b.add(op{code: opFind, arg: uint8(f), mode: sound(y)})
	b.push(operand{kind: ofBool})
	return nil
}

// failed tells whether the last result is an error.
func (b *binder) failed() {
	n := len(b.shape.Types)
	if b.shape.early {
		never := n == 0 || b.shape.Types[n-1] != errorType && b.shape.Types[n-1] != anyType
		if never && n == 0 {
			b.why = "it has no results, or none is known (waymark build --results makes them known)"
		} else if never {
			b.why = "its last result is no error"
		}
		b.add(op{code: opConst})
		b.push(operand{kind: ofBool, never: never})
		return
	}
	b.push(operand{kind: ofBool})
	if n == 0 {
		b.add(op{code: opConst})
		return
	}
	t := b.shape.Types[n-1]
	b.root(n - 1)
	switch {
	case b.shape.Places && t != nil && t.Elem() == errorType:
		b.add(op{code: opWord})
		b.add(op{code: opUintConst, arg: uint8(Less | Greater), value: 0})
	case b.shape.Places || t == nil || !t.Implements(errorType):
		b.add(op{code: opConst})
	default:
		b.add(op{code: opConst, value: 1})
	}
}

var errorType = reflect.TypeOf((*error)(nil)).Elem()
