package recorder

import (
	"strings"

	"github.com/waymark-go/waymark/internal/cputime"
	"github.com/waymark-go/waymark/internal/format"
)

// binary notes whose tests the program runs.
func (r *Recorder) binary(importPath string) {
	r.note(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaTests, Value: importPath}}), func() {})
}

// test notes what happens to a test.
func (r *Recorder) test(state uint8, name, text string, goroutine, clock uint64) {
	if len(text) > format.MaxTestText {
		text = strings.ToValidUTF8(text[:format.MaxTestText], "")
	}
	switch format.TestState(state) {
	case format.TestLogs, format.TestErrs:
	default:
		r.turnOfTest(format.TestState(state), clock)
	}
	r.note(format.BlockTests, format.AppendTests(nil, []format.TestEvent{
		{Clock: clock, Goroutine: goroutine, State: format.TestState(state), Name: name, Text: text}}), func() {
		if r.giver != nil {
			r.giver.test(format.TestState(state), name, clock)
		}
	})
}

// turnOfTest tells the budget that a test begins, ends, or waits: what is counted from now on belongs
// to others, and a test that begins is recorded in full.
func (r *Recorder) turnOfTest(state format.TestState, clock uint64) {
	if r.governor == nil {
		return
	}
	watch := cputime.Begin()
	r.locked(func() {
		if !r.closed && r.governor.counted > 0 { // it reads the counters of all functions
			r.noteCounts(clock, nil)
		}
	})
	if state == format.TestBegins {
		r.fresh()
	}
	if ns, ok := watch.End(); ok {
		r.working(func() { r.governor.deciding += ns })
	}
}
