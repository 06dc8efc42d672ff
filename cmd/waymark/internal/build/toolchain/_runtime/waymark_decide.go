// Package runtime, as waymark adds to it: conditions on calls that monitors see.
//
// The library binds a condition to the types of a call's values. The operations that come of that
// read the values where they are: nothing is copied for a call that is rejected.
// waymark_condition.go is made of the library's package condition.

package runtime

import "unsafe"

// Decide evaluates operations of package condition on the event, whose values are at v unless the event
// has them. It returns an outcome. On the system stack nothing that is read can move or be freed.
func (e *WMEvent) Decide(v, ops unsafe.Pointer, duration int64, panicked bool, slots uint64) (outcome uint8) {
	f := wmConditionFrame{goroutine: e.Goroutine, duration: duration, panicked: panicked, slots: slots}
	if v == nil && e.kinds != 0 { // nothing that moves
		f.words, f.kinds, f.n = &e.words, e.kinds, int(e.kinds&7)
		return uint8(wmConditionRun((*wmConditionOp)(ops), &f))
	}
	systemstack(func() {
		if v != nil {
			f.list, f.n = (*wmValues)(v).list, (*wmValues)(v).n
		} else {
			f.list, f.n = unsafe.Pointer(unsafe.SliceData(e.list)), len(e.list)
		}
		outcome = uint8(wmConditionRun((*wmConditionOp)(ops), &f))
	})
	return outcome
}

// Shape returns how many values the event has or are at v, and whether these are pointers to them.
func (e *WMEvent) Shape(v unsafe.Pointer) (n int, places bool) {
	switch {
	case v != nil:
		return (*wmValues)(v).n, (*wmValues)(v).pointers
	case e.kinds != 0:
		return int(e.kinds & 7), false
	}
	return len(e.list), false
}

// TypeOf returns something of the type of the i-th value, that nobody may look into.
func (e *WMEvent) TypeOf(v unsafe.Pointer, i int) (typed any) {
	of := efaceOf(&typed)
	switch {
	case v != nil:
		of._type = (*eface)(add((*wmValues)(v).list, uintptr(i)*unsafe.Sizeof(eface{})))._type
	case e.kinds != 0:
		of._type = wmIntType(e.kinds >> (3 + 5*i))
	default:
		of._type = efaceOf(&e.list[i])._type
	}
	return typed
}

// wmConditionReadable returns how many of the n bytes at p can be read.
func wmConditionReadable(p, n uintptr) uintptr {
	gp := getg().m.curg
	if at := p - gp.stack.lo; at < gp.stack.hi-gp.stack.lo { // most arguments lie there
		return min(n, gp.stack.hi-p)
	}
	if at := p - wmFixed.constants; at < wmFixed.constantsSize {
		return min(n, wmFixed.constantsSize-at)
	}
	return wmReadable(gp, p, n)
}
