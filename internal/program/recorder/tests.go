package recorder

import (
	"strings"

	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// binary notes whose tests the program runs.
func (r *Recorder) binary(importPath string) {
	r.note(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaTests, Value: importPath}}), func() {})
}

// test notes what happens to a test, on a goroutine that is muted. In a copy of the process (fork) it does
// nothing. Tens of thousands of tests a second may begin, on small stacks. So that these needn't grow, test
// has no closures and calls little.
func (r *Recorder) test(state uint8, name, text string, goroutine, clock uint64) {
	if !r.pid.Running() {
		return
	}
	if len(text) > format.MaxTestText {
		text = strings.ToValidUTF8(text[:format.MaxTestText], "")
	}
	t := format.TestEvent{Clock: clock, Goroutine: goroutine, State: format.TestState(state), Name: name, Text: text}
	if t.State != format.TestLogs && t.State != format.TestErrs {
		r.turnOfTest(t.State, name, clock)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.giver != nil {
		r.giver.test(t.State, name, clock)
	}
	if r.journaled(&t) {
		return
	}
	if r.journal != nil { // it is full, and what is in it comes first
		if r.save(); r.closed || r.journal.Add(&t) {
			return
		}
	}
	r.out.block(format.BlockTests, format.AppendTests(nil, []format.TestEvent{t}))
	r.save()
}

// journaled notes a test event in the journal, and reports whether it could. It can't where the
// arena would be lost with the process.
func (r *Recorder) journaled(t *format.TestEvent) bool {
	if r.journal == nil {
		i := r.usable
		if r.arena.path == "" || r.config.Overflow == rt.Ring || i >= r.arena.chunks() || r.arena.populate(i, 1) != nil {
			return false
		}
		r.journal = format.OpenJournal(r.arena.chunk(0), r.arena.chunk(i), i)
		r.usable++
	}
	return r.journal.Add(t)
}

// turnOfTest tells the budget that a test begins, ends, or waits. What is counted from now on
// belongs to others, and a test that begins is recorded in full. To read all counters takes long.
// Of tests that follow each other at once only those that fail have the counters read.
func (r *Recorder) turnOfTest(state format.TestState, name string, clock uint64) {
	g := r.governor
	if g == nil {
		return
	}
	if clock >= g.turn.Load() || state == format.TestFails || state == format.TestPanics {
		r.readCounts(clock)
	}
	if (state == format.TestBegins || state == format.TestContinues) && !g.saving.Load() {
		r.fresh(strings.Contains(name, "/"))
	}
}

// readCounts notes what has been counted until a test's turn, and when the next one may.
func (r *Recorder) readCounts(clock uint64) {
	g := r.governor
	watch := cputime.Begin()
	r.working(func() {
		if g.counted > 0 {
			r.noteCounts(clock, nil)
		}
		ns := g.reads.Take(watch, 1)
		g.deciding.Add(ns)
		g.turn.Store(clock + uint64(float64(r.apart(ns))/g.tick))
	})
}

// apart returns how much time there has to be between two pieces of work that take so much CPU time each,
// all in ns. They take no more than a tenth of the budget then, unless they are 40 ms apart: the budget
// has to react.
func (r *Recorder) apart(ns int64) int64 {
	const part, most = 0.1, 40e6
	return int64(min(float64(ns)/max(part*r.config.Budget.Share, 1e-6), most) / r.governor.usual)
}
