package sampler

import (
	"bytes"
	"errors"
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
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/callgraph"
)

// sample takes n samples.
func sample(t *testing.T, o Options, n int64) *callgraph.Tree {
	t.Helper()
	s := mustStart(t, o)
	for s.taken.Load() < n {
		time.Sleep(time.Millisecond)
	}
	tree, err := s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.Sampling.Samples; got < n {
		t.Errorf("%d samples, want %d", got, n)
	}
	return tree
}

func mustStart(t *testing.T, o Options) *Sampler {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const here = "github.com/waymark-go/waymark/sampler."

// find returns the node with the path of names, which are of this package.
func find(t *testing.T, tree *callgraph.Tree, names ...string) *callgraph.Node {
	t.Helper()
	n := tree.Root
	for _, name := range names {
		if n = n.Child(here + name); n == nil {
			t.Fatalf("there is no %s in\n%s", strings.Join(names, " > "), tree)
		}
	}
	return n
}

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

// The states of goroutines, by what they do.
func TestStates(t *testing.T) {
	block := make(chan struct{})
	var mu sync.Mutex
	mu.Lock()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	call, endCall := systemCall()
	var wg sync.WaitGroup
	run := func(f func()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f()
		}()
	}
	run(func() { stateReceive(block) })
	run(func() { stateSelect(block) })
	run(func() { stateLock(&mu) })
	run(func() { stateSpin(block) })
	run(func() { stateRead(read) })
	if call != nil {
		run(func() { stateSyscall(call) })
	}
	run(func() { stateCoroutine(block) })
	tree := sample(t, Options{Rate: 500, MaxCPU: 1}, 100)
	close(block)
	mu.Unlock()
	write.Close()
	if call != nil {
		endCall()
	}
	wg.Wait()
	read.Close()

	found := make(map[string]*callgraph.Node)
	tree.Walk(func(path []*callgraph.Node) {
		n := path[len(path)-1]
		if name := strings.TrimPrefix(n.Func.Name, here); strings.HasPrefix(name, "state") && found[name] == nil {
			found[name] = n
		}
		if strings.Contains(n.Func.Name, "runtime.gopark") || strings.Contains(n.Func.Name, "chanrecv") {
			t.Errorf("%s is in the tree", n.Func.Name)
		}
	})
	for name, part := range map[string]func(*callgraph.Node) time.Duration{
		"stateReceive": (*callgraph.Node).Waiting, "stateSelect": (*callgraph.Node).Waiting, "stateLock": (*callgraph.Node).Waiting,
		"stateRead": (*callgraph.Node).Waiting, "stateCoroutine": (*callgraph.Node).Waiting,
		"stateSpin":    func(n *callgraph.Node) time.Duration { return n.CPU + n.Ready },
		"stateSyscall": func(n *callgraph.Node) time.Duration { return n.Syscall },
	} {
		n := found[name]
		if name == "stateSyscall" && call == nil {
			continue
		}
		if n == nil {
			t.Errorf("%s is not in\n%s", name, tree)
		} else if got := float64(part(n)) / float64(n.Total); got < 0.9 {
			t.Errorf("%s: %.3f of the time is in the state, want all: %+v", name, got, n)
		}
	}
}

//go:noinline
func stateReceive(block chan struct{}) { <-block }

//go:noinline
func stateSelect(block chan struct{}) {
	select {
	case <-block:
	case <-make(chan int):
	}
}

//go:noinline
func stateLock(mu *sync.Mutex) { mu.Lock() }

//go:noinline
func stateSpin(block chan struct{}) {
	for {
		select {
		case <-block:
			return
		default:
			spin(7, 1000)
		}
	}
}

//go:noinline
func stateRead(f *os.File) { f.Read(make([]byte, 1)) }

//go:noinline
func stateSyscall(call func()) { call() }

// With more goroutines that want a CPU than there are CPUs, CPU time is what there is.
func TestReady(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	end := start(4*procs, compute)
	tree := sample(t, Options{Root: "sampler.compute", Rate: 200, MaxCPU: 1}, 50)
	end()
	most := time.Duration(procs) * tree.To.Sub(tree.From)
	if cpu := tree.Root.CPU; cpu > most+most/20 || cpu < most*8/10 {
		t.Errorf("%v of CPU on %d CPUs in %v, want about %v", cpu, procs, tree.To.Sub(tree.From), most)
	}
	if got := float64(tree.Root.Ready) / float64(tree.Root.Total); math.Abs(got-0.75) > 0.1 {
		t.Errorf("%.3f of the time is ready, want 0.75", got)
	}

	// With as many as there are CPUs, each has one: the sampler's goroutine is not in the way.
	end = start(procs, compute)
	tree = sample(t, Options{Root: "sampler.compute", Rate: 200, MaxCPU: 1}, 30)
	end()
	if got := float64(tree.Root.Ready) / float64(tree.Root.Total); got > 0.15 {
		t.Errorf("%.3f of the time is ready, want none", got)
	}
}

