package condition

import (
	"fmt"
	"sync/atomic"
)

// A Function is what a filter needs to know of the function whose calls it decides on.
type Function struct {
	Name          string
	Args, Results []string // names; _: it has none
	Line          bool     // it is a line, and Args are its variables
	ArgTypes      []string // see Fits
	ResultTypes   []string
	Secret        func(name string) bool // see Shape

	// Report, if there is one, is called once, when the condition turns out to be no condition on
	// calls of the function.
	Report func(err error)

	// Rejected, if it is not nil, counts calls that are rejected where they begin.
	Rejected *atomic.Uint64
}

// A Filter decides on the calls of a function. Its methods may be called by several goroutines.
type Filter struct {
	program  *Program
	function Function
	enter    bounds
	slots    []bounds
	exit     bounds
	left     bounds // Exit for calls that have no results, as a panic or Goexit has left them
	reported atomic.Bool
	values   bool
}

// mostBounds is how many combinations of types a code is bound to. Calls with others are rejected.
const mostBounds = 16

// bounds are a code, bound to the types that were seen.
type bounds struct {
	first atomic.Pointer[Bound]
	n     atomic.Int32
}

// NewFilter makes a filter.
func NewFilter(p *Program, f Function) *Filter {
	args, results := p.Reads()
	return &Filter{program: p, function: f, slots: make([]bounds, len(p.Slots)), values: args || results}
}

// AtEnter reports whether a call is accepted or rejected where it begins.
func (f *Filter) AtEnter() bool { return f.program.AtEnter() }

// Values reports whether arguments or results are read.
func (f *Filter) Values() bool { return f.values }

// Enter reports whether a call with these arguments may be accepted: it is, if the program says
// AtEnter. Else slots are for the facts that Exit wants.
func (f *Filter) Enter(args Values) (slots uint64, ok bool) {
	p := f.program
	if len(p.Enter) > 0 && f.test(&f.enter, p.Enter, f.function.Args, args, Facts{}) != True {
		return 0, false
	}
	for i, c := range p.Slots {
		switch f.test(&f.slots[i], c, f.function.Args, args, Facts{}) {
		case True:
			slots |= 1 << i
		case Refused:
			slots |= 1 << (i + slotRefused)
		}
	}
	return slots, true
}

// Accepts is Enter of a filter that decides where the call begins.
func (f *Filter) Accepts(args Values) bool {
	ok := f.accepts(args)
	if !ok && f.function.Rejected != nil {
		f.function.Rejected.Add(1)
	}
	return ok
}

func (f *Filter) accepts(args Values) bool {
	if b := f.enter.first.Load(); b != nil {
		if o := b.Test(args, Facts{}); o != Other {
			return f.decided(b, o) == True
		}
	}
	return len(f.program.Enter) == 0 || f.test(&f.enter, f.program.Enter, f.function.Args, args, Facts{}) == True
}

// Exit reports whether a call is accepted that has returned these results, or else has none.
func (f *Filter) Exit(results Values, facts Facts, returned bool) bool {
	if f.program.AtEnter() {
		return true
	}
	list := &f.exit
	if !returned {
		list = &f.left
	}
	return f.test(list, f.program.Exit, f.function.Results, results, facts) == True
}

// test evaluates a code, which it binds if the values have types that were not seen.
func (f *Filter) test(list *bounds, c Code, names []string, v Values, facts Facts) Outcome {
	for b := list.first.Load(); b != nil; b = b.Next {
		if o := b.Test(v, facts); o != Other {
			return f.decided(b, o)
		}
	}
	return f.bind(list, c, names, v, facts)
}

func (f *Filter) bind(list *bounds, c Code, names []string, v Values, facts Facts) Outcome {
	if list.n.Load() >= mostBounds {
		f.report(fmt.Errorf("values have more than %d combinations of types; calls with others are rejected", mostBounds))
		return Refused
	}
	types, places := v.types()
	b := c.Bind(Shape{Names: names, Types: types, Places: places, Absent: list == &f.left, Secret: f.function.Secret})
	for {
		b.Next = list.first.Load()
		if list.first.CompareAndSwap(b.Next, b) {
			list.n.Add(1)
			return f.decided(b, b.Test(v, facts))
		}
	}
}

// decided returns the outcome of b. It reports why b refuses a call that it can't be evaluated for.
func (f *Filter) decided(b *Bound, o Outcome) Outcome {
	if o == Refused && b.Err != nil {
		f.report(b.Err)
	}
	return o
}

func (f *Filter) report(err error) {
	if f.function.Report != nil && !f.reported.Swap(true) {
		f.function.Report(fmt.Errorf("condition %s: %s: %w", f.program.Text, f.function.Name, err))
	}
}
