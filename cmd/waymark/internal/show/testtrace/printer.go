package testtrace

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
)

// A Printer prints calls and, in their place among them, what tests log. Enter and
// Call are for calltree's OnEnter and OnCall, Log is for Events.OnLog.
type Printer struct {
	*replay.Printer
	open map[uint64]int // by goroutine: depth of the next call
}

// NewPrinter returns a Printer that uses p.
func NewPrinter(p *replay.Printer) *Printer {
	return &Printer{p, make(map[uint64]int)}
}

// Enter takes note of a call that begins.
func (p *Printer) Enter(c *calltree.Call) {
	p.open[c.Goroutine] = c.Depth + 1
	p.Printer.Enter(c)
}

// Call prints a call that has ended.
func (p *Printer) Call(c *calltree.Call) {
	if p.open[c.Goroutine] = c.Depth; c.Depth == 0 {
		delete(p.open, c.Goroutine)
	}
	p.Printer.Call(c)
}

// Log prints what a test logged.
func (p *Printer) Log(_ *Test, l Log) { p.Note(l.Goroutine, p.open[l.Goroutine], l.Text) }
