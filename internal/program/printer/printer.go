// Package printer prints observed calls, a line for each event: of waymark.Print, of monitor.Print
// and of WAYMARK=t=PATTERN.
//
//	15:04:05.000001 [17] > store.Stream.WriteLong((*store.Stream)(0xc000012345), 7)
//	15:04:05.000002 [17]   . store.Stream.interestingWriteLong("An odd value", 7)
//	15:04:05.000003 [17] ! store.Stream.WriteLong panics: "out of space"
//	15:04:05.000004 [17] < store.Stream.WriteLong
package printer

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/text"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Style says what is printed of calls. The zero Style is names only.
type Style struct {
	FullNames bool // as the runtime has them; else those of tracing, with the last part of the package's path
	Values    bool // arguments, results and values of panics
	Markers   bool // calls of info functions
	Durations bool
	Callers   bool   // the stack, where a call begins
	Files     bool   // of the callers
	Masked    func() // called when *** has been printed for a value
}

// Lines is the style of waymark.Print.
var Lines = Style{Values: true, Markers: true}

// A Printer is an observer that prints.
type Printer struct {
	style Style
	write func(line []byte)
	mu    sync.Mutex // lines are written one at a time
	open  goroutine.Local[[]time.Time]
}

// New makes a printer that writes whole lines.
func New(s Style, write func(line []byte)) *Printer { return &Printer{style: s, write: write} }

// Stderr is the printer of all groups that are printed without a writer: a function in several of
// these groups is printed once.
var Stderr = New(Lines, console.Print)

// Kind implements what switchboard.KindOf asks for.
func (p *Printer) Kind() string { return "Print" }

// Clear forgets which calls are in progress.
func (p *Printer) Clear() { p.open.Clear() }

// Observe prints an event.
func (p *Printer) Observe(e *switchboard.Event) {
	switch e.Kind {
	case switchboard.Enter:
		p.enter(e)
	case switchboard.Exit:
		p.exit(e)
	case switchboard.Marker:
		if p.style.Markers {
			l := p.line(e, p.depth(), ". ", p.name(e.Func))
			l.values("(", e.Args(), ")")
			if e.Point != function.NoPoint {
				l.add(" " + e.Point.String())
			}
			l.end()
		}
	case switchboard.Panic:
		l := p.line(e, max(p.depth()-1, 0), "! ", p.name(e.Func)+" panics")
		if p.shows(e) && switchboard.PanicValues() {
			l.values(": ", []any{e.Value}, "")
		}
		l.end()
	case switchboard.Goexit:
		p.line(e, max(p.depth()-1, 0), "! ", p.name(e.Func)+" calls runtime.Goexit").end()
	}
}

func (p *Printer) enter(e *switchboard.Event) {
	calls := p.open.Get(true)
	depth := len(*calls)
	l := p.line(e, depth, "> ", p.name(e.Func))
	if p.shows(e) {
		l.values("(", e.Args(), ")")
	}
	l.b = append(l.b, '\n')
	if p.style.Callers {
		l.callers(e.Func.Name, depth)
	}
	l.write()
	*calls = append(*calls, time.Now().Add(-switchboard.Ago(e))) // the time of printing is not the call's
}

func (p *Printer) exit(e *switchboard.Event) {
	ended := time.Now()
	calls := p.open.Get(true)
	depth, began := max(len(*calls)-1, 0), ended
	if depth < len(*calls) {
		began = (*calls)[depth]
	}
	if *calls = (*calls)[:depth]; depth == 0 {
		p.open.Drop()
	}
	l := p.line(e, depth, "< ", p.name(e.Func))
	switch {
	case !e.Returned && p.style.Durations:
		l.add(" left by a panic or Goexit after")
	case len(e.Results()) > 0 && p.shows(e):
		l.values(" = ", e.Results(), "")
	}
	if p.style.Durations {
		if rt.Enabled {
			ended = ended.Add(-time.Duration(rt.Late()))
		}
		l.add(" " + units.Duration(ended.Sub(began)))
	}
	l.end()
}

// shows reports whether values are printed.
func (p *Printer) shows(e *switchboard.Event) bool { return p.style.Values && !e.Hidden() }

// depth returns how many printed calls the goroutine is in.
func (p *Printer) depth() int {
	if calls := p.open.Get(false); calls != nil {
		return len(*calls)
	}
	return 0
}

func (p *Printer) name(f *function.Func) string {
	if p.style.FullNames {
		return f.Name
	}
	if f.TracingName == "" {
		return short(f.Name)
	}
	return short(f.Package) + "." + f.TracingName
}

// short cuts off all but the last part of a package's path.
func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// A line is being made. No lock is held meanwhile: methods Error of values may take the program's
// own.
type line struct {
	p      *Printer
	b      []byte
	masked bool
}

var lines = sync.Pool{New: func() any { return new(line) }}

func (p *Printer) line(e *switchboard.Event, depth int, mark, what string) *line {
	l := lines.Get().(*line)
	l.p, l.masked = p, false
	l.b = time.Now().AppendFormat(l.b[:0], "15:04:05.000000 [")
	l.b = append(strconv.AppendUint(l.b, e.Goroutine, 10), "] "...)
	for ; depth > 0; depth-- {
		l.b = append(l.b, "  "...)
	}
	l.add(mark)
	l.add(what)
	return l
}

func (l *line) add(s string) { l.b = append(l.b, s...) }

func (l *line) values(open string, list []any, end string) {
	l.add(open)
	var masked bool
	l.b, masked = text.AppendMasked(l.b, list)
	l.masked = l.masked || masked
	l.add(end)
}

// callers adds the call stack, without the hooks and the function itself.
func (l *line) callers(function string, depth int) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	found := false
	for {
		f, more := frames.Next()
		switch {
		case !found:
			found = f.Function == function
		case f.Function != "runtime.goexit" && f.Function != "runtime.main":
			l.add("                      " + strings.Repeat("  ", depth) + "by " + f.Function)
			if l.p.style.Files {
				l.add("  " + f.File + ":" + strconv.Itoa(f.Line))
			}
			l.b = append(l.b, '\n')
		}
		if !more {
			return
		}
	}
}

func (l *line) end() {
	l.b = append(l.b, '\n')
	l.write()
}

func (l *line) write() {
	l.p.mu.Lock()
	l.p.write(l.b)
	l.p.mu.Unlock()
	if l.masked && l.p.style.Masked != nil {
		l.p.style.Masked()
	}
	l.p = nil
	lines.Put(l)
}
