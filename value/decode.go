package value

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A State says how much of a value is known.
type State uint8

const (
	Known  State = iota
	Nil          // nil in an interface: it has no type
	Masked       // not recorded, because its name looked like that of a secret
	Unread       // could not be read: the memory was not the program's, or in use for something else
	Text         // Value.Text is what the program's own method Error or String returned
)

// A Value is an argument, a result, a panic's value, or a part of one.
type Value struct {
	State State
	Type  Type // of a Known or Text value; of an interface, the dynamic type

	// Bits are a boolean, an integer (two's complement), a float (math.Float32bits or
	// math.Float64bits), the real part of a complex number, or an address. Imag is the imaginary
	// part.
	Bits uint64
	Imag uint64
	Text string // strings, names of functions
	Len  int    // strings (bytes), slices, arrays, maps, channels
	Cap  int    // channels

	// Elems are what was recorded of the elements of a slice or an array, or of the fields of a
	// struct. Of a map they are the entries, each key with its value behind it, and of a pointer
	// what it points to. Bytes are in the place of Elems where the elements are bytes.
	Elems []Value
	Bytes []byte

	IsNil bool // a nil pointer, map, slice, function or channel

	dynamic bool // the type is recorded with the value, not that of a field or an element
	bytes   bool // Bytes are of type byte, not of one of the program's
}

// Cut returns how many bytes of a string, elements, entries or fields were not recorded.
func (v *Value) Cut() int {
	switch v.Type.Kind {
	case reflect.String:
		return v.Len - len(v.Text)
	case reflect.Struct:
		return len(v.Type.Fields) - len(v.Elems)
	case reflect.Slice, reflect.Array:
		return v.Len - len(v.Elems) - len(v.Bytes)
	case reflect.Map:
		return v.Len - len(v.Elems)/2
	}
	return 0
}

// Limits against made-up data. What a program records stays far below.
const (
	maxValues = 1 << 16
	maxDepth  = 200
)

var errDamaged = errors.New("damaged values")

// Decode reads the values in data, the Data of an event. types returns the type of an id, as
// tracefile.File.Type does. The error says how far before its end data is damaged; the values
// before the damage are returned with the error.
func Decode(data []byte, types func(id uint32) (Type, bool)) ([]Value, error) {
	d := decoder{b: data, types: types}
	var list []Value
	for len(d.b) > 0 && d.err == nil {
		v := d.dynamic(0)
		if d.err == nil {
			list = append(list, v)
		}
	}
	return list, d.err
}

type decoder struct {
	b     []byte
	types func(id uint32) (Type, bool)
	count int
	err   error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%s, %d bytes before the end: %w", what, len(d.b), errDamaged)
	}
	d.b = nil
}

// dynamic reads a type's id and a value of the type.
func (d *decoder) dynamic(depth int) Value {
	switch id := d.uvarint(); id {
	case format.TypeNil:
		return Value{State: Nil}
	case format.TypeMasked:
		return Value{State: Masked}
	case format.TypeUnread:
		return Value{State: Unread}
	case format.TypeText:
		v := Value{State: Text}
		if id := d.uvarint(); id != format.TypeUnread {
			v.Type = d.typ(id)
		}
		d.string(&v)
		return v
	default:
		v := d.value(d.typ(id), depth)
		v.dynamic = true
		return v
	}
}

func (d *decoder) typ(id uint64) Type {
	if id < 1<<32 {
		if t, ok := d.types(uint32(id)); ok {
			return t
		}
	}
	d.fail(fmt.Sprintf("unknown type %d", id))
	return Type{}
}

