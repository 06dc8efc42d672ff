// Package switchtest has a runtime for tests of what is on a switchboard. Packages register, and
// their functions are called, in a program that plain Go has built.
package switchtest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Runtime is a switchboard.Switches that remembers what was switched.
type Runtime struct {
	mu       sync.Mutex
	packages []*rt.Package
	told     []func(*rt.Package)
	words    map[uint32]uint32 // by site id
	sites    map[string]uint32 // by function name
	monitor  rt.Monitor
	next     uint32

	Stores       int // of words
	PanicsHidden bool
	Muted        int
	First        bool // calls are the first ones of their goroutines
}

// Fresh puts an empty board in the place of the program's until the test ends.
func Fresh(t testing.TB) *Runtime {
	r := &Runtime{words: make(map[uint32]uint32), sites: make(map[string]uint32), next: 1}
	before := switchboard.Default
	switchboard.Default = switchboard.New(r)
	t.Cleanup(func() {
		if r.Muted != 0 {
			t.Errorf("the goroutine is muted %d times in the end, want 0", r.Muted)
		}
		switchboard.Default = before
	})
	return r
}

// Said has each line for the user appended to the result, until the test ends.
func Said(t testing.TB) *[]string {
	list := new([]string)
	t.Cleanup(console.Divert(func(text []byte) {
		line := strings.TrimPrefix(string(text), "waymark: ")
		*list = append(*list, strings.TrimSuffix(line, "\n"))
	}))
	return list
}

// Functions makes a table's sites: names are as the runtime has them.
func Functions(names ...string) (sites []format.Site) {
	for i, name := range names {
		sites = append(sites, format.Site{Name: name, File: "/src/file.go", Line: i + 1})
	}
	return sites
}

// Register registers a package as instrumented code does.
func (r *Runtime) Register(path string, sites []format.Site, f format.Facility) *rt.Package {
	table := format.AppendFacility(format.AppendTable(nil, path, sites), sites, f)
	return r.RegisterTable(string(table), sites)
}

// RegisterTable registers a package with such a table.
func (r *Runtime) RegisterTable(table string, sites []format.Site) *rt.Package {
	p := &rt.Package{Table: table, Sites: make([]uint32, len(sites))}
	r.Add(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range sites {
		r.sites[s.Name] = p.Base + uint32(i)
	}
	return p
}

// Add registers a package that the program has made while it runs.
func (r *Runtime) Add(p *rt.Package) {
	r.mu.Lock()
	p.Base = r.next
	r.next += uint32(len(p.Sites))
	r.packages = append(r.packages, p)
	told := slices.Clone(r.told)
	r.mu.Unlock()
	for _, f := range told {
		f(p)
	}
}

// Packages calls f for each package, and for each that registers later.
func (r *Runtime) Packages(f func(*rt.Package)) {
	r.mu.Lock()
	r.told = append(r.told, f)
	list := slices.Clone(r.packages)
	r.mu.Unlock()
	for _, p := range list {
		f(p)
	}
}

// Want remembers what is wanted of a site.
func (r *Runtime) Want(p *rt.Package, i int, flags uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.words[p.Base+uint32(i)] = flags
	r.Stores++
}

// Monitor remembers what calls are told to.
func (r *Runtime) Monitor(m rt.Monitor) { r.monitor = m }

// Mute counts how often the goroutine is muted.
func (r *Runtime) Mute(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.Muted++
	} else {
		r.Muted--
	}
}

// HidePanics remembers that it was called.
func (r *Runtime) HidePanics() { r.PanicsHidden = true }

// Site returns the id of a function's site.
func (r *Runtime) Site(function string) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sites[function]
}

// Word returns what is wanted of a function, as in "recorded watched"; empty: nothing.
func (r *Runtime) Word(function string) (text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	word := r.words[r.sites[function]]
	flags := []struct {
		flag uint32
		name string
	}{{rt.Recorded, "recorded"}, {rt.Unvalued, "unvalued"}, {rt.Watched, "watched"}, {rt.Counted, "counted"}, {rt.Long, "long"}, {rt.Timed, "timed"}, {rt.Gathered, "gathered"}, {rt.Root, "root"}, {rt.Values, "valued"}, {rt.Seen, "seen"}}
	for _, f := range flags {
		if word&f.flag != 0 {
			if text != "" {
				text += " "
			}
			text += f.name
		}
	}
	return text
}

// A Call is a watched call in progress; nil: nobody wants to know of its end.
type Call struct {
	r        *Runtime
	function string
	call     unsafe.Pointer
}

// Enter begins a call of a function that is watched; else it returns nil.
func (r *Runtime) Enter(function string, args ...any) *Call {
	r.mu.Lock()
	site := r.sites[function]
	watched := r.words[site]&rt.Watched != 0
	r.mu.Unlock()
	if !watched {
		return nil
	}
	if c := r.EnterEvent(function, rt.EventOf(args)); c != nil {
		return &Call{r, function, c}
	}
	return nil
}

// EnterEvent begins a call with the arguments that an event has, and returns what is to be told of
// its end. It returns nil if nobody wants to know.
func (r *Runtime) EnterEvent(function string, args *rt.Event) unsafe.Pointer {
	if r.First && r.monitor.Pass(r.Site(function)) {
		return nil
	}
	return r.monitor.Enter(r.Site(function), args, nil)
}

// Exit ends the call with these results.
func (c *Call) Exit(results ...any) {
	if c != nil {
		c.r.monitor.Exit(c.call, rt.EventOf(results), nil, true)
	}
}

// ExitRecovered is Exit of a call that has recovered a panic itself.
func (c *Call) ExitRecovered(results ...any) {
	if c != nil {
		e := rt.EventOf(results)
		e.Recovered = true
		c.r.monitor.Exit(c.call, e, nil, true)
	}
}

// Leave ends the call as a panic does that leaves it.
func (c *Call) Leave() {
	if c != nil {
		c.r.monitor.Exit(c.call, rt.EventOf(nil), nil, false)
	}
}

// Panic begins a panic in the call.
func (c *Call) Panic(value any) {
	if c != nil {
		c.r.monitor.Panic(c.call, rt.EventOf(nil), value, false)
	}
}

// Goexit begins runtime.Goexit in the call.
func (c *Call) Goexit() {
	if c != nil {
		c.r.monitor.Panic(c.call, rt.EventOf(nil), nil, true)
	}
}

// Mark calls an info function from the call, and reports whether the call was told.
func (c *Call) Mark(info string, args ...any) bool {
	return c != nil && c.r.monitor.Info(c.call, rt.EventOf(args), c.r.sites[info], []string{c.function})
}

// MarkStarted calls an info function on a goroutine that the function has started.
func (r *Runtime) MarkStarted(function, info string, args ...any) bool {
	return r.monitor.Info(nil, rt.EventOf(args), r.sites[info], []string{function})
}