// Only the outermost call of a root counts, and what is called from elsewhere does not.
func TestRootRecursive(t *testing.T) {
	block, before := make(chan struct{}), arrived.Load()
	for i := 0; i < 3; i++ {
		go many(0, block)
	}
	go few(0, block)
	defer close(block)
	await(before, 4)
	tree := sample(t, Options{Root: "sampler.nest", Rate: 500, MaxCPU: 1}, 20)
	depth, at := 0, tree.Root
	for ; len(at.Children) > 0; at = at.Children[0] {
		depth++
	}
	if depth != 8 || tree.Root.Samples != 4*tree.Sampling.Samples {
		t.Errorf("depth %d with %d stacks of %d samples, want 8 with 4 for each\n%s", depth, tree.Root.Samples, tree.Sampling.Samples, tree)
	}
	if tree := sample(t, Options{Root: "sampler.many", Rate: 500, MaxCPU: 1}, 20); tree.Root.Samples != 3*tree.Sampling.Samples {
		t.Errorf("%d stacks of many in %d samples, want 3 for each", tree.Root.Samples, tree.Sampling.Samples)
	}
}

// Stacks that are deeper than what the runtime returns cheaply are whole; deeper ones are said to
// be cut.
func TestDeep(t *testing.T) {
	for _, c := range []struct {
		depth int
		root  string
		cut   bool
	}{{20, "sampler.deep", false}, {60, "sampler.deep", false}, {60, "", false}, {400, "", true}, {400, "sampler.nest", true}} {
		block := make(chan struct{})
		done := make(chan struct{})
		before := arrived.Load()
		go func() {
			deep(c.depth, block)
			close(done)
		}()
		await(before, 1)
		tree := sample(t, Options{Root: c.root, Rate: 500, MaxCPU: 1}, 10)
		close(block)
		<-done
		depth, cut := 0, false
		tree.Walk(func(path []*callgraph.Node) {
			n := path[len(path)-1]
			if n.Func.Name == here+"nest" {
				depth = max(depth, len(path))
			}
			cut = cut || n.Func.Name == leftOut.Name
		})
		if !c.cut && (depth <= c.depth || tree.Sampling.Cut > 0) {
			t.Errorf("%+v: depth %d, %d cut; want whole stacks", c, depth, tree.Sampling.Cut)
		}
		if c.cut && (tree.Sampling.Cut != tree.Sampling.Samples || depth < 100 || cut != (c.root == "")) {
			t.Errorf("%+v: depth %d, %d cut in %d samples, left out %v", c, depth, tree.Sampling.Cut, tree.Sampling.Samples, cut)
		}
	}
}

//go:noinline
func deep(n int, block chan struct{}) { nest(n, block) }

