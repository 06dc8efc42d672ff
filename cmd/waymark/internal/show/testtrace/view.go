package testtrace

import (
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/tracefile"
)

// A view is what is printed of a test.
type view struct {
	test    *Test
	shape   *shape
	depths  depths
	hidden  uint64 // calls that are deeper
	brief   bool   // long logs are cut
	builder *calltree.Builder
	printer *Printer
	lacks   *lacking
	counted counted
	lines   cutter
}

func newView(t *Test, s *shape, lacks *lacking, o Options, file replay.Names, nanos func(uint64) int64) *view {
	v := &view{test: t, shape: s, lacks: lacks, depths: depths{o.Depth, o.Depth}, brief: o.Lines > 0, lines: cutter{limit: o.Lines}}
	if o.Depth == 0 {
		v.depths = s.depths(o.Lines - o.Lines/headShare - o.Lines/restShare)
	}
	v.printer = NewPrinter(replay.New(&v.lines, file, nanos, nil, o.Calls))
	v.builder = calltree.New(calltree.Options{OnEnter: v.enter, OnCall: v.call})
	return v
}

func (v *view) enter(c *calltree.Call) {
	if v.deep(c) {
		v.hidden++
		return
	}
	if c.Goroutine != v.test.Goroutine {
		// What other goroutines do stands inside of what the test was doing then.
		v.printer.Open(v.test.Goroutine)
	}
	v.printer.Enter(c)
}

func (v *view) call(c *calltree.Call) {
	v.counted.seen(c)
	if !v.deep(c) {
		v.printer.Call(c)
	}
}

// deep reports whether a call has too many callers to be shown.
func (v *view) deep(c *calltree.Call) bool {
	limit := v.depths.others
	if v.shape.inFailing(c.Start) {
		limit = v.depths.failing
	}
	return limit > 0 && c.Depth >= limit
}

// add takes the next event.
func (v *view) add(ev *tracefile.Event) {
	v.markBefore(ev.Clock)
	v.lacks.before(v.builder, ev)
	v.lack(ev.Clock)
	v.builder.Add(ev)
}

// lack tells of what the recording lacks before the clock.
func (v *view) lack(clock uint64) {
	if text := v.lacks.say(clock); text != "" {
		v.printer.Log(v.test, Log{Goroutine: v.test.Goroutine, Text: text})
	}
}

// log takes what the test logs next.
func (v *view) log(l Log) {
	v.lack(l.Clock)
	v.markBefore(l.Clock)
	if v.brief {
		l.Text = brief(l.Text)
	}
	v.printer.Log(v.test, l)
}

// What is kept of each text that a test logs: go test prints it whole, and the lines are for calls.
const (
	logLines   = 3
	logColumns = 160
)

// brief returns the beginning of a text that a test logs, and says how much more there is.
func brief(text string) string {
	lines := strings.Split(text, "\n")
	more := len(lines) - logLines
	if more > 1 { // else a line would say that a line is missing
		lines = append(lines[:logLines:logLines], fmt.Sprintf("… %d lines more", more))
	}
	for i, line := range lines {
		if r := []rune(line); len(r) > logColumns {
			lines[i] = string(r[:logColumns-1]) + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// close takes the clock when the test or the recording ended.
func (v *view) close(end uint64) error {
	v.lack(never)
	v.markBefore(never)
	v.builder.Close(end)
	return v.printer.Flush()
}

// markBefore marks the line at which the test was marked as failed, if that was before the given
// clock. This line is the one after what the test logged for the failure.
func (v *view) markBefore(clock uint64) {
	if v.test.erred < clock && !v.lines.marked {
		v.printer.Flush() // to memory
		v.lines.mark()
	}
}
