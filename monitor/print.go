package monitor

import (
	"flag"
	"io"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/printer"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Print returns a factory of monitors that print a line for each event, as waymark.Print does.
func Print(w io.Writer) Factory {
	return &print{printer.New(printer.Lines, func(line []byte) { w.Write(line) })}
}

type print struct{ printer *printer.Printer }

func (p *print) Kind() string { return p.printer.Kind() }

func (p *print) Create(pkg string) Monitor { return &printMonitor{named{pkg}, p.printer} }

// A printMonitor makes events of what it is told.
type printMonitor struct {
	named
	p *printer.Printer
}

func (m *printMonitor) tell(e waymark.Event, id int, values []any) {
	e.Func = &waymark.Func{Package: m.pkg, TracingName: m.name(id), ID: id}
	e.Goroutine = goroutine.ID()
	m.p.Observe(switchboard.WithValues(&e, values))
}

func (m *printMonitor) Enter(id int, args ...any) {
	m.tell(waymark.Event{Kind: waymark.Enter}, id, args)
}

func (m *printMonitor) Info(args []any, caller, self int, point waymark.Point) {
	m.tell(waymark.Event{Kind: waymark.Marker, Point: point}, self, args)
}

func (m *printMonitor) Exit(id int) { m.tell(waymark.Event{Kind: waymark.Exit}, id, nil) }

func (m *printMonitor) ExitResults(id int, results ...any) {
	m.tell(waymark.Event{Kind: waymark.Exit, Returned: true}, id, results)
}

func (m *printMonitor) Panic(id int, value any) {
	kind := waymark.Panic
	if value == any(Goexit) {
		kind, value = waymark.Goexit, nil
	}
	m.tell(waymark.Event{Kind: kind, Value: value}, id, nil)
}

func (m *printMonitor) Clear() { m.p.Clear() }

// FlagGroups defines a flag for each group, as in -trace-IO for group IO. The flag has calls of the
// group's functions printed on standard error, see Print. Call FlagGroups when packages have been
// initialised, as in main.
func FlagGroups(fs *flag.FlagSet) {
	p := &print{printer.Stderr}
	for _, g := range waymark.Groups() {
		g := g
		usage := "print the calls of the functions in group " + g.Name()
		if subs := g.Subgroups(); len(subs) > 0 {
			var names []string
			for _, sub := range subs {
				names = append(names, sub.Name())
			}
			usage += ", which contains " + strings.Join(names, ", ")
		}
		fs.BoolFunc("trace-"+g.Name(), usage, func(value string) error {
			on, err := strconv.ParseBool(value)
			if err == nil && !on {
				Clear(g)
			} else if err == nil {
				err = Register(g, p)
			}
			return err
		})
	}
}
