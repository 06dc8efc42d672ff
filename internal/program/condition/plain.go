//go:build !waymark

package condition

import (
	"reflect"
	"unsafe"
)

// Test evaluates the code. If the values have other types than the code is for it returns Other.
func (b *Bound) Test(v Values, facts Facts) Outcome {
	list := v.Event.Values()
	f := frame{list: unsafe.Pointer(unsafe.SliceData(list)), n: len(list),
		goroutine: v.Event.Goroutine, duration: facts.Duration, panicked: facts.Panicked, slots: facts.Slots}
	return Outcome(run(&b.ops[0], &f))
}

// types returns the types of the values, nil for nil, and whether these are pointers to them.
func (v Values) types() (list []reflect.Type, places bool) {
	for _, value := range v.Event.Values() {
		list = append(list, reflect.TypeOf(value))
	}
	return list, false
}

// readable returns how many of the n bytes at p can be read: all, as tests have nothing else.
func readable(p, n uintptr) uintptr { return n }
