package probe

import (
	"reflect"
	"unsafe"
)

// An argument is the type of one of a probe's arguments.
type argument struct {
	typ    reflect.Type
	kind   reflect.Kind
	value  func(unsafe.Pointer) any // the value at an address
	size   int                      // of what USDT is told, in bytes
	signed bool
}

// argumentOf returns the argument of a type.
func argumentOf[A any]() argument {
	t := reflect.TypeOf((*A)(nil)).Elem()
	a := argument{typ: t, kind: t.Kind(), size: 8, value: func(p unsafe.Pointer) any { return *(*A)(p) }}
	switch a.kind {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		a.size = int(t.Size())
	}
	switch a.kind {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		a.signed = true
	}
	return a
}

// word returns the value at p as USDT is told it. Integers have all their bits, signs extended.
// Floating-point numbers are their bits, and true is 1. Strings and all others are 0.
func (a *argument) word(p unsafe.Pointer) uint64 {
	switch a.kind {
	case reflect.Int8:
		return uint64(*(*int8)(p))
	case reflect.Int16:
		return uint64(*(*int16)(p))
	case reflect.Int32:
		return uint64(*(*int32)(p))
	case reflect.Int64:
		return uint64(*(*int64)(p))
	case reflect.Int:
		return uint64(*(*int)(p))
	case reflect.Uint, reflect.Uintptr:
		return uint64(*(*uint)(p))
	case reflect.Bool, reflect.Uint8:
		return uint64(*(*uint8)(p))
	case reflect.Uint16:
		return uint64(*(*uint16)(p))
	case reflect.Uint32, reflect.Float32:
		return uint64(*(*uint32)(p))
	case reflect.Uint64, reflect.Float64:
		return *(*uint64)(p)
	}
	return 0
}
