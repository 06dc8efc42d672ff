package diff

import (
	"fmt"
)

// least is the share of all self time that a function must have, on one side, for its time to be
// judged by Over.
const least = 0.01

// Over returns the functions whose calls or self time have risen by more than Options.Limit, in the
// order of Functions. A function that the old program lacks is not among them. What it costs is in
// its callers' calls and times, or in nothing that there was before.
//
// Of n times that are noise, n times Alpha pass for changes. So that Over is wrong about any of them
// with no more than that probability, it wants a P of Alpha/n. note says if there are too few
// samples for that.
func (d *Diff) Over() (list []*Excess, note string) {
	judged := func(f *Function) bool {
		return f.Self.Verdict != Partial && float64(max(f.Self.Before, f.Self.After)) >= least*float64(d.self) && f.Self.Verdict != Same
	}
	n := 0
	for _, f := range d.Functions {
		if judged(f) {
			n++
		}
		if f.Calls.Verdict != Same && f.Calls.P > 0 {
			n++
		}
	}
	alpha := d.Alpha / float64(max(n, 1))
	for _, f := range d.Functions {
		if f.New() {
			continue
		}
		if f.Calls.above(d.Limit, alpha) {
			list = append(list, &Excess{f, "calls", &f.Calls})
		} else if judged(f) && f.Self.above(d.Limit, alpha) {
			list = append(list, &Excess{f, "self time", &f.Self})
		}
	}
	old, new := len(d.sides[Before].recordings), len(d.sides[After].recordings)
	if n > 0 && smallest(old, new) > alpha {
		need := 2
		for smallest(need, need) > alpha {
			need++
		}
		note = fmt.Sprintf("times not judged: to tell a change of %d numbers from noise takes %d recordings on each side", n, need)
	}
	return list, note
}

// An Excess is a number that has risen by more than it may.
type Excess struct {
	Function *Function
	What     string
	*Change
}

// above reports whether a number has risen by more than a share, and noise does so with at most the
// probability alpha.
func (c *Change) above(limit, alpha float64) bool {
	return c.Verdict == Changed && c.P <= alpha && float64(c.After) > float64(c.Before)*(1+limit)
}
