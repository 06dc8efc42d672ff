package trace

import (
	"time"

	"github.com/waymark-go/waymark/internal/program/gather"
)

// An Action is the beginning or the end of a call.
type Action struct {
	Kind      ActionKind
	Time      time.Time
	Func      *Func
	Goroutine uint64
}

// An ActionKind says what a call does.
type ActionKind uint8

const (
	ActionStart     ActionKind = iota // it begins
	ActionEnd                         // it ends
	ActionException                   // a panic ends it
)

// String returns START, END or EXCEPTION.
func (k ActionKind) String() string {
	switch k {
	case ActionStart:
		return "START"
	case ActionEnd:
		return "END"
	}
	return "EXCEPTION"
}

// Actions returns what happened in the trace: first on the goroutine of the root call in the order
// of time, then on each further goroutine.
func (t *Trace) Actions() []Action {
	list := make([]Action, 0, 2*t.Calls)
	for i := range t.strands {
		t.actions(&t.strands[i], func(a Action) { list = append(list, a) })
	}
	return list
}

// actions calls add for each action of a goroutine.
func (t *Trace) actions(s *gather.Strand, add func(Action)) {
	walk(s, func(ev *gather.Event) {
		add(Action{ActionStart, t.Start.Add(ev.At), ev.Func, s.Goroutine})
	}, func(ev *gather.Event, how outcome) {
		kind := ActionEnd
		if how.panicked && !how.recovered {
			kind = ActionException
		}
		add(Action{kind, t.Start.Add(ev.At), ev.Func, s.Goroutine})
	})
}