func (d *decoder) value(t Type, depth int) Value {
	v := Value{Type: t}
	if d.count++; d.count > maxValues || depth > maxDepth {
		d.fail("too many values")
	}
	if d.err != nil {
		return v
	}
	switch t.Kind {
	case reflect.Bool, reflect.Uint8:
		v.Bits = uint64(d.byte())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		u := d.uvarint()
		v.Bits = u>>1 ^ -(u & 1)
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.UnsafePointer:
		v.Bits = d.uvarint()
	case reflect.Float32:
		v.Bits = uint64(d.u32())
	case reflect.Float64:
		v.Bits = d.u64()
	case reflect.Complex64:
		v.Bits, v.Imag = uint64(d.u32()), uint64(d.u32())
	case reflect.Complex128:
		v.Bits, v.Imag = d.u64(), d.u64()
	case reflect.String:
		d.string(&v)
	case reflect.Struct:
		d.fields(&v, depth)
	case reflect.Array:
		v.Len = t.Len
		d.elements(&v, t.Elem, depth)
	case reflect.Slice:
		if v.IsNil = d.byte() == 0; !v.IsNil {
			v.Len = d.length()
			d.elements(&v, uint32(d.uvarint()), depth)
		}
	case reflect.Pointer:
		switch d.byte() {
		case 0:
			v.IsNil = true
		case 1:
			v.Bits = d.uvarint()
		case 2:
			v.Elems = []Value{d.dynamic(depth + 1)}
		default:
			v.Bits = d.uvarint()
			v.Elems = []Value{d.dynamic(depth + 1)}
		}
	case reflect.Interface:
		return d.dynamic(depth + 1)
	case reflect.Map, reflect.Chan:
		switch d.byte() {
		case 0:
			v.IsNil = true
		case 1:
			v.State = Unread
			d.uvarint() // the address
		case 3:
			v.Len = d.length()
			d.entries(&v, depth)
		default:
			v.Len = d.length()
			if t.Kind == reflect.Chan {
				v.Cap = d.length()
			}
		}
	case reflect.Func:
		switch id := d.uvarint(); id {
		case format.TypeNil:
			v.IsNil = true
		case format.TypeUnread:
			v.State = Unread
		default:
			v.Text = d.typ(id).Name
		}
	default:
		d.fail(fmt.Sprintf("type %s of kind %d", t.Name, t.Kind))
	}
	return v
}

func (d *decoder) string(v *Value) {
	head := d.uvarint()
	v.Len = int(head >> 1 & (1<<62 - 1))
	n := v.Len
	if head&1 != 0 {
		v.Len = d.length()
	}
	v.Text = string(d.bytes(n))
}

func (d *decoder) fields(v *Value, depth int) {
	n := d.u16()
	if n > len(v.Type.Fields) {
		d.fail(fmt.Sprintf("%d fields in %s", n, v.Type.Name))
	}
	for i := 0; i < n && d.err == nil; i++ {
		if f := &v.Type.Fields[i]; f.Masked {
			if d.count++; d.count > maxValues {
				d.fail("too many values")
			}
			v.Elems = append(v.Elems, Value{State: Masked})
		} else {
			v.Elems = append(v.Elems, d.value(d.typ(uint64(f.Type)), depth+1))
		}
	}
}

func (d *decoder) elements(v *Value, id uint32, depth int) {
	n := d.u16()
	if id == format.TypeUnread || n == 0 {
		return
	}
	t := d.typ(uint64(id))
	if t.Kind == reflect.Uint8 {
		v.Bytes, v.bytes = d.bytes(n), t.Package == ""
		return
	}
	for i := 0; i < n && d.err == nil; i++ {
		v.Elems = append(v.Elems, d.value(t, depth+1))
	}
}

func (d *decoder) entries(v *Value, depth int) {
	key, elem := d.typ(d.uvarint()), d.typ(d.uvarint())
	for n := d.u16(); n > 0 && d.err == nil; n-- {
		k := d.value(key, depth+1)
		e := Value{State: Masked}
		if d.byte() == 0 {
			e = d.value(elem, depth+1)
		} else if d.count++; d.count > maxValues {
			d.fail("too many values")
		}
		v.Elems = append(v.Elems, k, e)
	}
}

func (d *decoder) uvarint() uint64 {
	u, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return u
}

// length reads a length. One that is negative was torn.
func (d *decoder) length() int { return int(d.uvarint()) }

func (d *decoder) byte() byte {
	if b := d.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *decoder) u16() int {
	b := d.bytes(2)
	if len(b) < 2 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b))
}

func (d *decoder) u32() uint32 {
	b := d.bytes(4)
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (d *decoder) u64() uint64 {
	b := d.bytes(8)
	if len(b) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail("cut off")
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}
