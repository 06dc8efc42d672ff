package testtrace

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/format"
)

// A view is what is printed of a test.
type view struct {
	test    *Test
	shape   *shape
	depth   int // as in calltree.Options
	builder *calltree.Builder
	printer *replay.Printer
	lines   cutter
	open    map[uint64]int // by goroutine: depth of the next call
	logs    []log          // those to come
	marked  bool
}

func newView(t *Test, s *shape, o Options, name func(uint32) string, nanos func(uint64) int64) *view {
	v := &view{test: t, shape: s, depth: o.Depth, lines: cutter{limit: o.Lines}, open: make(map[uint64]int), logs: t.logs}
	if v.depth == 0 {
		v.depth = s.depth(o.Lines - o.Lines/headShare - o.Lines/restShare)
	}
	v.printer = replay.New(&v.lines, name, nanos, false)
	v.builder = calltree.New(calltree.Options{Depth: v.depth, OnEnter: v.enter, OnCall: v.call})
	return v
}

func (v *view) enter(c *calltree.Call) {
	if c.Goroutine != v.test.Goroutine {
		// What other goroutines do stands inside of what the test was doing then.
		v.printer.Open(v.test.Goroutine)
	}
	v.open[c.Goroutine] = c.Depth + 1
	v.printer.Enter(c)
}

func (v *view) call(c *calltree.Call) {
	if v.open[c.Goroutine] = c.Depth; c.Depth == 0 {
		delete(v.open, c.Goroutine)
	}
	v.printer.Call(c)
}

// add takes the next event.
func (v *view) add(ev *format.Event) {
	v.say(ev.Clock)
	v.builder.Add(ev)
}

// close takes the clock when the test or the recording ended.
func (v *view) close(end uint64) {
	v.say(never)
	v.builder.Close(end)
	v.printer.Flush()
}

// say prints what the test logged before the given clock.
func (v *view) say(before uint64) {
	for len(v.logs) > 0 && v.logs[0].clock < before {
		l := v.logs[0]
		v.logs = v.logs[1:]
		v.markAt(l.clock)
		v.printer.Note(l.goroutine, v.open[l.goroutine], l.text)
	}
	v.markAt(before)
}

// markAt marks the line at which the test was marked as failed: the one after what it
// logged, which is logged before.
func (v *view) markAt(clock uint64) {
	if !v.marked && v.test.erred < clock {
		v.marked = true
		v.printer.Flush()
		v.lines.mark()
	}
}
