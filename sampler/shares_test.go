package sampler

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/callgraph"
)

var long = flag.Bool("long", false, "compare with runtime/pprof, which takes half a minute of a quiet machine")

// shares takes samples until the shares of some functions are those wanted, each to 5 points:
// chance decides which ones a few samples see. wanted is called after the samples.
func shares(t *testing.T, o Options, wanted func() map[string]float64, of func(*callgraph.Tree) map[string]float64) *callgraph.Tree {
	t.Helper()
	for n := int64(400); ; n *= 2 {
		tree := sample(t, o, n)
		got, want, wrong := of(tree), wanted(), ""
		for name := range want {
			if !near(got[name], want[name]) {
				wrong += fmt.Sprintf("%s has %.3f of the time, want %.3f\n", name, got[name], want[name])
			}
		}
		if wrong == "" && len(want) > 0 {
			return tree
		}
		if n >= 6400 { // chance, and other work on the machine
			t.Fatalf("after %d samples:\n%s%s", n, wrong, tree)
		}
		t.Logf("after %d samples:\n%s", n, wrong)
	}
}

// byFunction returns the shares of functions in the time of the root, by their names in this
// package.
func byFunction(tree *callgraph.Tree) map[string]float64 {
	m := make(map[string]float64)
	tree.Walk(func(path []*callgraph.Node) {
		n := path[len(path)-1]
		m[strings.TrimPrefix(n.Func.Name, here)] += n.Share(tree.Root)
	})
	return m
}

// near reports whether two shares differ by 5 points at most.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.05 }

func TestKnownShares(t *testing.T) {
	defer start(1, compute)()
	want := map[string]float64{"compute": 1, "five40": 0.40, "half": 0.55, "five28": 0.28, "five17": 0.17, "five10": 0.10, "five05": 0.05}
	tree := shares(t, Options{Root: "sampler.compute", Rate: 500, MaxCPU: 1}, func() map[string]float64 { return want }, byFunction)
	// Of the half that half has, chance decides twice as much.
	if got := find(t, tree, "half", "five28").Share(find(t, tree, "half")); math.Abs(got-28.0/55) > 0.1 {
		t.Errorf("five28 has %.3f of half, want 0.51", got)
	}
	if got := tree.Root.CPUShare(tree.Root) + float64(tree.Root.Ready)/float64(tree.Root.Total); got < 0.95 {
		t.Errorf("%.3f of the time is on a CPU or ready, want all of it", got)
	}
	if got := float64(tree.Root.Ready) / float64(tree.Root.Total); got > 0.1 && runtime.GOMAXPROCS(0) > 1 {
		t.Errorf("%.3f of the time is ready, but there is a CPU for the one that computes", got)
	}
	checkSums(t, tree)
	f := find(t, tree, "five40").Func
	if !strings.HasSuffix(f.File, "load_test.go") || f.Line == 0 || f.Package != strings.TrimSuffix(here, ".") {
		t.Errorf("five40 is %+v", f)
	}
}

// checkSums checks that no node has less than its children, and that the parts of the time fit.
func checkSums(t *testing.T, tree *callgraph.Tree) {
	t.Helper()
	tree.Walk(func(path []*callgraph.Node) {
		n := path[len(path)-1]
		var total time.Duration
		var samples int64
		for _, c := range n.Children {
			total += c.Total
			samples += c.Samples
		}
		const rounding = 1000
		if total > n.Total+rounding || samples > n.Samples || n.CPU+n.Ready+n.Syscall > n.Total+rounding || n.Total < 0 {
			t.Errorf("%s: %+v has less than its children: %v, %d samples", n.Func.Name, n, total, samples)
		}
	})
}

// The runtime's CPU profile and the sampler agree about a program that computes.
func TestAgainstPprof(t *testing.T) {
	if !*long {
		t.Skip("compares two samplers, which wants a quiet machine: make test-long")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	end := start(2, compute)
	var profile bytes.Buffer
	// More samples than the 100 per second that StartCPUProfile asks for; it complains on stderr that
	// it can't.
	runtime.SetCPUProfileRate(250)
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	busy(5 * time.Second)
	pprof.StopCPUProfile()
	end()
	file := filepath.Join(t.TempDir(), "cpu.pprof")
	if err := os.WriteFile(file, profile.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", "-unit=ms", "-focus=sampler.compute", "-hide=sampler.spin|runtime.", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := make(map[string]float64)
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+)ms .*  `+regexp.QuoteMeta(here)+`(five\d+)$`).FindAllStringSubmatch(string(out), -1) {
		theirs[m[2]], _ = strconv.ParseFloat(m[1], 64)
	}
	normalize(theirs)
	// One goroutine computes now: with all CPUs busy samples come late.
	defer start(1, compute)()
	var ours map[string]float64
	shares(t, Options{Root: "sampler.compute", Rate: 500, MaxCPU: 1}, func() map[string]float64 { return theirs }, func(tree *callgraph.Tree) map[string]float64 {
		ours = make(map[string]float64)
		for name, share := range byFunction(tree) {
			if strings.HasPrefix(name, "five") {
				ours[name] = share
			}
		}
		normalize(ours)
		return ours
	})
	if a, b := order(ours), order(theirs); len(a) != 5 || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("the order is %v, want pprof's: %v", a, b)
	}
	t.Logf("sampler %v, pprof %v", ours, theirs)
}

// busy waits until the process has used d of CPU time.
func busy(d time.Duration) {
	for end := processTime() + d; processTime() < end; {
		time.Sleep(10 * time.Millisecond)
	}
}

func normalize(m map[string]float64) {
	var sum float64
	for _, v := range m {
		sum += v
	}
	for name := range m {
		m[name] /= sum
	}
}

func order(m map[string]float64) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return m[names[i]] > m[names[j]] })
	return names
}

// Shares of waiting are those that the program measures itself.
func TestWaiting(t *testing.T) {
	w := waits{random: rand.New(rand.NewSource(1))}
	end := start(1, w.run)
	defer func() { end() }()
	// What it measures goes on over all samples.
	tree := shares(t, Options{Root: "sampler.waits.run", Rate: 500, Schedule: FixedRate, MaxCPU: 1}, func() map[string]float64 {
		end()
		m := map[string]float64{"(*waits).doSleep": float64(w.sleep), "(*waits).doReceive": float64(w.receive), "(*waits).doLock": float64(w.lock)}
		normalize(m)
		w.sleep, w.receive, w.lock = 0, 0, 0
		end = start(1, w.run)
		return m
	}, byFunction)
	if got := float64(tree.Root.Waiting()) / float64(tree.Root.Total); got < 0.9 {
		t.Errorf("%.3f of the time is waiting, want nearly all\n%s", got, tree)
	}
	checkSums(t, tree)
}
