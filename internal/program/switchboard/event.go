package switchboard

import (
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Kind says what has happened to a call.
type Kind = format.Kind

const (
	Enter  = format.Enter
	Exit   = format.Exit
	Panic  = format.Panic
	Goexit = format.Goexit
	Marker = format.Marker
)

// An Event is what an observer is told. Package waymark documents it.
type Event struct {
	Kind      Kind
	Returned  bool           // of an Exit: the call has returned
	Goroutine uint64         // the id of the goroutine
	Func      *function.Func // of a Marker the info function
	Caller    *function.Func // of a Marker the function that the call is of
	Point     function.Point // of a Marker
	Value     any            // of a Panic

	from   *rt.Event // has the arguments or results
	list   []any     // the same, if from is nil
	hidden bool
	ago    time.Duration // of an Enter, see Ago
}

// Ago returns how long ago the call of an Enter began: 0, but of a call that was accepted by a condition
// when it ended.
func Ago(e *Event) time.Duration { return e.ago }

// Recovered reports whether the call of an Exit has recovered a panic: itself, not a function that it has called
// and that isn't observed.
func Recovered(e *Event) bool { return e.from != nil && e.from.Recovered }

// Args returns the arguments of an Enter or a Marker, the receiver first. A variadic parameter's
// are one slice.
func (e *Event) Args() []any {
	if e.Kind == Enter || e.Kind == Marker {
		return e.all()
	}
	return nil
}

// Results returns the results of an Exit. There are none if the call has not returned.
func (e *Event) Results() []any {
	if e.Kind == Exit {
		return e.all()
	}
	return nil
}

// all returns the arguments or results.
func (e *Event) all() []any {
	switch {
	case e.hidden:
		return nil
	case e.from != nil:
		return e.from.Values()
	}
	return e.list
}

// Hidden reports whether a policy hides the arguments, the results and the value of a panic.
func (e *Event) Hidden() bool { return e.hidden }

// Clone returns a copy that may be kept.
func (e *Event) Clone() *Event {
	c := *e
	c.from, c.list = nil, e.all()
	return &c
}

// WithValues sets the arguments or results of an event, for adapters and tests.
func WithValues(e *Event, values []any) *Event {
	e.from, e.list = nil, values
	return e
}

// An Observer is told of calls.
type Observer interface{ Observe(*Event) }

// eventOf returns the goroutine's event: an event costs no allocation.
func eventOf(from *rt.Event) *Event {
	if from.Place == nil {
		from.Place = unsafe.Pointer(&Event{from: from})
	}
	return (*Event)(from.Place)
}

// begin makes e an event of a function. A pointer is stored only if it is another one than last
// time, as a store costs a look at the collector's state.
func (e *Event) begin(k Kind, f *function.Func, hidden bool) {
	e.Kind, e.Returned, e.Goroutine, e.hidden = k, false, e.from.Goroutine, hidden
	if e.Func != f {
		e.Func = f
	}
	if k <= Exit && (e.Caller != nil || e.Value != nil) { // an observer has ended its goroutine
		e.Caller, e.Value, e.Point = nil, nil, function.NoPoint
	}
}
