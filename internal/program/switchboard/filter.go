package switchboard

import (
	"sync"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// Observers with conditions. A condition is decided where the call begins if it reads arguments only:
// of a call that is rejected nobody asks for the end. Else it is decided where the call ends. The
// observer is told of the beginning then, too, with the arguments that the call began with, and of the
// last panic. Info functions that such a call calls are not told.

// late is what is kept of a call that seats may be told of when it ends.
type late struct {
	began    time.Duration // since epoch
	args     []any
	waiting  []waiting
	panicked bool
	event    Event // of the last panic or Goexit; its kind is Enter if there was none
}

// waiting is a seat that a filter may accept at the call's end.
type waiting struct {
	seat   *seat
	filter *condition.Filter
	slots  uint64
}

var epoch = time.Now()

var calls = sync.Pool{New: func() any { return &call{own: true} }}

// newCall returns c, or a call of w without seats if c is nil.
func newCall(c *call, w *watch) *call {
	if c == nil {
		c = calls.Get().(*call)
		c.of = w
	}
	return c
}

// free makes c ready for another call.
func (c *call) free() {
	c.of = nil
	clear(c.seats)
	c.seats = c.seats[:0]
	if l := c.late; l != nil {
		clear(l.waiting)
		*l = late{waiting: l.waiting[:0]}
	}
	calls.Put(c)
}

// filter takes the arguments, and returns the call with the seats that accept it, and those that
// may when it ends. It returns nil if there are none.
func (b *Board) filter(w *watch, from *rt.Event, v unsafe.Pointer) *call {
	values := condition.Values{Event: from, At: v}
	hidden := b.hidden.Load()
	var c *call
	for i, s := range w.seats {
		accepted, before := w.filters[i] == nil, 0
		if c != nil {
			before = c.waits()
		}
		for _, f := range w.filters[i] {
			if hidden && f.Values() {
				continue
			}
			slots, ok := f.Enter(values)
			if !ok {
				continue
			}
			if f.AtEnter() {
				accepted = true
				break
			}
			c = newCall(c, w)
			if c.late == nil {
				c.late = new(late)
			}
			c.late.waiting = append(c.late.waiting, waiting{s, f, slots})
		}
		if accepted {
			c = newCall(c, w)
			c.seats = append(c.seats, s)
			if c.late != nil {
				c.late.waiting = c.late.waiting[:before]
			}
		}
	}
	if c == nil {
		return nil
	}
	from.Take(v)
	switch {
	case c.waits() > 0:
		c.late.args = from.Values()
		c.late.began = time.Since(epoch)
	case len(c.seats) == len(w.seats):
		c.free()
		return &w.call
	}
	return c
}

// waits returns the number of filters that wait for the end of the call.
func (c *call) waits() int {
	if c.late == nil {
		return 0
	}
	return len(c.late.waiting)
}

// panic notes a panic or Goexit.
func (l *late) panic(e *Event) {
	l.panicked = l.panicked || e.Kind == Panic
	l.event = *e
}

// decide decides for the seats that wait, where the call ends. It tells those that accept the call
// what they would have been told, and adds them to the call's seats.
func (b *Board) decide(c *call, from *rt.Event, v unsafe.Pointer, returned bool) {
	if c.waits() == 0 {
		return
	}
	l, hidden := c.late, b.hidden.Load()
	took := time.Since(epoch) - l.began
	if rt.Enabled {
		took -= time.Duration(rt.Late())
	}
	panicked := l.panicked || !returned && l.event.Kind != Goexit
	var accepted *seat
	for i := range l.waiting {
		t := &l.waiting[i]
		if t.seat == accepted || hidden && t.filter.Values() {
			continue
		}
		facts := condition.Facts{Duration: int64(took), Panicked: panicked, Slots: t.slots}
		if !t.filter.Exit(condition.Values{Event: from, At: v}, facts, returned) {
			continue
		}
		accepted = t.seat
		c.seats = append(c.seats, t.seat)
		b.catchUp(c, t.seat, from, took)
	}
}

// catchUp tells a seat that the call began, and of its panic.
func (b *Board) catchUp(c *call, s *seat, from *rt.Event, took time.Duration) {
	l, hidden := c.late, b.hidden.Load()
	e := Event{from: from}
	e.begin(Enter, c.of.fn, hidden)
	e.from, e.list, e.ago = nil, l.args, took
	if s.direct == nil {
		s.tell(&e)
	} else if hidden {
		s.enter(c.of.fn.ID, nil)
	} else {
		s.enter(c.of.fn.ID, l.args)
	}
	if l.event.Kind == Panic || l.event.Kind == Goexit {
		e := l.event
		if e.hidden = hidden; hidden {
			e.Value = nil
		}
		s.tell(&e)
	}
}

// unfiltered returns the call for the seats that are told of all calls.
func (w *watch) unfiltered() *call {
	if w.filters == nil {
		return &w.call
	}
	c := &call{of: w}
	for i, s := range w.seats {
		if w.filters[i] == nil {
			c.seats = append(c.seats, s)
		}
	}
	return c
}

// Secret reports whether values of fields of that name are not to be seen, by conditions neither. The
// agent sets it.
var Secret = func(name string) bool { return false }

// PanicValues reports whether the program was built so that values are seen. Else those of panics
// aren't, either, by whoever looks into the program.
var PanicValues = func() bool { return true }

// filter returns the filters of the wish of the i-th function of t, nil if it wants all calls.
func (w *wish) filter(t *Table, i int) []*condition.Filter {
	if w.Condition == nil {
		return nil
	}
	id := t.Base + uint32(i)
	f := w.filters[id]
	if f == nil {
		function := t.function(i)
		function.Rejected = w.Rejected
		if function.Report = w.Report; w.Report == nil {
			function.Report = func(err error) { console.Say("%v; such calls are rejected", err) }
		}
		f = condition.NewFilter(w.Condition, *function)
		w.filters[id] = f
	}
	return []*condition.Filter{f}
}

// function returns what a condition needs to know of the i-th function.
func (t *Table) function(i int) *condition.Function {
	s := t.site(i)
	return &condition.Function{Name: t.Funcs()[i].Name, Secret: Secret,
		Args: s.Args, Results: s.Results, ArgTypes: s.ArgTypes, ResultTypes: s.ResultTypes}
}

// A Misfit is a function for whose calls a condition can't hold.
type Misfit struct {
	Function string
	Why      error
}

// Misfits returns the selected functions for whose calls the condition can't hold, as far as that
// is known before they are called. all is the number of selected functions.
func (b *Board) Misfits(s Selection, only *condition.Program) (list []Misfit, all int) {
	b.list()
	defer b.lock().unlock()
	for _, t := range b.tables {
		b.load(t)
		for i, f := range t.Funcs() {
			if f.Marker || !s.has(f) {
				continue
			}
			all++
			if err := only.Fits(t.function(i)); err != nil {
				list = append(list, Misfit{f.Name, err})
			}
		}
	}
	return list, all
}
