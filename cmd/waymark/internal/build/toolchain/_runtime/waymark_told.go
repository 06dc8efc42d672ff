// Package runtime, as waymark adds to it: what comes with an event that monitors are told.

package runtime

import "unsafe"

// A WMEvent is what comes with an event: the goroutine, and the arguments or results of the call. A
// goroutine has one, for one event after the other. It has values only while the monitor is told of
// them, so the goroutine keeps nothing alive. Integers are put into interfaces when a monitor asks:
// few monitors look at the values of every call.
type WMEvent struct {
	Goroutine uint64         // the goroutine's id
	Place     unsafe.Pointer // where the library keeps something for the goroutine
	Recovered bool           // of a call that ends: it has recovered a panic itself

	list  []any
	kinds uint64 // of the integers in words, as in waymark_ints.go; 0 if list has all values
	words [4]uint64
}

// WMEventOf returns an event with these values, for tests of what is told.
func WMEventOf(values []any) *WMEvent { return &WMEvent{Goroutine: getg().goid, list: values} }

// Values returns the arguments or results, which may be kept. Only while a monitor is told of the
// event they are those of the event.
func (e *WMEvent) Values() []any {
	if e.kinds == 0 {
		return e.list
	}
	w := getg().wm.watching
	if w == nil || &w.event != e {
		w = new(wmWatching) // the monitor asks on another goroutine
	}
	return w.slabs.integers.carve(int(e.kinds&7), e.kinds>>3, &e.words)
}

// integers makes integers the values, as hooks get them.
func (e *WMEvent) integers(kinds, a, b, c, d uint64) {
	if getg().hides() {
		e.set(nil)
		return
	}
	e.kinds = kinds
	e.words[0], e.words[1], e.words[2], e.words[3] = a, b, c, d
}

// set makes list the values.
func (e *WMEvent) set(list []any) *WMEvent {
	e.kinds = 0
	if list != nil || e.list != nil { // a store of a pointer isn't free
		e.list = list
	}
	return e
}

// at makes v the values of the event, or returns where they are: Take copies them.
func (e *WMEvent) at(v *wmValues) unsafe.Pointer {
	switch {
	case v == nil || v.n == 0 || getg().hides():
		e.set(nil)
	case v.words != nil:
		// Word by word: the processor can't load two at once that it has stored one by one.
		e.integers(v.kinds, v.words[0], v.words[1], v.words[2], v.words[3])
	default:
		return noescape(unsafe.Pointer(v))
	}
	return nil
}

// Take makes copies of the values at v those of the event. nil: the event has them.
func (e *WMEvent) Take(v unsafe.Pointer) {
	if v != nil {
		gp := getg()
		e.set((*wmValues)(v).boxes(gp, &gp.wm.watching.slabs))
	}
}

// copies returns copies of values in interfaces.
func (v *wmValues) copies(gp *g, s *wmSlabs) []any {
	switch {
	case v == nil || v.n == 0 || gp.hides():
		return nil
	case v.words != nil:
		return s.integers.carve(v.n, v.kinds>>3, v.words)
	}
	return v.boxes(gp, s)
}
