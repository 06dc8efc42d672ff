// Benchmarks measures what tracing costs, all rungs in one run: see `make bench`.
//
// It must be built by waymark with the functions of package traced instrumented:
//
//	waymark build --include ./traced --all -o bench . && ./bench -waymark waymark
//
// Rounds of the rungs alternate, so that what else the machine does hits all of them.
// Figures are medians over the rounds, as ratios to the floor of two reads of the
// clock in the same run.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/memory"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
	"github.com/waymark-go/waymark/internal/program/rt"
)

var (
	rounds  = flag.Int("rounds", 11, "rounds of each rung")
	calls   = flag.Int("calls", 2_000_000, "calls in a round")
	waymark = flag.String("waymark", "waymark", "the command, for the rungs that read recordings")
	child   = flag.String("child", "", "for its own use: run as the child of this name")
)

const factor = 0x9E37

func main() {
	flag.Parse()
	if !rt.Enabled {
		fmt.Fprintln(os.Stderr, "benchmarks: not built by waymark; see make bench")
		os.Exit(1)
	}
	var err error
	switch *child {
	case "memory":
		err = toMemory()
	case "file":
		err = toFile()
	case "":
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// A rung is something to measure.
type rung struct {
	name string
	run  func(n int)
	ns   []float64 // per call, one for each round
}

func (r *rung) median() float64 {
	s := slices.Sorted(slices.Values(r.ns))
	return s[len(s)/2]
}

// measure runs the rungs in turns.
func measure(rungs []*rung) {
	for round := range *rounds + 1 {
		for _, r := range rungs {
			start := time.Now()
			r.run(*calls)
			if round > 0 { // the first warms up
				r.ns = append(r.ns, float64(time.Since(start).Nanoseconds())/float64(*calls))
			}
		}
	}
}

func floor(n int) { rt.Floor(n) }

func plainLeaf(n int) {
	s := 0
	for i := range n {
		s += plain.Leaf(i, factor)
	}
	runtime.KeepAlive(s)
}

func tracedLeaf(n int) {
	s := 0
	for i := range n {
		s += traced.Leaf(i, factor)
	}
	runtime.KeepAlive(s)
}

// Calls whose arguments are recorded: what they take over those of tracedLeaf, which
// does the same, is the cost of the values.

func tracedInts(n int) {
	s := 0
	for i := range n {
		s += traced.Ints(i, factor)
	}
	runtime.KeepAlive(s)
}

func tracedText(n int) {
	s := 0
	for range n {
		s += traced.Text("a name of 24 characters.", factor)
	}
	runtime.KeepAlive(s)
}

func tracedStruct(n int) {
	s := 0
	for i := range n {
		s += traced.Struct(traced.Order{ID: i, Name: "a name of 24 characters.", Amount: 9.99, Open: true})
	}
	runtime.KeepAlive(s)
}

const depth = 10

func plainRecurse(n int) {
	s := 0
	for range n / depth {
		s += plain.Recurse(depth - 1)
	}
	runtime.KeepAlive(s)
}

func tracedRecurse(n int) {
	s := 0
	for range n / depth {
		s += traced.Recurse(depth - 1)
	}
	runtime.KeepAlive(s)
}

// toMemory measures with tracing off and with events going to memory.
func toMemory() error {
	off := []*rung{
		{name: "plain leaf", run: plainLeaf}, {name: "leaf", run: tracedLeaf},
		{name: "plain recursion", run: plainRecurse}, {name: "recursion", run: tracedRecurse},
	}
	measure(off)
	allocs := testing.AllocsPerRun(10, func() { tracedLeaf(1000); tracedRecurse(1000) })

	if err := memory.Record(); err != nil {
		return err
	}
	on := []*rung{
		{name: "floor", run: floor},
		{name: "plain leaf", run: plainLeaf}, {name: "leaf", run: tracedLeaf},
		{name: "plain recursion", run: plainRecurse}, {name: "recursion", run: tracedRecurse},
		{name: "two ints", run: tracedInts}, {name: "string and int", run: tracedText}, {name: "struct", run: tracedStruct},
	}
	measure(on)
	allocsOn := testing.AllocsPerRun(10, func() { tracedLeaf(1000); tracedRecurse(1000); tracedInts(1000); tracedText(1000); tracedStruct(1000) })
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"off leaf": off[1].median() - off[0].median(), "off recursion": off[3].median() - off[2].median(),
		"plain leaf": off[0].median(), "plain recursion": off[2].median(),
		"floor":   on[0].median(),
		"on leaf": on[2].median() - on[1].median(), "on recursion": on[4].median() - on[3].median(),
		"ints": on[5].median() - on[2].median(), "text": on[6].median() - on[2].median(), "struct": on[7].median() - on[2].median(),
		"allocs": allocs + allocsOn,
	})
}

