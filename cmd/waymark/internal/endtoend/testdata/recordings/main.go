// Recordings makes one recording after the other, in the way that its first argument names, in the
// folder that the second one names, and prints what it knows of them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/recordings/truth"
)

var dir = os.Args[2]

func main() {
	switch how := os.Args[1]; how {
	case "block", "drop", "ring":
		open(how)
	case "loop":
		loop()
	case "switch":
		switching()
	case "fail":
		fail()
	default:
		panic(how)
	}
}

// begin begins a recording. Its own call is in no recording, as all sites are off when it begins.
func begin(overflow string) *recorder.Recorder {
	path := filepath.Join(dir, fmt.Sprintf("%d.wmt", len(truth.All())+1))
	c := config(path, overflow)
	truth.Begin(path)
	r, err := recorder.Start(c)
	check(err)
	if r.Path() != path {
		panic(r.Path())
	}
	return r
}

// config returns settings in which values are recorded.
func config(path, overflow string) recorder.Config {
	defer truth.Exit("config", truth.Enter("config"))
	c := recorder.Config{Path: path, Buffers: 4 << 20, DumpAtExit: overflow == "ring"}
	c.Values = func(string) recorder.Values { return recorder.Values{Args: true, Results: true, Depth: 3, Bytes: 100} }
	c.Packages = recordAll
	v, err := setting.Find("overflow").Parse("overflow", overflow)
	check(err)
	c.Set("overflow", v)
	return c
}

// recordAll registers all packages and switches their sites on. All sites are off when it begins.
func recordAll(register func(*rt.Package)) {
	for _, p := range packages() {
		register(p)
		for i := range p.Sites {
			rt.Want(p, i, rt.Recorded)
		}
	}
}

// packages returns all packages of the program, which have registered before main begins.
var packages = sync.OnceValue(func() (list []*rt.Package) {
	rt.Packages(func(p *rt.Package) { list = append(list, p) })
	return list
})

// end ends a recording, and is open then.
func end(r *recorder.Recorder) {
	truth.Enter("end")
	err := r.Close()
	truth.End()
	check(err)
	check(r.Close())
	if _, err := r.Dump(); err != fault.ErrNoWindow {
		panic(err)
	}
}

// check ends the program on an error.
func check(err error) {
	if truth.Exit("check", truth.Enter("check")); err != nil {
		panic(err)
	}
}

func printAll() { check(json.NewEncoder(os.Stdout).Encode(truth.All())) }

// mappings returns how many arenas are mapped.
func mappings() int {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	return strings.Count(string(b), ".live")
}
