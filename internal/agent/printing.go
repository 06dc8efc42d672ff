package agent

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/text"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/stats"
)

// What t=PATTERN prints of calls, by d=DETAIL.
const (
	detailStack  = 1 // who called
	detailValues = 2 // arguments and results, of functions that were built to give them
	detailFiles  = 3 // where the callers are
)

// printing prints the calls of functions that patterns name. The runtime knows one monitor only: if something is
// printed, it passes on what is for package waymark's.
var printing printingState

type printingState struct {
	detail int
	only   *selection
	next   rt.Monitor

	mu      sync.Mutex
	sites   map[uint32]printedSite
	watched map[uint32]bool     // for next
	current map[uint64]*printed // the innermost call of each goroutine
	stopped bool
	hidden  bool // values are
}

type printedSite struct {
	pkg   *rt.Package
	index int
	name  string
}

// A printed is a call of a function that is printed, or that somebody else watches.
type printed struct {
	goroutine uint64
	site      uint32
	show      bool
	values    bool // too
	name      string
	began     time.Time
	depth     int
	outer     *printed
	inner     unsafe.Pointer // what the other one's Enter gave
}

// printCalls begins to print the calls of the functions that patterns name.
func printCalls(patterns []string, detail int) error {
	if len(patterns) == 0 {
		return nil
	}
	only, err := newSelection(patterns, nil)
	if err != nil {
		return err
	}
	p := &printing
	p.only, p.detail = only, detail
	p.sites, p.watched, p.current = make(map[uint32]printedSite), make(map[uint32]bool), make(map[uint64]*printed)
	setMonitor(rt.Monitor{Enter: printEnter, Exit: printExit, Panic: printPanic, Info: printInfo})
	rt.Packages(printPackage)
	return nil
}

// printPackage switches on what is to be printed of a package.
func printPackage(pkg *rt.Package) {
	path, sites, err := format.ParseTable([]byte(pkg.Table))
	if err != nil {
		return // the recorder says so
	}
	p := &printing
	for i := range sites {
		s := &sites[i]
		if p.only.has(stats.Func{Name: s.Name, Package: path, File: s.File, Line: s.Line}) {
			p.mu.Lock()
			p.sites[pkg.Base+uint32(i)] = printedSite{pkg, i, s.Name}
			p.mu.Unlock()
			rt.Watch(pkg, i, true)
		}
	}
}

// SetMonitor sets the monitor of package waymark.
func SetMonitor(m rt.Monitor) {
	if printing.only == nil {
		setMonitor(m)
		return
	}
	printing.next = m
}

func setMonitor(m rt.Monitor) {
	rt.SetMonitor(m)
	atExit(func() {
		if n := rt.Unreported(); n > 0 {
			recorder.Say("%d calls, or their ends, were not reported to monitors: they were made where nothing may wait, as in sync.Pool or in callbacks of timers", n)
		}
	})
}