// Of many goroutines each sample counts a random part, and samples become rare.
func TestManyGoroutines(t *testing.T) {
	goroutines := 10_000
	if testing.Short() {
		goroutines = 2000
	}
	before := arrived.Load()
	endMany := start(goroutines*7/10, many)
	defer endMany()
	endFew := start(goroutines*3/10, few)
	defer endFew()
	await(before, goroutines)
	const most = 200
	tree := sample(t, Options{Rate: 1000, MaxGoroutines: most, MaxCPU: 0.8}, 10)
	s := tree.Sampling
	if s.Counted > most*s.Samples || s.Counted < most*(s.Samples-1) || s.Seen < int64(goroutines)*s.Samples || s.Slowed == 0 {
		t.Errorf("%+v: want %d of all goroutines per sample, and fewer samples", s, most)
	}
	if text := tree.String(); !strings.Contains(text, "a random part of the goroutines") || !strings.Contains(text, "came later") {
		t.Errorf("the tree doesn't say that it has a part only:\n%s", text)
	}
	share := make(map[string]float64)
	tree.Walk(func(path []*callgraph.Node) {
		n := path[len(path)-1]
		share[n.Func.Name] += n.Share(tree.Root)
	})
	if !near(share[here+"many"], 0.7) || !near(share[here+"few"], 0.3) {
		t.Errorf("many has %.3f and few %.3f of the time, want 0.7 and 0.3", share[here+"many"], share[here+"few"])
	}
	// The part stands for all: the time is that of all goroutines.
	took := float64(tree.To.Sub(tree.From)) * float64(goroutines)
	if total := float64(tree.Root.Total); total < took*0.95 || total > took*1.05 {
		t.Errorf("%v of goroutines' time, want %v", time.Duration(total), time.Duration(took))
	}
	checkSums(t, tree)

	// The root is found in spite of the others.
	block := make(chan struct{})
	defer close(block)
	go deep(3, block)
	await(before, goroutines+1)
	if tree := sample(t, Options{Root: "sampler.deep", Rate: 1000, MaxGoroutines: most, MaxCPU: 1}, 5); tree.Root.Samples == 0 {
		t.Errorf("one goroutine of many was not seen")
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Rate: -1}, "rate -1: want 0.001 to 10000 samples per second, or 0 for 99"},
		{Options{Rate: 1e6}, "rate 1e+06: want"},
		{Options{Rate: math.NaN()}, "rate NaN: want"},
		{Options{Rate: math.Inf(1)}, "rate +Inf: want"},
		{Options{Rate: 1e-300}, "rate 1e-300: want"},
		{Options{Schedule: 7}, "schedule 7: want FixedDelay or FixedRate"},
		{Options{MaxGoroutines: -1}, "-1 goroutines per sample: want"},
		{Options{MaxCPU: 1.5}, "a share of 1.5 of a CPU: want"},
		{Options{MaxCPU: math.NaN()}, "a share of NaN of a CPU: want"},
		{Options{MaxNodes: -1}, "-1 nodes: want"},
		{Options{Root: "serve"}, `root "serve": want a package and a function`},
		{Options{Root: "main."}, `root "main.": want a package and a function`},
	} {
		s, err := Start(c.o)
		if s != nil || !errors.Is(err, ErrOptions) || !strings.HasPrefix(err.Error(), "sampler: "+c.want) {
			t.Errorf("%+v: error %v, want %s", c.o, err, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	var none *Sampler
	for _, s := range []*Sampler{none, {}} {
		if _, err := s.Stop(); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "was not started") {
			t.Errorf("Stop without Start: %v", err)
		}
	}
	s := mustStart(t, Options{})
	if _, err := Start(Options{}); !errors.Is(err, ErrSampling) || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("Start after Start: %v", err)
	}
	if _, err := s.Stop(); err != nil && !errors.Is(err, ErrNotSeen) {
		t.Error(err)
	}
	if _, err := s.Stop(); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "stopped before") {
		t.Errorf("Stop after Stop: %v", err)
	}
	s = mustStart(t, Options{Rate: 0.001})
	if _, err := s.Stop(); !errors.Is(err, ErrNotSeen) || !strings.Contains(err.Error(), "no sample was taken") {
		t.Errorf("Stop without samples: %v", err)
	}
}

func TestNotSeen(t *testing.T) {
	defer start(1, compute)()
	for root, want := range map[string]string{
		"sampler.neverCalled": `^sampler: ` + regexp.QuoteMeta(here) + `neverCalled was not seen, \d+ samples in .*: it did not run`,
		"sampler.T.never":     `^sampler: ` + regexp.QuoteMeta(here+"(*T).never") + ` was not seen, .*: it did not run`,
		"sampler.compote":     `the program seems to have no such function; is it ` + regexp.QuoteMeta(here) + `compute`,
		"other.compute":       `^sampler: other.compute was not seen, .*no such function`,
	} {
		s := mustStart(t, Options{Root: root, Rate: 500, MaxCPU: 1})
		for s.taken.Load() < 10 {
			time.Sleep(time.Millisecond)
		}
		tree, err := s.Stop()
		if tree != nil || !errors.Is(err, ErrNotSeen) || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s: error %v, want %s", root, err, want)
		}
	}
	if len(os.Args) == 0 {
		neverCalled()
		new(T).never()
	}
}

//go:noinline
func neverCalled() { sink[1].n++ }

type T struct{ n int }

//go:noinline
func (t *T) never() { t.n++ }

