package recording

import (
	"fmt"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A Filter chooses the calls of recordings that are read, counted and shown. The zero value leaves
// nothing out.
type Filter struct {
	// What is read: that time, and these goroutines. Numbers are of what happened there.
	From, To  time.Duration          // since the start of the first recording; To 0 is no end
	Goroutine func(GoroutineID) bool // nil is all; asked about each, by one goroutine at a time

	// The account. Calls that are left out of it count as part of their callers, as if
	// their functions had not been instrumented. See package calltree.
	Account  func(*function.Func) bool // of these functions only, unless nil
	Shortest time.Duration             // without calls that are shorter

	// What is shown: rows of tables, or calls in Follow. Their numbers don't depend on it.
	Show    func(*function.Func) bool // these functions only, unless nil
	Min     time.Duration             // rows with at least that total, calls that take as long
	Depth   int                       // what has fewer callers; 0 is no limit
	Root    func(*function.Func) bool // of a tree, in Follow: functions with callees, unless nil
	Callers func(*function.Func) bool // of a tree, in Follow: functions with callers, unless nil

	If *recorded.Condition // calls for which it holds, unless nil: in Follow, and in reports

	// Prepare, if not nil, is called with the recordings before any of the other functions. It may
	// be called again.
	Prepare func(*tracefile.Set) error
}

// Check reports whether the time window has a part in the recordings, and calls Prepare.
func (f *Filter) Check(set *tracefile.Set) error {
	if d := set.Duration(); f.From > 0 && f.From >= d {
		return fmt.Errorf("--time: begins at %s, but the recording ends at %s: choose an earlier beginning", units.Duration(int64(f.From)), units.Duration(int64(d)))
	}
	if f.Prepare != nil {
		return f.Prepare(set)
	}
	return nil
}

// Options returns what is read and accounted for, in terms of the clock and the sites of p.
func (f *Filter) Options(p *Process) calltree.Options {
	o := calltree.Options{Min: p.Scale.TicksOf(int64(f.Shortest)), Keep: p.Matcher(f.Account)}
	if f.Goroutine != nil {
		o.Goroutine = func(id uint64) bool { return f.Goroutine(GoroutineID{p.Label, id}) }
	}
	if f.From > p.Since {
		o.From = p.File.ClockAt(f.From - p.Since)
	}
	if f.To > 0 {
		// What happened in that nanosecond is part of it. 0 would be no end.
		o.To = max(p.File.ClockAt(f.To-p.Since+1), 2) - 1
	}
	return o
}
