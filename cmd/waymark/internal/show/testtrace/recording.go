package testtrace

import (
	"slices"
	"sort"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A Recording is the recording of a test binary.
type Recording struct {
	Package string  // import path of what the go command tested; "" if it did not run the binary
	Tests   []*Test // in the order in which they began

	file   *tracefile.File
	starts map[uint64]start   // by goroutine
	runs   map[uint64][]*Test // tests by their own goroutine, in the order of time
	owners map[uint64]*Test   // of goroutines in starts that were asked for; nil is none
	time   timeline
	gaps   map[uint64][]tracefile.Gap // by the begin of the test

	// Goroutines of which can't be told which test they belong to, among those asked for.
	ambiguous int

	masked bool // a value that was printed
}

// A start is where a goroutine comes from.
type start struct{ parent, clock uint64 }

// Open lists the tests of a recording, without reading its events.
func Open(file *tracefile.File) *Recording {
	r := &Recording{
		Package: file.Meta(format.MetaTests),
		Tests:   tests(file.Tests()),
		file:    file,
		gaps:    make(map[uint64][]tracefile.Gap),
		starts:  make(map[uint64]start),
		runs:    make(map[uint64][]*Test),
		owners:  make(map[uint64]*Test),
	}
	r.time = newTimeline(r.Tests)
	for _, g := range file.Gaps() {
		r.gaps[g.Test] = append(r.gaps[g.Test], g)
	}
	for _, t := range r.Tests {
		r.runs[t.Goroutine] = append(r.runs[t.Goroutine], t)
	}
	return r
}

// Read finds out which goroutines belong to which test. Call it before TestAt and Print. Errors are
// the operating system's, or tracefile.ErrDamaged: then unreadable parts are left out.
func (r *Recording) Read() error {
	// All of them come first: a goroutine may be heard of before its parent.
	return r.file.Starts(func(ev *tracefile.Event) {
		if old, ok := r.starts[ev.Goroutine]; !ok || ev.Clock >= old.clock {
			r.starts[ev.Goroutine] = start{ev.Value, ev.Clock}
		}
	})
}

// TestAt returns the test that a goroutine's event at the given clock belongs to, nil
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

// runAt returns the test that runs at the given clock. Examples run one after the other
// on one goroutine, and so there are gaps.
func runAt(runs []*Test, clock uint64) *Test {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].Begin > clock })
	if i == 0 || clock > runs[i-1].End {
		return nil
	}
	return runs[i-1]
}

// main is the goroutine that package testing and examples run on.
const main = 1

// owner returns the test that a goroutine belongs to which isn't a test's own. That is the test of
// the nearest goroutine that started it, directly or not, and whose test is known.
func (r *Recording) owner(goroutine uint64) *Test {
	var t *Test
	var line []uint64 // of descent, to which the answer applies
	for g := goroutine; ; {
		if _, known := r.owners[g]; known {
			t = r.owners[g]
			break
		}
		s, ok := r.starts[g]
		if !ok || g == main {
			break
		}
		r.owners[g] = nil // also against circles, which a damaged file may have
		line = append(line, g)
		if runs := r.runs[s.parent]; runs != nil {
			t = runAt(runs, s.clock)
			break
		}
		if _, ok := r.starts[s.parent]; !ok && s.parent != main {
			if t, ok = r.time.at(s.clock); !ok {
				r.ambiguous++
			}
			break
		}
		g = s.parent
	}
	for _, g := range line {
		r.owners[g] = t
	}
	return t
}

// Failed returns the tests that failed. A test that didn't end failed too, unless the
// program died of a panic in another one.
func (r *Recording) Failed() []*Test {
	panicked := slices.ContainsFunc(r.Tests, func(t *Test) bool { return t.Outcome == Panicked })
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t *Test) bool {
		return t.Outcome != Failed && t.Outcome != Panicked && (t.Outcome != Unended || panicked)
	})
}

// Took returns how long a test ran, without waiting for its turn.
func (r *Recording) Took(t *Test) time.Duration {
	return time.Duration(recording.ScaleOf(r.file).Nanoseconds(t.ticks(recording.EndOf(r.file))))
}

// Named returns the tests with a name, and their subtests.
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
