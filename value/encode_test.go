package value

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// An encoder writes values as package runtime does, all of them whole.
type encoder struct {
	ids   map[reflect.Type]uint32
	types map[uint32]Type
	b     []byte
}

// encode returns the data of an event with the values in list, and its types.
func encode(list ...any) ([]byte, func(uint32) (Type, bool)) {
	e := newEncoder()
	for _, x := range list {
		e.dynamic(reflect.ValueOf(x))
	}
	return e.b, e.find
}

func newEncoder() *encoder {
	return &encoder{ids: make(map[reflect.Type]uint32), types: make(map[uint32]Type)}
}

func (e *encoder) find(id uint32) (Type, bool) {
	if t, ok := Predeclared(id); ok {
		return t, true
	}
	t, ok := e.types[id]
	return t, ok
}

func (e *encoder) id(t reflect.Type) uint32 {
	if id, ok := e.ids[t]; ok {
		return id
	}
	if _, ok := Predeclared(uint32(t.Kind())); ok && t.PkgPath() == "" {
		return uint32(t.Kind())
	}
	d := Type{Kind: t.Kind(), Name: t.String(), Package: t.PkgPath()}
	switch t.Kind() {
	case reflect.Array:
		d.Len, d.Elem = t.Len(), e.id(t.Elem())
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			d.Fields = append(d.Fields, Field{Name: t.Field(i).Name, Type: e.id(t.Field(i).Type), Masked: t.Field(i).Tag.Get("wm") == "masked"})
		}
	}
	d.ID = format.FirstType + uint32(len(e.types))
	e.ids[t], e.types[d.ID] = d.ID, d
	return d.ID
}

func (e *encoder) uvarint(u uint64) { e.b = binary.AppendUvarint(e.b, u) }

func (e *encoder) count(n int) { e.b = binary.LittleEndian.AppendUint16(e.b, uint16(n)) }

func (e *encoder) dynamic(v reflect.Value) {
	if !v.IsValid() {
		e.uvarint(format.TypeNil)
		return
	}
	e.uvarint(uint64(e.id(v.Type())))
	e.value(v)
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		e.b = append(e.b, b)
	case reflect.Uint8:
		e.b = append(e.b, byte(v.Uint()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.b = binary.AppendVarint(e.b, v.Int())
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.uvarint(v.Uint())
	case reflect.UnsafePointer:
		e.uvarint(uint64(v.Pointer()))
	case reflect.Float32:
		e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v.Float()))
	case reflect.Complex64:
		e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(float32(real(v.Complex()))))
		e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(float32(imag(v.Complex()))))
	case reflect.Complex128:
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(real(v.Complex())))
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(imag(v.Complex())))
	case reflect.String:
		e.uvarint(uint64(v.Len()) << 1)
		e.b = append(e.b, v.String()...)
	case reflect.Struct:
		e.count(v.NumField())
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).Tag.Get("wm") != "masked" {
				e.value(v.Field(i))
			}
		}
	case reflect.Array:
		e.elements(v)
	case reflect.Slice:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = append(e.b, 1)
		e.uvarint(uint64(v.Len()))
		e.uvarint(uint64(e.id(v.Type().Elem())))
		e.elements(v)
	case reflect.Pointer:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = append(e.b, 2)
		e.dynamic(v.Elem())
	case reflect.Interface:
		e.dynamic(v.Elem())
	case reflect.Map:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = append(e.b, 3)
		e.uvarint(uint64(v.Len()))
		e.uvarint(uint64(e.id(v.Type().Key())))
		e.uvarint(uint64(e.id(v.Type().Elem())))
		e.count(v.Len())
		for it := v.MapRange(); it.Next(); {
			e.value(it.Key())
			if it.Key().Kind() == reflect.String && it.Key().String() == "masked" {
				e.b = append(e.b, 1)
				continue
			}
			e.b = append(e.b, 0)
			e.value(it.Value())
		}
	case reflect.Chan:
		if v.IsNil() {
			e.b = append(e.b, 0)
			return
		}
		e.b = append(e.b, 2)
		e.uvarint(uint64(v.Len()))
		e.uvarint(uint64(v.Cap()))
	case reflect.Func:
		e.uvarint(format.TypeNil)
	}
}

func (e *encoder) elements(v reflect.Value) {
	e.count(v.Len())
	for i := 0; i < v.Len(); i++ {
		e.value(v.Index(i))
	}
}
