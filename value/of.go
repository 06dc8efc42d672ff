package value

import (
	"math"
	"reflect"
	"runtime"
	"time"
	"unicode/utf8"
)

// Limits bound what Of takes of a value.
type Limits struct {
	Text     int // bytes of a string
	Elements int // of a slice, an array or a struct
	Nesting  int // levels of slices, arrays and structs
	Bytes    int // of a value, about; 0: no limit
}

// Of returns a value of this program as the program would record it, within limits. Of calls no method
// of the value. It follows no pointer and looks into no map, because other goroutines may be writing
// there. Fields whose names are secret and values of hidden types are masked; nil: none are.
func Of(v any, l Limits, secret func(name string) bool, hidden func(reflect.Type) bool) Value {
	t := taker{limits: l, secret: secret, hidden: hidden, left: math.MaxInt}
	if l.Bytes > 0 {
		t.left = l.Bytes
	}
	return t.dynamic(reflect.ValueOf(v), l.Nesting)
}

// A taker takes values, as long as there is room left.
type taker struct {
	limits Limits
	secret func(name string) bool
	hidden func(reflect.Type) bool
	left   int // bytes
}

// dynamic takes a value whose type isn't known from what it is in.
func (t *taker) dynamic(v reflect.Value, depth int) Value {
	if !v.IsValid() {
		return Value{State: Nil}
	}
	out := t.value(v, depth)
	out.dynamic = true
	return out
}

func (t *taker) value(v reflect.Value, depth int) Value {
	typ := v.Type()
	if typ.Kind() == reflect.Interface {
		return t.dynamic(v.Elem(), depth)
	}
	if t.hidden != nil && t.hidden(typ) {
		return Value{State: Masked}
	}
	out := Value{Type: Type{Kind: typ.Kind(), Name: typ.String(), Package: typ.PkgPath()}}
	t.left -= 2
	switch typ.Kind() {
	case reflect.Bool:
		if v.Bool() {
			out.Bits = 1
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		out.Bits = uint64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		out.Bits = v.Uint()
	case reflect.Float32:
		out.Bits = uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		out.Bits = math.Float64bits(v.Float())
	case reflect.Complex64:
		c := complex64(v.Complex())
		out.Bits, out.Imag = uint64(math.Float32bits(real(c))), uint64(math.Float32bits(imag(c)))
	case reflect.Complex128:
		out.Bits, out.Imag = math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex()))
	case reflect.String:
		s := v.String()
		out.Len, out.Text = len(s), cut(s, t.limits.Text)
		t.left -= len(out.Text)
	case reflect.Slice, reflect.Array:
		if out.IsNil = typ.Kind() == reflect.Slice && v.IsNil(); !out.IsNil {
			t.elements(&out, v, depth)
		}
	case reflect.Struct:
		t.fields(&out, v, depth)
	case reflect.Pointer, reflect.UnsafePointer:
		out.Bits = uint64(v.Pointer())
		if out.IsNil = out.Bits == 0; !out.IsNil && typ.Kind() == reflect.Pointer {
			switch e := typ.Elem(); e.PkgPath() {
			case "context", "testing": // see known
				out.Elems = []Value{{Type: Type{Kind: e.Kind(), Name: e.String(), Package: e.PkgPath()}}}
			}
		}
	case reflect.Map:
		if out.IsNil = v.IsNil(); !out.IsNil {
			out.Len = -1 // not known
		}
	case reflect.Chan:
		if out.IsNil = v.IsNil(); !out.IsNil {
			out.Len, out.Cap = v.Len(), v.Cap()
		}
	case reflect.Func:
		if out.IsNil = v.IsNil(); !out.IsNil {
			if f := runtime.FuncForPC(v.Pointer()); f != nil {
				out.Text = f.Name()
			}
		}
	}
	return out
}

func (t *taker) elements(out *Value, v reflect.Value, depth int) {
	elem := v.Type().Elem()
	out.Len = v.Len()
	if elem.Kind() == reflect.Uint8 {
		out.bytes = elem.PkgPath() == ""
		for i := 0; i < min(out.Len, t.limits.Text); i++ {
			out.Bytes = append(out.Bytes, byte(v.Index(i).Uint()))
		}
		if _, ok := out.text(); !ok {
			out.Bytes = out.Bytes[:min(len(out.Bytes), t.limits.Elements)]
		}
		t.left -= len(out.Bytes)
		return
	}
	for i := 0; i < out.Len && t.room(i, depth); i++ {
		out.Elems = append(out.Elems, t.value(v.Index(i), depth-1))
	}
}

func (t *taker) fields(out *Value, v reflect.Value, depth int) {
	typ := v.Type()
	if typ == timeType {
		depth = 1 // it is printed as one text
	}
	for i := 0; i < typ.NumField(); i++ {
		name := typ.Field(i).Name
		out.Type.Fields = append(out.Type.Fields, Field{Name: name})
		switch {
		case len(out.Elems) < i || !t.room(i, depth):
		case t.secret != nil && t.secret(name):
			out.Elems = append(out.Elems, Value{State: Masked})
		default:
			t.left -= len(name)
			out.Elems = append(out.Elems, t.value(v.Field(i), depth-1))
		}
	}
}

// room reports whether there is room for the i-th part of a value.
func (t *taker) room(i, depth int) bool {
	return depth > 0 && i < t.limits.Elements && t.left > 0
}

var timeType = reflect.TypeOf(time.Time{})

// cut returns as many bytes of s as there is room for, without a part of a character.
func cut(s string, room int) string {
	if len(s) <= room {
		return s
	}
	for room > 0 && !utf8.RuneStart(s[room]) {
		room--
	}
	return s[:room]
}

// TextOf returns a value of which the program has made the text, at most limit bytes of it.
func TextOf(text string, limit int) Value {
	return Value{State: Text, Len: len(text), Text: cut(text, limit)}
}
