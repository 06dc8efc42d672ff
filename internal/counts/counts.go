// Package counts writes how often each test of the running program called each function, and how many
// heap objects these calls made:
//
//	counts.Start(func(line []byte) error { ... })
//
// Each line is a Test in JSON. What happens between two moments at which tests begin, wait, go on or
// end belongs to the tests of the top level that run meanwhile: tests that run one after the other
// are told apart, with their subtests and the goroutines that they have left behind.
package counts

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/console"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// A Test is what a test did, or a part of it: a test that waits has a line for each part.
type Test struct {
	Package    string     `json:"package"`
	Test       string     `json:"test"`
	On         string     `json:"on"` // "go1.26.0 linux/amd64, 2 CPUs"
	Overlapped bool       `json:"overlapped,omitempty"`
	Functions  []Function `json:"functions,omitempty"`
}

// A Function has the calls of a function, and the objects that they made without the calls of
// functions that they made.
type Function struct {
	Name    string `json:"name"`
	Calls   uint64 `json:"calls"`
	Objects uint64 `json:"objects"`
}

// counted are the numbers of a site.
type counted struct{ calls, objects uint64 }

// tests follows the tests of the program.
type tests struct {
	pkg   string // import path of the package that is tested
	pid   int    // copies of the process (fork) are not followed
	read  func() []counted
	name  func(site int) string // empty if there is no function
	write func(line []byte) error

	mu      sync.Mutex
	last    []counted      // by site, at the latest turn
	running map[string]int // how many tests and subtests run, by the test of the top level
	did     map[string]*did
	failed  bool
}

// did is what a test has done since it ran.
type did struct {
	sites      []counted
	overlapped bool
}

// Start has all functions counted and each test's counts written, if the go command runs the program
// to test a package.
func Start(write func(line []byte) error) {
	rt.SeenOnTests(func(importPath string) {
		rt.Mute(true)
		defer rt.Mute(false)
		owner := switchboard.Default.Join("counts", switchboard.Environment)
		if err := owner.Set(switchboard.Wish{Want: rt.Timed, Kind: "Counts"}); err != nil {
			console.Say("counts: %v", err)
			return
		}
		rt.Objects(rt.ObjectsCounted, true)
		t := newTests(importPath, write)
		t.read, t.name = read, names()
		rt.SeenOnTests(nil, func(state uint8, name string) {
			rt.Mute(true)
			defer rt.Mute(false)
			t.tell(format.TestState(state), name)
		})
	}, nil)
}

func newTests(pkg string, write func([]byte) error) *tests {
	return &tests{pkg: pkg, pid: os.Getpid(), write: write, running: make(map[string]int), did: make(map[string]*did)}
}

// read returns what was counted since the program began.
func read() []counted {
	list := make([]counted, rt.Sites())
	for site := range list {
		list[site].calls = rt.SumOf(uint32(site)).Calls
	}
	rt.ObjectCounts(func(o rt.Object) {
		if site := int(o.Site) - 1; !o.Own && site >= 0 && site < len(list) {
			list[site].objects += o.Objects
		}
	})
	return list
}

// names returns the function that names sites.
func names() func(site int) string {
	known := make(map[int]string)
	return func(site int) string {
		if name, ok := known[site]; ok {
			return name
		}
		for _, t := range switchboard.Default.Tables() {
			for i, f := range t.Funcs() {
				if !f.Marker {
					known[int(t.Base)+i] = f.Name
				}
			}
		}
		return known[site]
	}
}

// tell takes note of what happens to a test.
func (t *tests) tell(state format.TestState, name string) {
	more := 0
	switch state {
	case format.TestBegins, format.TestContinues:
		more = 1
	case format.TestPauses, format.TestPasses, format.TestFails, format.TestSkips, format.TestPanics:
		more = -1
	default:
		return
	}
	if os.Getpid() != t.pid {
		return
	}
	top, _, _ := strings.Cut(name, "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.running[top] + more
	if n > 0 && n != more {
		t.running[top] = n
		return // others of the same test run
	}
	t.turn()
	if n > 0 {
		t.running[top] = n
		return
	}
	delete(t.running, top)
	if d := t.did[top]; d != nil {
		t.tellOf(top, d)
		delete(t.did, top)
	}
}

// turn attributes what was counted since the latest turn to the tests that run.
func (t *tests) turn() {
	now := t.read()
	for top := range t.running {
		d := t.did[top]
		if d == nil {
			d = new(did)
			t.did[top] = d
		}
		d.overlapped = d.overlapped || len(t.running) > 1
		for len(d.sites) < len(now) {
			d.sites = append(d.sites, counted{})
		}
		for i, n := range now {
			if i < len(t.last) {
				n.calls -= t.last[i].calls
				n.objects -= t.last[i].objects
			}
			d.sites[i].calls += n.calls
			d.sites[i].objects += n.objects
		}
	}
	t.last = now
}

// tellOf writes the line of a test.
func (t *tests) tellOf(top string, d *did) {
	of := Test{Package: t.pkg, Test: top, Overlapped: d.overlapped, On: on()}
	for i, n := range d.sites {
		if n == (counted{}) {
			continue
		}
		if name := t.name(i); name != "" {
			of.Functions = append(of.Functions, Function{name, n.calls, n.objects})
		}
	}
	line, err := json.Marshal(of)
	if err == nil && !t.failed {
		err = t.write(append(line, '\n'))
	}
	if err != nil {
		t.failed = true
		console.Say("counts: %v; those of tests from %s on are missing", err, top)
	}
}

// on says what counts may depend on besides the program.
func on() string {
	cpus := "1 CPU"
	if n := runtime.GOMAXPROCS(0); n != 1 {
		cpus = strconv.Itoa(n) + " CPUs"
	}
	return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", " + cpus
}
