// Package replay prints the calls of a recording one after the other, in the
// manner of uftrace: braces around what a call made, durations at the left.
//
//	 DURATION  GOROUTINE  FUNCTION
//	         [        1]  main.main() {
//	1.234 ms [        1]    main.load();
//	5.678 ms [        1]  } /* main.main */
//
// Lines of several processes are marked with the process's id before that of the
// goroutine, and come in the order of wall-clock time.
//
// Lines of a goroutine are in the order of its calls. A call's first line is
// printed when its first callee is known, or its end: by then other goroutines may
// have had their say.
package replay

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
)

// A Printer prints calls of one process. Enter and Call are for calltree's OnEnter and OnCall.
type Printer struct {
	w     *bufio.Writer
	name  func(site uint32) string
	nanos func(ticks uint64) int64
	short bool   // calls may be left out because they were short
	label string // of the process, with a blank behind it; "" if it is the only one

	pending map[uint64][]calltree.Call // by goroutine: entered, and not printed yet
}

// newPrinter returns a Printer. name gives a function's name, nanos the length of a
// number of ticks in ns. short says that the calls are filtered by their duration:
// then a call is printed when it is known to be long enough.
func newPrinter(w *bufio.Writer, name func(site uint32) string, nanos func(ticks uint64) int64, short bool, label string) *Printer {
	return &Printer{w, name, nanos, short, label, make(map[uint64][]calltree.Call)}
}

// Enter takes note of a call that begins.
func (p *Printer) Enter(c *calltree.Call) {
	list := p.drop(c.Goroutine, c.Depth)
	if !p.short {
		list = p.open(c.Goroutine, list)
	}
	p.pending[c.Goroutine] = append(list, *c)
}

// Call prints a call that has ended.
func (p *Printer) Call(c *calltree.Call) {
	duration := report.Duration(p.nanos(c.End - c.Start))
	list := p.drop(c.Goroutine, c.Depth+1)
	if n := len(list); n > 0 && list[n-1].Depth == c.Depth {
		p.open(c.Goroutine, list[:n-1])
		p.line(duration, c, p.name(c.Site)+"();"+comment("", c.Flags))
	} else {
		p.line(duration, c, "}"+comment(p.name(c.Site), c.Flags))
	}
	if c.Depth == 0 {
		delete(p.pending, c.Goroutine)
	} else {
		p.pending[c.Goroutine] = list[:0]
	}
}

// drop forgets the pending calls at depth and deeper: they ended and were too short.
func (p *Printer) drop(goroutine uint64, depth int) []calltree.Call {
	list := p.pending[goroutine]
	for len(list) > 0 && list[len(list)-1].Depth >= depth {
		list = list[:len(list)-1]
	}
	return list
}

// open prints the first lines of pending calls.
func (p *Printer) open(goroutine uint64, list []calltree.Call) []calltree.Call {
	for i := range list {
		p.line("", &list[i], p.name(list[i].Site)+"() {")
	}
	return list[:0]
}

func (p *Printer) line(duration string, c *calltree.Call, text string) {
	fmt.Fprintf(p.w, "%11s [%s%9d]  %s%s\n", duration, p.label, c.Goroutine, strings.Repeat("  ", c.Depth), text)
}

// comment says what there is to say about a call, as C does it.
func comment(name string, flags calltree.Flags) string {
	var words []string
	if name != "" {
		words = append(words, name)
	}
	for _, f := range []struct {
		flag calltree.Flags
		text string
	}{
		{calltree.Recovered, "recovered a panic"},
		{calltree.Exited, "runtime.Goexit"},
		{calltree.Open, "not ended"},
		{calltree.Cut, "end not recorded"},
	} {
		if flags&f.flag != 0 {
			words = append(words, f.text)
		}
	}
	if flags&(calltree.Panicked|calltree.Recovered) == calltree.Panicked {
		words = append(words, "panic")
	}
	if len(words) == 0 {
		return ""
	}
	return " /* " + strings.Join(words, ", ") + " */"
}
