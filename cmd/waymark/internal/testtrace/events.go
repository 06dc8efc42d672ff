package testtrace

import (
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// Events gives the events of some tests of a recording. It is a calltree.Source.
type Events struct {
	r      *Recording
	events *tracefile.Events
	keep   map[*Test]bool
	test   *Test
}

// Events gives the events of those tests.
func (r *Recording) Events(tests []*Test) *Events {
	e := &Events{r: r, events: r.file.Events(), keep: make(map[*Test]bool)}
	for _, t := range tests {
		e.keep[t] = true
	}
	return e
}

// Next gives the next event, and tells whether there is one.
func (e *Events) Next(ev *format.Event) bool {
	for e.events.Next(ev) {
		if ev.Kind == format.Go {
			continue
		}
		if e.test = e.r.TestAt(ev.Goroutine, ev.Clock); e.test != nil && e.keep[e.test] {
			return true
		}
	}
	return false
}

// Test gives the test of the event that Next gave.
func (e *Events) Test() *Test { return e.test }

// Err gives the error that ended the events.
func (e *Events) Err() error { return e.events.Err() }
