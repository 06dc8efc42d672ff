package switchboard

import (
	"reflect"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/console"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/rt"
)

// A seat is an observer of a package's functions.
type seat struct {
	observer Observer // nil: there is nothing to tell
	kind     string
	direct   Direct      // the observer, if it takes values
	broken   atomic.Bool // it has panicked
}

// A Direct is an observer that is told that calls begin and end without an Event. Monitors of
// package monitor are: their methods take the values, and an Event in between would cost a fifth more.
type Direct interface {
	Enter(f *function.Func, args []any)
	Exit(f *function.Func, results []any) // nil: there are none, or the call has not returned
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
	s.direct, _ = o.(Direct)
	w.seats[t] = s
	t.seats = append(t.seats, s)
	return s
}

// same reports whether two observers are one.
func same(a, b Observer) bool {
	return a == nil && b == nil || a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// tell tells the observer an event. After a panic of the observer all stays as if there were no
// observer. Where Observe has returned nothing is recovered, as that is not free even if nothing
// panics.
func (s *seat) tell(e *Event) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer func() {
		if !returned {
			s.broke(recover())
		}
	}()
	s.observer.Observe(e)
	returned = true
}

// give tells a direct observer that a call begins or ends.
func (s *seat) give(k Kind, f *function.Func, from *rt.Event, hidden bool) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer func() {
		if !returned {
			s.broke(recover())
		}
	}()
	var values []any
	if !hidden {
		values = from.Values()
	}
	if k == Enter {
		s.direct.Enter(f, values)
	} else {
		s.direct.Exit(f, values)
	}
	returned = true
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
