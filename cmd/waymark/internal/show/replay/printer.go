package replay

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Printer prints calls of one process. Enter and Call are for calltree's OnEnter and OnCall.
type Printer struct {
	w     *bufio.Writer
	file  Names
	nanos func(ticks uint64) int64
	at    func(clock uint64) int64 // ns since the start; nil: there is no column for it
	label string                   // of the process, and a blank; "" if it is the only one
	opt   Options

	values    value.Printer
	receivers recorded.Receivers

	pending map[uint64][]entered // by goroutine: entered, and not printed yet
	funcs   []*called            // by site, nil unless asked for
}

// Options say how calls are printed.
type Options struct {
	Names   *names.Set // shortens those of functions, unless nil
	Columns int        // of lines at most, where terminals have no more; 0 is no limit

	// Width is the columns that a value may take; 0: no limit, and receivers are printed whole
	// each time.
	Width int

	Waiting bool // print what goroutines waited for, and who woke them, where that was recorded
}

// DefaultWidth is the width of values unless the user says otherwise.
const DefaultWidth = 60

// cut returns a line, or one without what there is no room for before its end.
func (o *Options) cut(line []byte, end string) []byte {
	if o.Columns == 0 || utf8.RuneCount(line) <= o.Columns {
		return line
	}
	room := o.Columns - 1 - utf8.RuneCountInString(end)
	if room < o.Columns/3 {
		room, end = o.Columns-1, ""
	}
	at := 0
	for range room {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return append(append(line[:at], "…"...), end...)
}

// Names say what the numbers in calls stand for; a tracefile.File does.
type Names interface {
	Func(id uint32) (tracefile.Func, bool)
	Type(id uint32) (value.Type, bool)
}

// entered is a call that has begun, with its arguments as text.
type entered struct {
	calltree.Call
	args arguments
}

// New returns a Printer of the only process. nanos returns the length of a number of ticks in ns.
// at returns the ns from the start to a clock reading. Without at there is no column of times.
func New(w io.Writer, file Names, nanos func(ticks uint64) int64, at func(clock uint64) int64, o Options) *Printer {
	p := NewLabelled(bufio.NewWriter(w), file, nanos, at, "", o)
	p.Head(0)
	return p
}

// NewLabelled is New for one of several processes. The process's lines have a label and a blank.
// Head prints the names of the columns.
func NewLabelled(w *bufio.Writer, file Names, nanos func(ticks uint64) int64, at func(clock uint64) int64, label string, o Options) *Printer {
	return &Printer{w: w, file: file, nanos: nanos, at: at, label: label, opt: o,
		values: value.Printer{Width: o.Width}, receivers: recorded.NewReceivers(o.Width > 0), pending: make(map[uint64][]entered)}
}

// Masked reports whether a value has been printed that was not recorded because it looked like
// a secret.
func (p *Printer) Masked() bool { return p.values.Masked }

// Head prints the names of the columns. The column of processes has the given width with its blank;
// if width is 0, there is no such column.
func (p *Printer) Head(width int) {
	process := ""
	if width > 0 {
		process = fmt.Sprintf("%*s", width, "PROCESS ")
	}
	if p.at != nil {
		fmt.Fprintf(p.w, "%*s", timeWidth, "TIME")
	}
	fmt.Fprintf(p.w, "%11s  %s%9s   %s\n", "DURATION", process, "GOROUTINE", "FUNCTION")
}

// Enter is called when a call begins.
func (p *Printer) Enter(c *calltree.Call) {
	list := p.open(c.Goroutine, p.drop(c.Goroutine, c.Depth))
	p.pending[c.Goroutine] = append(list, entered{*c, p.args(c)})
}

// Call prints a call that has ended.
func (p *Printer) Call(c *calltree.Call) {
	if c.Flags&calltree.Info != 0 {
		p.pending[c.Goroutine] = p.open(c.Goroutine, p.drop(c.Goroutine, c.Depth))
		args := p.args(c)
		p.line(c.Start, "", c, "// ", p.name(c.Site), args.text())
		return
	}
	duration := units.Aligned(p.nanos(c.End - c.Began))
	if c.Flags&calltree.Long != 0 {
		p.pending[c.Goroutine] = p.open(c.Goroutine, p.drop(c.Goroutine, c.Depth))
		p.line(c.End, duration, c, p.name(c.Site), "();", " /* counted, ends here */")
		return
	}
	list := p.drop(c.Goroutine, c.Depth+1)
	if n := len(list); n > 0 && list[n-1].Depth == c.Depth {
		p.open(c.Goroutine, list[:n-1])
		p.line(c.Began, duration, c, p.name(c.Site), list[n-1].args.text(), p.results(c), ";", p.comment("", c))
	} else {
		results := p.results(c)
		if results != "" {
			results += ";"
		}
		if c.Flags == 0 && len(c.Panic) == 0 { // no concatenation for the most frequent lines
			p.line(c.End, duration, c, "}", results, " /* ", p.name(c.Site), " */")
		} else {
			p.line(c.End, duration, c, "}", results, p.comment(p.name(c.Site), c))
		}
	}
	if c.Depth == 0 {
		delete(p.pending, c.Goroutine)
	} else {
		p.pending[c.Goroutine] = list[:0]
	}
}

// drop forgets the pending calls at depth and deeper, whose ends are not in the recording.
func (p *Printer) drop(goroutine uint64, depth int) []entered {
	list := p.pending[goroutine]
	for len(list) > 0 && list[len(list)-1].Depth >= depth {
		list = list[:len(list)-1]
	}
	return list
}

// open prints the first lines of pending calls.
func (p *Printer) open(goroutine uint64, list []entered) []entered {
	for i := range list {
		p.line(list[i].Began, "", &list[i].Call, p.name(list[i].Site), list[i].args.text(), " {")
	}
	return list[:0]
}

// line prints a line of a call about what happened at the given clock.
func (p *Printer) line(clock uint64, duration string, c *calltree.Call, text ...string) {
	b := p.w.AvailableBuffer()
	if p.at != nil {
		b = appendTime(b, p.at(clock))
	}
	b = appendRight(b, duration, 11)
	b = append(b, " ["...)
	b = append(b, p.label...)
	var id [20]byte
	b = appendRight(b, strconv.AppendUint(id[:0], c.Goroutine, 10), 9)
	b = append(b, "]  "...)
	levels := table.MaxIndent
	if p.opt.Columns > 0 {
		levels = min(levels, max(p.opt.Columns-len(b), 0)/4) // half of the room
	}
	b = append(b, table.IndentTo(c.Depth, levels)...)
	for _, t := range text {
		b = append(b, t...)
	}
	end := text[len(text)-1]
	if !strings.HasPrefix(end, " ") { // a value; a brace or the name in a comment stays
		end = ""
	}
	p.w.Write(append(p.opt.cut(b, end), '\n'))
}

// blanks are as many as the widest of the columns has that are aligned at the right.
const blanks = "            "

// appendRight appends text with blanks before it, so that both have the given width.
func appendRight[T string | []byte](b []byte, text T, width int) []byte {
	if n := width - len(text); n > 0 {
		b = append(b, blanks[:n]...)
	}
	return append(b, text...)
}

// comment prints remarks about a call as a comment of C.
func (p *Printer) comment(name string, c *calltree.Call) string {
	if c.Flags == 0 && len(c.Panic) == 0 && name == "" {
		return ""
	}
	var words []string
	if name != "" {
		words = append(words, name)
	}
	for _, f := range []struct {
		flag calltree.Flags
		text string
	}{
		{calltree.Exited, "runtime.Goexit"},
		{calltree.Past, "goes on after the window"},
		{calltree.Open, "not ended"},
		{calltree.Cut, "end not recorded"},
	} {
		if c.Flags&f.flag != 0 && (f.flag != calltree.Open || c.Flags&calltree.Past == 0) {
			words = append(words, f.text)
		}
	}
	panicked := ""
	if values, _ := value.Decode(c.Panic, p.file.Type); len(values) > 0 {
		panicked = ": " + p.values.Panic(&values[0])
	}
	switch {
	case c.Flags&calltree.Recovered != 0:
		words = append(words, "recovered a panic"+panicked)
	case c.Flags&calltree.Panicked != 0 || panicked != "":
		words = append(words, "panic"+panicked)
	}
	if len(words) == 0 {
		return ""
	}
	return " /* " + strings.Join(words, ", ") + " */"
}

// Flush writes what has not been written yet.
func (p *Printer) Flush() error { return p.w.Flush() }
