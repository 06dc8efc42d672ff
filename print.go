package waymark

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/text"
)

// Print makes a factory of monitors that write a line for each event, as soon as it happens:
// time, goroutine, indented by how deep the call is, what happens, and the values.
//
//	15:04:05.000001 [17] > store.Stream.WriteLong((*store.Stream)(0xc000012345), 7)
//	15:04:05.000002 [17]   . store.Stream.interestingWriteLong("An odd value", 7)
//	15:04:05.000003 [17] ! store.Stream.WriteLong panics: "out of space"
//	15:04:05.000004 [17] < store.Stream.WriteLong
//
// Lines are written whole, one at a time. What w says about writing is ignored.
func Print(w io.Writer) MonitorFactory { return &printer{w: w} }

type printer struct {
	mu     sync.Mutex
	w      io.Writer
	line   []byte
	depths perGoroutine[int]
}

func (p *printer) Kind() string { return "Print" }

func (p *printer) Create(pkg string) Monitor { return &printMonitor{named{pkg}, p} }

type printMonitor struct {
	named
	p *printer
}

// named is what monitors know of their package.
type named struct{ pkg string }

func (n named) Package() string { return n.pkg }

// name gives the name of a function.
func (n named) name(id int) string {
	name, err := FunctionName(n.pkg, id)
	if err != nil {
		return "#" + strconv.Itoa(id)
	}
	return name
}

// function gives the name of a function for people: with the last part of the package's path.
func (n named) function(id int) string { return short(n.pkg) + "." + n.name(id) }

// Text gives a value in the way of Go's syntax, cut if it is long, as monitors print it. Of the
// program's methods it calls none but Error. It follows no pointer and looks into no map; elements of slices are read
// where they are. Fields whose names look like those of secrets come as ***.
func Text(v any) string { return string(text.Append(nil, v)) }

func short(pkg string) string { return pkg[strings.LastIndexByte(pkg, '/')+1:] }

func (m *printMonitor) Enter(id int, args ...any) {
	depth := m.p.depths.get(true)
	m.p.print(*depth, "> ", m.function(id), "(", args, ")")
	*depth++
}

func (m *printMonitor) Info(args []any, caller, self int, point TimingPoint) {
	end := ")"
	if point != None {
		end += " " + point.String()
	}
	m.p.print(m.p.depth(), ". ", m.function(self), "(", args, end)
}

func (m *printMonitor) Exit(id int) { m.p.exit(m.function(id), nil) }

func (m *printMonitor) ExitResults(id int, results ...any) { m.p.exit(m.function(id), results) }

func (m *printMonitor) Panic(id int, value any) {
	depth := max(m.p.depth()-1, 0)
	if value == any(Goexit) {
		m.p.print(depth, "! ", m.function(id), " calls runtime.Goexit", nil, "")
		return
	}
	m.p.print(depth, "! ", m.function(id), " panics: ", []any{value}, "")
}

func (m *printMonitor) Clear() { m.p.depths.clear() }

func (p *printer) exit(name string, results []any) {
	depth := p.depths.get(true)
	if *depth--; *depth <= 0 {
		p.depths.drop()
		*depth = 0
	}
	open := ""
	if len(results) > 0 {
		open = " = "
	}
	p.print(*depth, "< ", name, open, results, "")
}

func (p *printer) depth() int {
	if d := p.depths.get(false); d != nil {
		return *d
	}
	return 0
}

func (p *printer) print(depth int, mark, name, open string, values []any, end string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := time.Now().AppendFormat(p.line[:0], "15:04:05.000000 [")
	b = append(strconv.AppendUint(b, GoroutineID(), 10), "] "...)
	for ; depth > 0; depth-- {
		b = append(b, "  "...)
	}
	b = append(append(append(b, mark...), name...), open...)
	b = append(append(text.AppendList(b, values), end...), '\n')
	p.w.Write(b)
	p.line = b
}