// toFile measures while the recorder runs, to a file or in a ring: one goroutine makes
// calls as fast as it can.
func toFile() error {
	rungs := []*rung{{name: "floor", run: floor}, {name: "plain leaf", run: plainLeaf}, {name: "leaf", run: tracedLeaf}}
	*calls *= 4
	start := time.Now()
	measure(rungs)
	busy := time.Since(start)
	for _, r := range rungs[:2] {
		busy -= time.Duration(sum(r.ns) * float64(*calls))
	}
	events := float64(2 * *calls * (*rounds + 1))
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"floor": rungs[0].median(), "file leaf": rungs[2].median() - rungs[1].median(),
		"events per second": events / busy.Seconds(),
	})
}

func sum(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}

func run() error {
	dir, err := os.MkdirTemp("", "waymark-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mem, err := start("memory")
	if err != nil {
		return err
	}
	trace := filepath.Join(dir, "bench.wmt")
	out, err := start("file", "WAYMARK=record,o="+trace)
	if err != nil {
		return err
	}
	ring, err := start("file", "WAYMARK=record,overflow=ring,o="+filepath.Join(dir, "ring.wmt"))
	if err != nil {
		return err
	}
	floorNS := mem["floor"]
	fmt.Printf("floor: two reads of the clock      %6.1f ns\n", floorNS)
	fmt.Printf("off, over plain: leaf              %+6.2f ns (on %.1f ns)\n", mem["off leaf"], mem["plain leaf"])
	fmt.Printf("off, over plain: a recursion level %+6.2f ns (on %.1f ns)\n", mem["off recursion"], mem["plain recursion"])
	fmt.Printf("allocations, off and on            %6g\n", mem["allocs"])
	fmt.Printf("on, to memory: leaf                %6.2f x floor\n", mem["on leaf"]/floorNS)
	fmt.Printf("on, to memory: a recursion level   %6.2f x floor\n", mem["on recursion"]/floorNS)
	fmt.Printf("on, flight recorder: leaf          %6.2f x floor\n", ring["file leaf"]/ring["floor"])
	fmt.Printf("arguments: two ints                %+6.1f ns\n", mem["ints"])
	fmt.Printf("arguments: a string and an int     %+6.1f ns\n", mem["text"])
	fmt.Printf("arguments: a struct of four fields %+6.1f ns\n", mem["struct"])
	fmt.Printf("on, to file, block: leaf           %6.2f x floor\n", out["file leaf"]/out["floor"])
	fmt.Printf("to file, block                     %6.1f M events/s\n", out["events per second"]/1e6)
	return reading(trace)
}

// start runs this program as a child and returns what it measured.
func start(name string, env ...string) (map[string]float64, error) {
	cmd := exec.Command(os.Args[0], "-child", name, "-rounds", strconv.Itoa(*rounds), "-calls", strconv.Itoa(*calls))
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	m := make(map[string]float64)
	return m, json.Unmarshal(out, &m)
}

// reading measures the report on the recording that the file rung left.
func reading(trace string) error {
	out, err := exec.Command(*waymark, "info", "--format", "json", trace).Output()
	if err != nil {
		return fmt.Errorf("waymark info: %w", err)
	}
	var info struct{ Events, Dropped, Bytes float64 }
	if err := json.Unmarshal(out, &info); err != nil {
		return err
	}
	fmt.Printf("bytes per event                    %6.2f\n", info.Bytes/info.Events)
	fmt.Printf("events lost                        %6.0f of %.0f\n", info.Dropped, info.Events)
	cmd := exec.Command(*waymark, "report", trace)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("waymark report: %w\n%s", err, out)
	}
	took := time.Since(begin)
	fmt.Printf("report                             %6.1f M events/s", info.Events/took.Seconds()/1e6)
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		fmt.Printf(", %d MB", ru.Maxrss>>10)
	}
	fmt.Println()
	return nil
}
