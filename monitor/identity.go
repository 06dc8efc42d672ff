package monitor

import (
	"math"
	"reflect"
	"unsafe"
)

// same reports whether two factories are one. Those that Go can't compare are if they hold the same
// functions, maps and memory of slices.
func same(a, b Factory) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if v.Type() != w.Type() {
		return false
	}
	if v.Comparable() && w.Comparable() && a == b {
		return true
	}
	return identical(addressable(v), addressable(w))
}

// addressable returns a variable with the value.
func addressable(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	return to
}

// identical reports whether two variables of one type hold the same.
func identical(v, w reflect.Value) bool {
	switch v.Kind() {
	case reflect.Func:
		// A function value points to its closure. Value.Pointer gives the code, which closures
		// share.
		return *(*unsafe.Pointer)(unsafe.Pointer(v.UnsafeAddr())) == *(*unsafe.Pointer)(unsafe.Pointer(w.UnsafeAddr()))
	case reflect.Slice:
		return v.Pointer() == w.Pointer() && v.Len() == w.Len() && v.Cap() == w.Cap()
	case reflect.Map:
		return v.Pointer() == w.Pointer()
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(v.Float()) == math.Float64bits(w.Float()) // NaN is itself, too
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if !identical(v.Field(i), w.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := 0; i < v.Len(); i++ {
			if !identical(v.Index(i), w.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		// Two words: the type's, and a pointer to the value or the value itself.
		return *(*[2]unsafe.Pointer)(unsafe.Pointer(v.UnsafeAddr())) == *(*[2]unsafe.Pointer)(unsafe.Pointer(w.UnsafeAddr())) ||
			v.Comparable() && w.Comparable() && v.Equal(w)
	}
	return v.Equal(w)
}
