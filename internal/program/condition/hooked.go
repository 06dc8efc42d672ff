//go:build waymark

package condition

import (
	"reflect"
	"unsafe"
)

// Test evaluates the code. If the values have other types than the code is for it returns Other.
func (b *Bound) Test(v Values, facts Facts) Outcome {
	return Outcome(v.Event.Decide(v.At, unsafe.Pointer(&b.ops[0]), facts.Duration, facts.Panicked, facts.Slots))
}

// types returns the types of the values, nil for nil, and whether these are pointers to them.
func (v Values) types() (list []reflect.Type, places bool) {
	n, places := v.Event.Shape(v.At)
	for i := 0; i < n; i++ {
		list = append(list, reflect.TypeOf(v.Event.TypeOf(v.At, i)))
	}
	return list, places
}