// Watch has that monitor see calls of a site, or not any more.
func Watch(pkg *rt.Package, i int, on bool) {
	p := &printing
	if p.only == nil {
		rt.Watch(pkg, i, on)
		return
	}
	rt.Mute(true)
	defer rt.Mute(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	site := pkg.Base + uint32(i)
	p.watched[site] = on
	_, shown := p.sites[site]
	rt.Watch(pkg, i, on || shown && !p.stopped)
}

// Restrict is how the program forbids that functions are printed by patterns, or their values. It
// reports whether that ends the printing of some.
func Restrict(stop, hide bool) (ended bool) {
	p := &printing
	if p.only == nil {
		return false
	}
	rt.Mute(true)
	defer rt.Mute(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	ended = stop && !p.stopped
	p.stopped, p.hidden = p.stopped || stop, p.hidden || hide
	if p.stopped {
		for id, s := range p.sites {
			rt.Watch(s.pkg, s.index, p.watched[id])
		}
	}
	return ended
}

func printEnter(site uint32, args []any) unsafe.Pointer {
	p := &printing
	c := &printed{site: site, goroutine: rt.Goroutine()}
	p.mu.Lock()
	s, show := p.sites[site]
	c.show, c.name, c.values = show && !p.stopped, s.name, !p.hidden && p.detail >= detailValues
	if c.outer = p.current[c.goroutine]; c.outer != nil {
		c.depth = c.outer.depth
		if c.outer.show {
			c.depth++
		}
	}
	p.current[c.goroutine] = c
	watched := p.watched[site]
	p.mu.Unlock()
	switch {
	case !c.show:
	case c.values:
		c.print("> ", c.name+"(", args, ")")
	default:
		c.print("> ", c.name, nil, "")
	}
	if watched {
		c.inner = p.next.Enter(site, args)
	}
	c.began = time.Now()
	return unsafe.Pointer(c)
}

func printExit(call unsafe.Pointer, results []any, returned bool) {
	ended := time.Now().Add(-time.Duration(rt.Late()))
	p, c := &printing, (*printed)(call)
	if c.inner != nil {
		p.next.Exit(c.inner, results, returned)
	}
	p.mu.Lock()
	if p.current[c.goroutine] = c.outer; c.outer == nil {
		delete(p.current, c.goroutine)
	}
	p.mu.Unlock()
	after := " " + units.Duration(ended.Sub(c.began))
	switch {
	case !c.show:
	case !returned:
		c.print("< ", c.name+" left by a panic or Goexit after", nil, after)
	case len(results) == 0 || !c.seesValues():
		c.print("< ", c.name, nil, after)
	default:
		c.print("< ", c.name+" = ", results, after)
	}
}

func printPanic(call unsafe.Pointer, value any, goexit bool) {
	c := (*printed)(call)
	if c.inner != nil {
		printing.next.Panic(c.inner, value, goexit)
	}
	switch {
	case !c.show:
	case goexit:
		c.print("! ", c.name+" calls runtime.Goexit", nil, "")
	case !c.seesValues():
		c.print("! ", c.name+" panics", nil, "")
	default:
		c.print("! ", c.name+" panics: ", []any{value}, "")
	}
}

func printInfo(call unsafe.Pointer, site uint32, args []any, callers []string) bool {
	var inner unsafe.Pointer
	if call != nil {
		if inner = (*printed)(call).inner; inner == nil {
			return false
		}
	}
	return printing.next.Info != nil && printing.next.Info(inner, site, args, callers)
}

// seesValues tells whether values may be printed now.
func (c *printed) seesValues() bool {
	printing.mu.Lock()
	defer printing.mu.Unlock()
	return c.values && !printing.hidden
}

// print prints an event of a call, and who called it when it begins, whole. No lock is held while values are made text: methods Error may take
// the program's own.
func (c *printed) print(mark, what string, values []any, end string) {
	b := time.Now().AppendFormat(nil, "15:04:05.000000 [")
	b = append(strconv.AppendUint(b, c.goroutine, 10), "] "...)
	b = append(append(append(b, strings.Repeat("  ", c.depth)...), mark...), what...)
	b, masked := text.AppendMasked(b, values)
	b = append(append(b, end...), '\n')
	if mark == "> " && printing.detail >= detailStack {
		b = c.appendCallers(b)
	}
	recorder.Print(b)
	if masked {
		explainMasked()
	}
}

// explainMasked says once what *** means.
var explainMasked = sync.OnceFunc(func() {
	recorder.Say("***: the name looks like a secret's; build with --redact none to see all values")
})

// appendCallers appends the call stack, without the hooks and the function itself.
func (c *printed) appendCallers(b []byte) []byte {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	found := false
	for {
		f, more := frames.Next()
		switch {
		case !found:
			found = f.Function == c.name
		case f.Function != "runtime.goexit" && f.Function != "runtime.main":
			b = append(append(b, "                      "...), strings.Repeat("  ", c.depth)...)
			b = append(append(b, "by "...), f.Function...)
			if printing.detail >= detailFiles {
				b = append(append(append(b, "  "...), f.File...), ':')
				b = strconv.AppendInt(b, int64(f.Line), 10)
			}
			b = append(b, '\n')
		}
		if !more {
			return b
		}
	}
}