func TestManyRoots(t *testing.T) {
	s := mustStart(t, Options{Root: "store.Open", Rate: 500, MaxCPU: 1})
	for s.taken.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.end()
	s.counts.roots = map[string]bool{"example.com/b/store.Open": true, "example.com/a/store.Open": true}
	tree, err := s.tree(time.Now())
	const want = "sampler: store.Open means several functions: write the whole path of one of example.com/a/store.Open, example.com/b/store.Open"
	if tree != nil || !errors.Is(err, ErrAmbiguous) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestRootNames(t *testing.T) {
	for _, c := range []struct {
		root, name string
		want       bool
	}{
		{"main.f", "main.f", true},
		{"main.f", "example.com/x/main.f", true}, // a package of this name
		{"main.f", "main.f.func1", false},
		{"main.f.func1", "main.f.func1", true},
		{"store.T.F", "example.com/m/store.(*T).F", true},
		{"store.(*T).F", "example.com/m/store.T.F", true},
		{"m/store.T.F", "example.com/m/store.(*T[...]).F", true},
		{"store.T.F", "example.com/m/restore.(*T).F", false},
		{"example.com/m/store.F", "example.com/m/store.F", true},
		{"example.com/m/store.F", "store.F", false},
		{"store.F", "store.F[...]", true},
		{"", "main.f", false},
	} {
		if got := parseRoot(c.root).matches(c.name); got != c.want {
			t.Errorf("%q means %s: %v, want %v", c.root, c.name, got, c.want)
		}
	}
}

// A tree that may have no more nodes keeps the time in those that it has.
func TestMaxNodes(t *testing.T) {
	block, before := make(chan struct{}), arrived.Load()
	defer close(block)
	go many(0, block)
	await(before, 1)
	tree := sample(t, Options{Root: "sampler.many", Rate: 500, MaxCPU: 1, MaxNodes: 4}, 10)
	nodes := 0
	tree.Walk(func([]*callgraph.Node) { nodes++ })
	if nodes != 4 || tree.DroppedNodes == 0 || tree.Root.Samples != tree.Sampling.Samples || !strings.Contains(tree.String(), "the tree is full") {
		t.Errorf("%d nodes, want 4; dropped %d, want some\n%s", nodes, tree.DroppedNodes, tree)
	}
}

// Nothing runs after Stop, whoever starts and stops.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	var mu sync.Mutex
	stopped := 0
	for i := 0; i < 16; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 20; k++ {
				s, err := Start(Options{Rate: MaxRate, MaxCPU: 1})
				if errors.Is(err, ErrSampling) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
				if _, err := s.Stop(); err != nil && !errors.Is(err, ErrNotSeen) {
					t.Error(err)
				}
				mu.Lock()
				stopped++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if stopped == 0 {
		t.Error("no sampler was started")
	}
	// A goroutine that has closed its channel takes a moment to end.
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !bytes.Contains(stacks, []byte(here+"(*Sampler)")) && runtime.NumGoroutine() <= before {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, want %d:\n%s", runtime.NumGoroutine(), before, stacks)
		}
	}
}

// What samples take stays below the share whatever they cost.
func TestPace(t *testing.T) {
	for _, schedule := range []Schedule{FixedDelay, FixedRate} {
		start := time.Unix(0, 0)
		p := pace{start: start, interval: 10 * time.Millisecond, schedule: schedule, share: 0.05}
		now := start
		var cost time.Duration
		slowed := 0
		for i := 0; i < 1000; i++ {
			c := 100 * time.Microsecond
			if i%100 > 80 {
				c = 20 * time.Millisecond
			}
			now = now.Add(c)
			cost += c
			delay, late := p.after(now, c)
			if late {
				slowed++
			}
			if least := 20 * c; delay < min(least, 10*time.Millisecond)/2 && schedule == FixedDelay || delay < 0 {
				t.Fatalf("%v: after a sample of %v the next comes in %v", schedule, c, delay)
			}
			if now = now.Add(delay); schedule == FixedRate && now.Sub(start)%p.interval != 0 {
				t.Fatalf("FixedRate: a sample at %v", now.Sub(start))
			}
			if share := float64(cost) / float64(now.Sub(start)); share > 0.05 {
				t.Fatalf("%v: after %d samples they have taken %.3f, want 0.05 at most", schedule, i+1, share)
			}
		}
		if slowed == 0 || slowed > 600 {
			t.Errorf("%v: %d samples were late, want the expensive ones and a few more", schedule, slowed)
		}
	}
	p := pace{start: time.Unix(0, 0), interval: time.Second, schedule: FixedDelay, share: 1}
	if d, late := p.after(time.Unix(7, 0), time.Millisecond); d != time.Second || late {
		t.Errorf("a cheap sample is followed in %v, late %v", d, late)
	}
}

// Lines of profiles are understood however they are cut.
func TestDeepStacks(t *testing.T) {
	const text = "goroutine profile: total 3\n2 @ 0x10 0x20\n# labels: {\"a @ b\":\"c\"}\n#\t0xf\tmain.f+0x1\t/x.go:1\n\n1 @ 0x30\n#\n"
	for size := 1; size <= len(text); size++ {
		var got []string
		d := deepStacks{visit: func(stack []byte, n int) { got = append(got, fmt.Sprintf("%d %x", n, pcs(stack))) }}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if wrote, err := d.Write(rest[:n]); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if want := "[2 [10 20] 1 [30]]"; fmt.Sprint(got) != want {
			t.Errorf("in pieces of %d: %v, want %s", size, got, want)
		}
	}
}
