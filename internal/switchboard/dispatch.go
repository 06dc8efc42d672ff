package switchboard

import (
	"maps"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/rt"
)

// A watch is what calls of a site are told to.
type watch struct {
	fn     *function.Func
	seats  []*seat
	direct bool // a seat is told without an Event
}

// tell tells an event to all observers, in the order of their wishes.
func (w *watch) tell(e *Event) {
	for _, s := range w.seats {
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
			args := w.values(from, hidden)
			for _, s := range w.seats {
				if s.direct != nil {
					s.enter(w.fn.ID, args)
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
			results := w.values(from, hidden)
			for i := len(w.seats) - 1; i >= 0; i-- { // the last one first
				s := w.seats[i]
				if s.direct != nil {
					s.exit(w.fn.ID, results)
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
