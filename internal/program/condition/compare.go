package condition

import "fmt"

// compare compares the two operands at the top. A constant is compared without being pushed.
func (b *binder) compare(rel Relation) error {
	y := b.pop()
	x := b.pop()
	if x.fixed {
		x, y, rel = y, x, rel.Swapped()
	}
	if x.fixed && y.fixed {
		return fmt.Errorf("%s and %s are both constants", y.what, x.what)
	}
	defer b.push(operand{kind: ofBool})
	switch {
	case x.kind == ofAbsent || y.kind == ofAbsent, x.kind == ofAny || y.kind == ofAny:
	case x.kind == ofString && y.kind == ofString:
		b.materialize(y)
		b.add(op{code: opStrings, arg: uint8(rel), mode: sound(y)})
	case x.kind == ofBool && y.kind == ofBool, x.kind == ofWord && y.kind == ofNil:
		if rel != Equal && rel != Less|Greater|Unordered {
			return fmt.Errorf("%s is %s, which has no order", x.what, x.kind)
		}
		b.numbers(opUints, opUintConst, y, rel)
	case !x.numeric() || !y.numeric():
		return fmt.Errorf("%s is %s, and %s is %s", x.what, x.kind, y.what, y.kind)
	case x.kind == ofFloat || y.kind == ofFloat:
		b.floats(x, y, rel)
	case y.fixed:
		b.constant(x, y, rel)
	case x.kind == ofInt && y.kind == ofInt:
		b.add(op{code: opInts, arg: uint8(rel)})
	case x.kind == ofUint && y.kind == ofUint:
		b.add(op{code: opUints, arg: uint8(rel)})
	case x.kind == ofInt:
		b.add(op{code: opIntUint, arg: uint8(rel)})
	default:
		b.add(op{code: opUintInt, arg: uint8(rel)})
	}
	return nil
}

func (o operand) numeric() bool { return o.kind == ofInt || o.kind == ofUint || o.kind == ofFloat }

// numbers compares the top with y, which may be a constant.
func (b *binder) numbers(two, one uint8, y operand, rel Relation) {
	if y.fixed {
		b.add(op{code: one, arg: uint8(rel), value: y.value})
	} else {
		b.add(op{code: two, arg: uint8(rel)})
	}
}

// constant compares an integer with a constant integer.
func (b *binder) constant(x, y operand, rel Relation) {
	beyond := Relation(0) // the outcome for all values of x's type
	switch {
	case x.kind == ofInt && y.kind == ofUint && int64(y.value) < 0:
		beyond = Less
	case x.kind == ofUint && y.kind == ofInt && int64(y.value) < 0:
		beyond = Greater
	}
	switch {
	case beyond != 0: // x stays below the outcome, which covers it
		b.add(op{code: opUintConst}) // false
		if rel&beyond != 0 {
			b.add(op{code: opNot})
		}
	case x.kind == ofInt:
		b.fused(opRootInts, op{code: opIntConst, arg: uint8(rel), value: y.value})
	default:
		b.fused(opRootUints, op{code: opUintConst, arg: uint8(rel), value: y.value})
	}
}

// fused adds the comparison o of an integer with a constant. What comes before it becomes one with it if
// that loads an argument or result itself: code.
func (b *binder) fused(code uint8, o op) {
	n := len(b.ops)
	if n < 2 {
		b.add(o)
		return
	}
	root, load := b.ops[n-2], b.ops[n-1]
	if root.code != opRoot || root.value != 0 || load.code < opInt8 || load.code > opUint64 || load.offset != 0 {
		b.add(o)
		return
	}
	root.code, root.mode, root.rel, root.value = code, load.code, o.arg, o.value
	b.ops = append(b.ops[:n-2], root)
}

// floats compares two numbers, one of which is floating.
func (b *binder) floats(x, y operand, rel Relation) {
	below := uint8(1)
	if y.fixed {
		below = 0
		switch y.kind {
		case ofInt:
			y.value = bits(float64(int64(y.value)))
		case ofUint:
			y.value = bits(float64(y.value))
		}
	} else {
		b.floating(y.kind, 0)
	}
	b.floating(x.kind, below)
	b.numbers(opFloats, opFloatConst, y, rel)
}

func (b *binder) floating(k operandKind, below uint8) {
	switch k {
	case ofInt:
		b.add(op{code: opFromInt, arg: below})
	case ofUint:
		b.add(op{code: opFromUint, arg: below})
	}
}

// sound returns 1 for a constant.
func sound(o operand) uint8 {
	if o.fixed {
		return 1
	}
	return 0
}
