package switchboard

import (
	"reflect"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/console"
)

// A seat is an observer of a package's functions.
type seat struct {
	observer Observer // nil: there is nothing to tell
	kind     string
	direct   Direct      // told of beginnings and ends in place of the observer, if there is one
	broken   atomic.Bool // it has panicked
}

// A Direct is what is told that calls begin and end, with their values and without an Event: a
// monitor of package monitor. An Event in between would cost a fifth more.
type Direct interface {
	Enter(id int, args ...any)
	Exit(id int)
	ExitResults(id int, results ...any)
}

// A Director is an observer that has a Direct in its place for beginnings and ends.
type Director interface{ Direct() Direct }

// A Passer is an observer that for a time has no use for calls. It is asked of each call that begins and
// that its condition accepts, before values are copied, unless the call has other observers, too.
type Passer interface {
	// Passes reports whether nothing is to be told of the call.
	Passes() bool
}

// A Breaker is an observer that wants to know that it has panicked. Others are reported on stderr.
type Breaker interface{ Broken(value any) }

// seat returns the seat of the wish's observer of t's package. An observer that has panicked stays
// away until it is wanted anew.
func (t *Table) seat(w *wish) *seat {
	o := w.Observer(t.unit.path)
	if s := w.seats[t]; s != nil && same(s.observer, o) {
		return s
	}
	for _, other := range t.unit.tables {
		for _, s := range other.seats {
			if same(s.observer, o) && !s.broken.Load() {
				w.seats[t] = s
				return s
			}
		}
	}
	s := &seat{observer: o, kind: w.Kind}
	if d, ok := o.(Director); ok {
		s.direct = d.Direct()
	}
	w.seats[t] = s
	t.seats = append(t.seats, s)
	return s
}

// same reports whether two observers are one.
func same(a, b Observer) bool {
	return a == nil && b == nil || a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// tell tells the observer an event.
func (s *seat) tell(e *Event) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	s.observer.Observe(e)
	returned = true
}

// enter tells a direct observer that a call begins.
func (s *seat) enter(id int, args []any) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	s.direct.Enter(id, args...)
	returned = true
}

// exit tells a direct observer that a call ends; nil: there are no results, or it has not returned.
func (s *seat) exit(id int, results []any) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	if results == nil {
		s.direct.Exit(id)
	} else {
		s.direct.ExitResults(id, results...)
	}
	returned = true
}

// guard is deferred around what an observer does. After a panic of the observer all stays as if
// there were no observer. Where it has returned nothing is recovered, as that is not free even if
// nothing panics.
func (s *seat) guard(returned *bool) {
	if !*returned {
		s.broke(recover())
	}
}

// broke notes that the observer has panicked with this value; nil: runtime.Goexit has left Observe.
func (s *seat) broke(value any) {
	if value == nil || s.broken.Swap(true) {
		return
	}
	if b, ok := s.observer.(Breaker); ok {
		b.Broken(value)
		return
	}
	console.Say("observer %s panicked, and is not called any more: %v", s.kind, value)
}
