package testtrace

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// Events reads the events of some tests of a recording. It is a calltree.Source.
//
// When a test has ended, Events emits an End of its goroutine. Calls that t.FailNow or a panic
// ended have no exit, and package testing, which goes on there, isn't part of the test.
type Events struct {
	OnLog func(*Test, Log) // called with what the tests log, between events; may be nil

	r      *Recording
	events calltree.Source
	err    error
	keep   map[*Test]bool
	logs   []testLog       // to come, by their clocks
	ends   []*Test         // those that ended and have no End yet, by their ends
	held   tracefile.Event // the next event of the file that belongs to one of the tests
	owner  *Test           // of held; nil at the end
	given  bool            // held has been given: what its Data is in is used again with the next
	test   *Test           // of the event that Next gave
}

type testLog struct {
	test *Test
	Log
}

// Events returns the events of those tests. It reads the time in which one of them ran.
func (r *Recording) Events(tests []*Test) *Events {
	e := &Events{r: r, keep: make(map[*Test]bool), given: true}
	time := tracefile.Range{From: never}
	for _, t := range tests {
		e.keep[t] = true
		time.From, time.To = min(time.From, t.Begin), max(time.To, t.End)
		if t.End != never {
			e.ends = append(e.ends, t)
		}
		for _, l := range t.logs {
			e.logs = append(e.logs, testLog{t, l})
		}
	}
	e.events = r.file.EventsIn(time)
	if len(r.file.Gaps()) == 0 { // what is open in a gap is known of recorded calls only
		e.events, e.err = calltree.Unfold(r.file, time)
	}
	slices.SortStableFunc(e.logs, func(a, b testLog) int { return cmp.Compare(a.Clock, b.Clock) })
	slices.SortStableFunc(e.ends, func(a, b *Test) int { return cmp.Compare(a.End, b.End) })
	return e
}

// advance finds the next event of one of the tests.
func (e *Events) advance() {
	e.given = false
	for e.events.Next(&e.held) {
		if e.held.Kind != tracefile.Go {
			if e.owner = e.r.TestAt(e.held.Goroutine, e.held.Clock); e.keep[e.owner] {
				return
			}
		}
	}
	e.owner = nil
}

// Next returns the next event, and reports whether there is one. ev.Data is valid until
// the next call.
func (e *Events) Next(ev *tracefile.Event) bool {
	if e.given {
		e.advance()
	}
	if len(e.ends) > 0 && (e.owner == nil || e.ends[0].End < e.held.Clock) {
		e.test, e.ends = e.ends[0], e.ends[1:]
		*ev = tracefile.Event{Kind: tracefile.End, Clock: e.test.End, Goroutine: e.test.Goroutine}
		e.say(ev.Clock)
		return true
	}
	if e.owner == nil {
		e.say(never)
		return false
	}
	*ev, e.test, e.given = e.held, e.owner, true
	e.say(ev.Clock)
	return true
}

// say returns what was logged before the given clock.
func (e *Events) say(before uint64) {
	for len(e.logs) > 0 && e.logs[0].Clock < before {
		if e.OnLog != nil {
			e.OnLog(e.logs[0].test, e.logs[0].Log)
		}
		e.logs = e.logs[1:]
	}
}

// Test returns the test of the event that Next gave.
func (e *Events) Test() *Test { return e.test }

// Err returns the error that ended the events.
func (e *Events) Err() error { return cmp.Or(e.err, e.events.Err()) }
