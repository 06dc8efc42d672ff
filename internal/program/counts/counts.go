// Package counts writes how often each test of the running program called each function, and how many
// heap objects these calls made:
//
//	counts.Start(func(line []byte) error { ... })
//
// Each line is a Test in JSON. Package turns says which test something belongs to.
package counts

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/turns"
	"github.com/waymark-go/waymark/internal/wire/format"
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

// tests are those of the program.
type tests struct {
	*turns.Tests[did]
	pkg    string // import path of the package that is tested
	read   func() []counted
	name   func(site int) string // empty if there is no function
	write  func(line []byte) error
	last   []counted // by site, at the latest turn
	failed bool
}

// did is what a test has done since it ran, by site.
type did []counted

// Start has all functions counted and each test's counts written, if the go command runs the program
// to test a package.
func Start(write func(line []byte) error) {
	rt.SeenOnTests(func(importPath string) {
		owner := switchboard.Default.Join("counts", switchboard.Environment)
		if err := owner.Set(switchboard.Wish{Want: rt.Timed, Kind: "Counts"}); err != nil {
			console.Say("counts: %v", err)
			return
		}
		rt.Objects(rt.ObjectsCounted, true)
		calm()
		t := newTests(importPath, write)
		t.read, t.name = reader(), names()
		rt.SeenOnTests(nil, func(state uint8, name string) {
			if format.TestState(state) == format.TestBegins && !strings.Contains(name, "/") {
				emptyPools()
			}
			t.Tell(format.TestState(state), name)
		})
	}, nil)
}

// heapLimit is up to where the heap grows without a garbage collection, bytes.
const heapLimit = 1 << 30

// calm puts garbage collections off, unless the user has said when they shall be. They empty pools, so
// that objects of all who use fmt, say, depended on the moment.
func calm() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heapLimit)
}

// emptyPools has a test find the same whether others ran before it or not. What a first collection
// takes from pools is still theirs until the second.
func emptyPools() {
	runtime.GC()
	runtime.GC()
}

func newTests(pkg string, write func([]byte) error) *tests {
	t := &tests{pkg: pkg, write: write}
	t.Tests = turns.New(t.take, t.tell)
	return t
}

// reader returns the function that returns what was counted since the program began.
func reader() func() []counted {
	chance := make(map[unsafe.Pointer]bool) // by type
	return func() []counted {
		list := make([]counted, rt.Sites())
		for site := range list {
			list[site].calls = rt.SumOf(uint32(site)).Calls
		}
		rt.ObjectCounts(func(o rt.Object) {
			site := int(o.Site) - 1
			if o.Own || site < 0 || site >= len(list) {
				return
			}
			is, known := chance[o.Type]
			if !known {
				is = byChance(&o)
				chance[o.Type] = is
			}
			if !is {
				list[site].objects += o.Objects
			}
		})
		return list
	}
}

// spares are the types of which package runtime keeps used objects, and of its list of goroutines.
// It makes an object if there is none at the moment, which depends on the scheduler.
var spares = []string{"runtime.g", "*runtime.g", "runtime.m", "runtime.sudog", "runtime._defer"}

// hashNode begins the names of the types of inner nodes of sync.Map. How many there are depends on the random
// seed of the map, and of the maps that packages reflect and testing have.
const hashNode = "internal/sync.indirect["

// byChance reports whether the number of objects of a type is chance.
func byChance(o *rt.Object) bool {
	name, _ := objects.Name(o)
	return slices.Contains(spares, name) || strings.HasPrefix(name, hashNode)
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

// take returns what adds that which was counted since the latest turn.
func (t *tests) take() (add func(*did)) {
	now, last := t.read(), t.last
	t.last = now
	return func(d *did) {
		for len(*d) < len(now) {
			*d = append(*d, counted{})
		}
		for i, n := range now {
			if i < len(last) {
				n.calls -= last[i].calls
				n.objects -= last[i].objects
			}
			(*d)[i].calls += n.calls
			(*d)[i].objects += n.objects
		}
	}
}

// tell writes the line of a test.
func (t *tests) tell(test string, d *did, overlapped bool) {
	of := Test{Package: t.pkg, Test: test, Overlapped: overlapped, On: on()}
	for i, n := range *d {
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
		console.Say("counts: %v; those of tests from %s on are missing", err, test)
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
