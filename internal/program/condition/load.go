package condition

import (
	"fmt"
	"math"
	"reflect"
)

// length pushes the length of a value.
func (b *binder) length(p path) error {
	p.what = "len(" + p.what + ")"
	if p.typ.Kind() == reflect.Pointer && p.typ.Elem().Kind() == reflect.Array {
		p.typ = p.typ.Elem()
	}
	o := op{offset: uint32(p.offset)}
	switch p.typ.Kind() {
	case reflect.String, reflect.Slice:
		o.offset += uint32(wordSize)
		o.code = opWord
	case reflect.Map, reflect.Chan:
		o.code = opCount
	case reflect.Array:
		o.code, o.value = opConst, uint64(p.typ.Len())
	default:
		return fmt.Errorf("%s: %s has no length", p.what, p.typ)
	}
	if p.offset > math.MaxInt32 {
		return fmt.Errorf("%s is too far in its value", p.what)
	}
	b.add(o)
	b.push(operand{kind: ofInt, what: p.what})
	return nil
}

// load pushes the value itself.
func (b *binder) load(p path) error {
	if p.offset > math.MaxInt32 {
		return fmt.Errorf("%s is too far in its value", p.what)
	}
	k := p.typ.Kind()
	l, ok := loads[k]
	if !ok {
		what := "name one of its fields"
		switch k {
		case reflect.Array:
			what = "name one of its elements"
		case reflect.Complex64, reflect.Complex128:
			what = "such numbers can't be compared"
		}
		return fmt.Errorf("%s is %s: %s", p.what, p.typ, what)
	}
	if k == reflect.Interface {
		p.offset += wordSize // 0 for nil, and for a nil pointer
	}
	b.add(op{code: l.code, offset: uint32(p.offset)})
	b.push(operand{kind: l.kind, what: p.what})
	return nil
}

type loading struct {
	code uint8
	kind operandKind
}

var loads = map[reflect.Kind]loading{
	reflect.Bool: {opBool, ofBool}, reflect.String: {opString, ofString},
	reflect.Int8: {opInt8, ofInt}, reflect.Int16: {opInt16, ofInt}, reflect.Int32: {opInt32, ofInt}, reflect.Int64: {opInt64, ofInt},
	reflect.Uint8: {opUint8, ofUint}, reflect.Uint16: {opUint16, ofUint}, reflect.Uint32: {opUint32, ofUint}, reflect.Uint64: {opUint64, ofUint},
	reflect.Int: intLoad(), reflect.Uint: uintLoad(), reflect.Uintptr: uintLoad(),
	reflect.Float32: {opFloat32, ofFloat}, reflect.Float64: {opFloat64, ofFloat},
	reflect.Pointer: {opWord, ofWord}, reflect.UnsafePointer: {opWord, ofWord}, reflect.Map: {opWord, ofWord},
	reflect.Chan: {opWord, ofWord}, reflect.Func: {opWord, ofWord}, reflect.Slice: {opWord, ofWord}, reflect.Interface: {opWord, ofWord},
}

func intLoad() loading {
	if wordSize == 4 {
		return loading{opInt32, ofInt}
	}
	return loading{opInt64, ofInt}
}

func uintLoad() loading {
	if wordSize == 4 {
		return loading{opUint32, ofUint}
	}
	return loading{opUint64, ofUint}
}
