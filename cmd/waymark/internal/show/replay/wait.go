package replay

import (
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Wait prints that a goroutine did not run: when it stopped and for how long, and what it waited
// for. It prints which goroutine woke it, and how long it was ready then. Of a new one it says
// which goroutine has started it.
func (p *Printer) Wait(c *calltree.Call) {
	p.pending[c.Goroutine] = p.open(c.Goroutine, p.drop(c.Goroutine, c.Depth))
	w := c.Wait
	text := "// "
	if w.Reason != tracefile.WaitNone {
		text += "waited for " + w.Reason.String() + ", "
	}
	switch {
	case w.Waker != 0 && c.Site == 0 && w.Reason == tracefile.WaitNone:
		text += "started by " + strconv.FormatUint(w.Waker, 10) + ", "
	case w.Waker != 0:
		text += "woken by " + strconv.FormatUint(w.Waker, 10) + ", "
	}
	switch {
	case c.Flags&calltree.Open != 0:
		text += "not ended"
	case c.Flags&calltree.Cut != 0:
		text += "end not recorded"
	default:
		text += "ready for " + units.Duration(p.nanos(c.End-w.Ready))
	}
	p.line(c.Start, units.Aligned(p.nanos(c.End-c.Start)), c, text)
}
