package calltree

import (
	"errors"
	"fmt"
)

// Validate checks what holds for the result of a complete recording: every enter
// has its exit, time does not go back, and the sums agree. It is for tests; the
// sums per goroutine are checked if Options.Goroutines was set.
func (r *Result) Validate() error {
	var errs []error
	if r.Problems != (Problems{}) {
		errs = append(errs, fmt.Errorf("%+v", r.Problems))
	}
	var calls, self uint64
	for _, row := range r.Rows {
		calls += row.Calls
		self += row.Self
		if row.Total > row.Sum || row.Self > row.Sum || row.Min > row.Max ||
			row.Sum < row.Min*row.Calls || row.Sum > row.Max*row.Calls {
			errs = append(errs, fmt.Errorf("row in contradiction with itself: %+v", row))
		}
	}
	if calls != r.Calls {
		errs = append(errs, fmt.Errorf("%d calls, but %d in the rows", r.Calls, calls))
	}
	if r.Goroutines == nil {
		return errors.Join(errs...)
	}
	for _, g := range r.Goroutines {
		if g.Self != g.Total {
			errs = append(errs, fmt.Errorf("goroutine %d: the self times of its calls are %d ticks, its root calls last %d", g.ID, g.Self, g.Total))
		}
		calls -= g.Calls
		self -= g.Self
	}
	if calls != 0 || self != 0 {
		errs = append(errs, fmt.Errorf("rows have %d calls and %d ticks more than the goroutines", int64(calls), int64(self)))
	}
	return errors.Join(errs...)
}
