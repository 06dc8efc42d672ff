package switchboard

import (
	"maps"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

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

// A Direct is an observer that is told of most events without an Event: of beginnings with the
// arguments, of ends with the results.
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

// enter tells a direct observer that a call begins.
func (s *seat) enter(f *function.Func, from *rt.Event, hidden bool) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer func() {
		if !returned {
			s.broke(recover())
		}
	}()
	var args []any
	if !hidden {
		args = from.Values()
	}
	s.direct.Enter(f, args)
	returned = true
}

// exit tells a direct observer that a call ends.
func (s *seat) exit(f *function.Func, from *rt.Event, hidden bool) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer func() {
		if !returned {
			s.broke(recover())
		}
	}()
	var results []any
	if !hidden {
		results = from.Values()
	}
	s.direct.Exit(f, results)
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

// A watch is what calls of a site are told to.
type watch struct {
	fn    *function.Func
	seats []*seat
}

// tell tells an event to all observers, in the order of their wishes.
func (w *watch) tell(e *Event) {
	for _, s := range w.seats {
		s.tell(e)
	}
}

// watch sets what calls of a site are told to.
func (b *Board) watch(id uint32, w *watch) {
	list := *b.watches.Load()
	if int(id) >= len(list) {
		if w == nil {
			return
		}
		grown := make([]atomic.Pointer[watch], 2*(id+1))
		for i := range list {
			grown[i].Store(list[i].Load())
		}
		b.watches.Store(&grown)
		list = grown
	}
	list[id].Store(w)
}

// noteCallers makes the functions of a package with info functions known by their names.
func (b *Board) noteCallers(t *Table) {
	known := *b.callers.Load()
	funcs := t.Funcs()
	if len(funcs) == 0 || t.unit.byID.Load() == nil {
		return
	}
	if id, ok := known[funcs[0].Name]; ok && id == t.Base {
		return
	}
	list := maps.Clone(known)
	if list == nil {
		list = make(map[string]uint32)
	}
	for i, f := range funcs {
		list[f.Name] = t.Base + uint32(i)
	}
	b.callers.Store(&list)
}

// watchOf returns what calls of a function are told to, nil if they are not.
func (b *Board) watchOf(name string) *watch {
	if id, ok := (*b.callers.Load())[name]; ok {
		if list := *b.watches.Load(); int(id) < len(list) {
			return list[id].Load()
		}
	}
	return nil
}

// monitor returns what the hooks call for each call of a watched site. Inlined into another function
// it would have literals in which nothing is inlined any more.
//
//go:noinline
func (b *Board) monitor() rt.Monitor {
	return rt.Monitor{
		Enter: func(site uint32, from *rt.Event) unsafe.Pointer {
			list := *b.watches.Load()
			if int(site) >= len(list) {
				return nil
			}
			w := list[site].Load()
			if w == nil {
				return nil // switched off a moment ago
			}
			hidden := b.hidden.Load()
			for _, s := range w.seats {
				if s.direct != nil {
					s.enter(w.fn, from, hidden)
					continue
				}
				e := eventOf(from)
				e.begin(Enter, w.fn, hidden)
				s.tell(e)
			}
			return unsafe.Pointer(w)
		},
		Exit: func(call unsafe.Pointer, from *rt.Event, returned bool) {
			w, hidden := (*watch)(call), b.hidden.Load()
			for i := len(w.seats) - 1; i >= 0; i-- { // the last one first
				s := w.seats[i]
				if s.direct != nil {
					s.exit(w.fn, from, hidden)
					continue
				}
				e := eventOf(from)
				e.begin(Exit, w.fn, hidden)
				e.Returned = returned
				s.tell(e)
			}
		},
		Panic: func(call unsafe.Pointer, from *rt.Event, value any, goexit bool) {
			w, e := (*watch)(call), eventOf(from)
			e.begin(Panic, w.fn, b.hidden.Load())
			switch {
			case goexit:
				e.Kind = Goexit
			case !e.hidden:
				e.Value = value
			}
			w.tell(e)
			e.Value = nil
		},
		Info: b.info,
	}
}

func (b *Board) info(call unsafe.Pointer, from *rt.Event, site uint32, callers []string) bool {
	f, ok := (*b.markers.Load())[site]
	if !ok {
		return false
	}
	last := len(callers) - 1
	w := (*watch)(call)
	if w == nil { // its function has started this goroutine, and may have returned
		if w = b.watchOf(callers[last]); w == nil {
			return false
		}
	}
	if callers[last] != w.fn.Name || last > 0 && !standsIn(callers[0], w.fn.Name) {
		return false
	}
	e := eventOf(from)
	e.begin(Marker, f, b.hidden.Load())
	e.Caller, e.Point = w.fn, f.Point
	w.tell(e)
	e.Caller, e.Point = nil, function.NoPoint
	return true
}

// standsIn reports whether a function literal stands in a function, by their names. One ends as in
// F.func1, F.func1.2 and F-range1; where F was inlined into G, it is G.F.func1.
func standsIn(literal, function string) bool {
	_, local, _ := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	for outer := literal; ; {
		name := strings.TrimRight(outer, "0123456789")
		cut := name
		for _, ending := range []string{".func", "-range", "."} {
			if cut = strings.TrimSuffix(name, ending); cut != name {
				break
			}
		}
		if len(name) == len(outer) || len(cut) == len(name) {
			return false
		}
		if outer = cut; outer == function || strings.HasSuffix(outer, "."+local) {
			return true
		}
	}
}
