package switchboard

import (
	"maps"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A watch is what calls of a site are told to.
type watch struct {
	fn      *function.Func
	seats   []*seat
	filters [][]*condition.Filter // by seat: one must accept the call; nil: all calls. nil if no seat has some
	sole    *condition.Filter     // the only one, of the only seat, if it decides where the call begins
	passer  Passer                // the only observer, if it is one
	direct  bool                  // a seat is told without an Event
	call    call                  // of all calls that all seats are told of
}

// A call is one in progress, and whom it is told to.
type call struct {
	of    *watch
	seats []*seat
	late  *late // of a call that seats may be told of when it ends
	own   bool  // it is this call's alone, see newCall
}

func newWatch(f *function.Func, seats []*seat, filters [][]*condition.Filter) *watch {
	w := &watch{fn: f, seats: seats, filters: filters}
	w.direct = slices.ContainsFunc(seats, func(s *seat) bool { return s.direct != nil })
	w.call = call{of: w, seats: seats}
	if len(seats) == 1 {
		w.passer, _ = seats[0].observer.(Passer)
		if len(filters) == 1 && len(filters[0]) == 1 && filters[0][0].AtEnter() {
			w.sole = filters[0][0]
		}
	}
	return w
}

// passes reports whether nothing is to be told of a call, as the only observer says.
func (w *watch) passes() bool { return w.passer != nil && w.passer.Passes() }

// tell tells an event to all observers, in the order of their wishes.
func (c *call) tell(e *Event) {
	for _, s := range c.seats {
		s.tell(e)
	}
}

// values returns the values for the seats that are told without an Event: the same for all.
func (w *watch) values(from *rt.Event, hidden bool) []any {
	if !w.direct || hidden {
		return nil
	}
	return from.Values()
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
		return b.watchAt(id)
	}
	return nil
}

// watchAt returns what calls of a site are told to, nil if they are not.
func (b *Board) watchAt(id uint32) *watch {
	if list := *b.watches.Load(); int(id) < len(list) {
		return list[id].Load()
	}
	return nil
}

// monitor returns what the hooks call for each call of a watched site. Inlined into another function
// it would have literals in which nothing is inlined any more.
//
//go:noinline
func (b *Board) monitor() rt.Monitor {
	return rt.Monitor{
		Pass: func(site uint32) bool {
			w := b.watchAt(site)
			return w != nil && w.filters == nil && w.passes()
		},
		Enter: func(site uint32, from *rt.Event, v unsafe.Pointer) unsafe.Pointer {
			w := b.watchAt(site)
			if w == nil {
				return nil // switched off a moment ago
			}
			c := &w.call
			if w.sole != nil {
				if b.hidden.Load() && w.sole.Values() || !w.sole.Accepts(condition.Values{Event: from, At: v}) {
					return nil
				}
				if w.passes() {
					return nil
				}
				from.Take(v)
			} else if w.filters != nil {
				if c = b.filter(w, from, v); c == nil {
					return nil
				}
			} else if w.passes() {
				return nil
			} else {
				from.Take(v)
			}
			hidden := b.hidden.Load()
			args := w.values(from, hidden)
			for _, s := range c.seats {
				if s.direct != nil {
					s.enter(w.fn.ID, args)
					continue
				}
				e := eventOf(from)
				e.begin(Enter, w.fn, hidden)
				s.tell(e)
			}
			return unsafe.Pointer(c)
		},
		Exit: func(ended unsafe.Pointer, from *rt.Event, v unsafe.Pointer, returned bool) {
			c, hidden := (*call)(ended), b.hidden.Load()
			w := c.of
			if c.own {
				b.decide(c, from, v, returned)
			}
			if len(c.seats) > 0 {
				from.Take(v)
			}
			results := w.values(from, hidden)
			for i := len(c.seats) - 1; i >= 0; i-- { // the last one first
				s := c.seats[i]
				if s.direct != nil {
					s.exit(w.fn.ID, results)
					continue
				}
				e := eventOf(from)
				e.begin(Exit, w.fn, hidden)
				e.Returned = returned
				s.tell(e)
			}
			if c.own {
				c.free()
			}
		},
		Panic: func(in unsafe.Pointer, from *rt.Event, value any, goexit bool) {
			c, e := (*call)(in), eventOf(from)
			e.begin(Panic, c.of.fn, b.hidden.Load())
			switch {
			case goexit:
				e.Kind = Goexit
			case !e.hidden:
				e.Value = value
			}
			if c.late != nil {
				c.late.panic(e)
			}
			c.tell(e)
			e.Value = nil
		},
		Info: b.info,
	}
}

func (b *Board) info(in unsafe.Pointer, from *rt.Event, site uint32, callers []string) bool {
	f, ok := (*b.markers.Load())[site]
	if !ok {
		return false
	}
	last := len(callers) - 1
	c := (*call)(in)
	if c == nil { // its function has started this goroutine, and may have returned
		w := b.watchOf(callers[last])
		if w == nil {
			return false
		}
		c = w.unfiltered()
	}
	w := c.of
	if callers[last] != w.fn.Name || last > 0 && !standsIn(callers[0], w.fn.Name) {
		return false
	}
	e := eventOf(from)
	e.begin(Marker, f, b.hidden.Load())
	e.Caller, e.Point = w.fn, f.Point
	c.tell(e)
	e.Caller, e.Point = nil, function.NoPoint
	return true
}
