package testtrace

import (
	"slices"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A Recording is that of a test binary.
type Recording struct {
	Package string  // import path of what the go command tested; "" if it did not run the binary
	Tests   []*Test // in the order in which they began

	file   *tracefile.File
	starts map[uint64]start   // by goroutine
	runs   map[uint64][]*Test // tests by their own goroutine, in the order of time
	owners map[uint64]*Test   // of goroutines in starts; nil: none
	// Goroutines of which can't be told which test they belong to, among those asked for.
	ambiguous int
	visited   map[uint64]bool // goroutines in owners, or about to be
}

// A start is where a goroutine comes from.
type start struct{ parent, clock uint64 }

// Read finds out which goroutines belong to which test. Errors are the operating
// system's, or format.ErrDamaged: then the result is of what could be read.
func Read(file *tracefile.File) (*Recording, error) {
	r := &Recording{
		Package: file.Meta(format.MetaTests),
		Tests:   tests(file.Tests()),
		file:    file,
		starts:  make(map[uint64]start),
		runs:    make(map[uint64][]*Test),
		owners:  make(map[uint64]*Test),
		visited: make(map[uint64]bool),
	}
	for _, t := range r.Tests {
		r.runs[t.Goroutine] = append(r.runs[t.Goroutine], t)
	}
	// All of them come first: a goroutine may be heard of before its parent.
	var ev format.Event
	events := file.Events()
	for events.Next(&ev) {
		if ev.Kind == format.Start {
			r.starts[ev.Goroutine] = start{ev.Value, ev.Clock}
		}
	}
	return r, events.Err()
}

// TestAt gives the test that a goroutine's event at the given clock belongs to, nil
// if it belongs to none.
func (r *Recording) TestAt(goroutine, clock uint64) *Test {
	if runs := r.runs[goroutine]; runs != nil {
		return runAt(runs, clock)
	}
	if t := r.owner(goroutine); t != nil && clock <= t.End {
		return t
	}
	return nil
}

// runAt gives the test that runs at the given clock. Examples run one after the other
// on one goroutine, and so there are gaps.
func runAt(runs []*Test, clock uint64) *Test {
	for _, t := range slices.Backward(runs) {
		if t.Begin <= clock {
			if clock <= t.End {
				return t
			}
			break
		}
	}
	return nil
}

// main is the goroutine that package testing and examples run on.
const main = 1

// owner gives the test that a goroutine belongs to which isn't a test's own.
func (r *Recording) owner(goroutine uint64) *Test {
	if r.visited[goroutine] {
		return r.owners[goroutine]
	}
	r.visited[goroutine] = true // also against circles, which a damaged file may have
	s, ok := r.starts[goroutine]
	if !ok || goroutine == main {
		return nil
	}
	var t *Test
	switch runs := r.runs[s.parent]; {
	case runs != nil:
		t = runAt(runs, s.clock)
	case s.parent == main:
	default:
		if _, ok := r.starts[s.parent]; ok {
			t = r.owner(s.parent)
		} else if t, ok = r.only(s.clock); !ok {
			r.ambiguous++
		}
	}
	r.owners[goroutine] = t
	return t
}

// only gives the test that runs at the given clock; it is not ok if there are several.
// A test with running subtests waits for them, so that it doesn't count.
func (r *Recording) only(clock uint64) (only *Test, ok bool) {
	waits := make(map[*Test]bool)
	var running []*Test
	for _, t := range r.Tests {
		if t.runs(clock) {
			running = append(running, t)
			waits[t.parent] = true
		}
	}
	for _, t := range running {
		if !waits[t] {
			if only != nil {
				return nil, false
			}
			only = t
		}
	}
	return only, true
}

// Failed gives the tests that failed. A test that didn't end failed too, unless the
// program died of a panic in another one.
func (r *Recording) Failed() []*Test {
	panicked := slices.ContainsFunc(r.Tests, func(t *Test) bool { return t.Outcome == Panicked })
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t *Test) bool {
		return t.Outcome != Failed && t.Outcome != Panicked && (t.Outcome != Unended || panicked)
	})
}

// Named gives the tests with a name, and their subtests.
func (r *Recording) Named(name string) []*Test {
	var named []*Test
	for _, t := range r.Tests {
		for up := t; up != nil; up = up.parent {
			if up.Name == name {
				named = append(named, t)
				break
			}
		}
	}
	return named
}
