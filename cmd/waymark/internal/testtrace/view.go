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
	depth   int // as in calltree.Selection
	builder *calltree.Builder
	printer *Printer
	lines   cutter
}

func newView(t *Test, s *shape, o Options, file replay.Names, nanos func(uint64) int64) *view {
	v := &view{test: t, shape: s, depth: o.Depth, lines: cutter{limit: o.Lines}}
	if v.depth == 0 {
		v.depth = s.depth(o.Lines - o.Lines/headShare - o.Lines/restShare)
	}
	v.printer = NewPrinter(replay.New(&v.lines, file, nanos, nil, o.Calls))
	shown := calltree.Selection{Depth: v.depth}
	enter, call := shown.Of(v.enter, v.printer.Call)
	v.builder = calltree.New(calltree.Options{OnEnter: enter, OnCall: call})
	return v
}

func (v *view) enter(c *calltree.Call) {
	if c.Goroutine != v.test.Goroutine {
		// What other goroutines do stands inside of what the test was doing then.
		v.printer.Open(v.test.Goroutine)
	}
	v.printer.Enter(c)
}

// add takes the next event.
func (v *view) add(ev *format.Event) {
	v.markBefore(ev.Clock)
	v.builder.Add(ev)
}

// log takes what the test logs next.
func (v *view) log(l Log) {
	v.markBefore(l.Clock)
	v.printer.Log(v.test, l)
}

// close takes the clock when the test or the recording ended.
func (v *view) close(end uint64) error {
	v.markBefore(never)
	v.builder.Close(end)
	return v.printer.Flush()
}

// markBefore marks the line at which the test was marked as failed, if that was
// before the given clock: it is the line after what the test logged for it.
func (v *view) markBefore(clock uint64) {
	if v.test.erred < clock && !v.lines.marked {
		v.printer.Flush() // to memory
		v.lines.mark()
	}
}
