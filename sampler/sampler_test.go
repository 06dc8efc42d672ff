package sampler

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
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
		{Options{Root: "/(/"}, `root "/(/": pattern /(/: error parsing`},
		{Options{Root: "@IO.x"}, `root "@IO.x": samples know no groups`},
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
		{"store.F", "example.com/m/store/v2.F", true},
		{"store.*.F", "example.com/m/store.(*T).F", true},
		{"/T.*F$/", "example.com/m/store.(*T).F", true},
		{"/T.*F$/", "example.com/m/store.(*T).G", false},
	} {
		root, err := compileRoot(c.root)
		if got := root.matches(c.name); got != c.want || err != nil {
			t.Errorf("%q means %s: %v, want %v, error %v", c.root, c.name, got, c.want, err)
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
