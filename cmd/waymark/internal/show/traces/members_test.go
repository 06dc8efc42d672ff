package traces

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// spawning opens a recording of events, see calltreetest.Events, of which each takes a ms: A is main.handle, B
// main.audit, C main.compute, D main.main.
func spawning(t *testing.T, spawns bool, text string) *tracefile.Set {
	t.Helper()
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	var sites []format.Site
	for i, name := range []string{"main.handle", "main.audit", "main.compute", "main.main"} {
		sites = append(sites, format.Site{Name: name, File: "main.go", Line: 1 + i})
	}
	r := calltreetest.Recording{
		Events: events, Tables: []calltreetest.Table{{Package: "main", Sites: sites}}, Hz: 1000, Spawns: spawns,
		Origins: []tracefile.Origin{{ID: 1, Func: "main.handle", File: "main.go", Line: 1}}, End: events[len(events)-1].Clock + 10,
	}
	file, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{file})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A goroutine is in the trace of its go statement, whenever it makes its first call.
func TestStarted(t *testing.T) {
	handle := Options{Root: named("main.handle")}
	for _, tt := range []struct {
		name, events string
		want         []string
	}{
		{"they run when all requests are over", "A10 >2 a10 A10 >3 a10 +5 @2 <1 B10 C20 +20 c20 b10 . @3 <1 B10 b10 .", []string{
			"1-1000000 main.handle 2ms calls 3 goroutines 2 detached 2", "1-4000000 main.handle 2ms calls 2 goroutines 2 detached 1", "2"}},
		{"one without calls starts one with calls", "A10 >2 @2 >3 @1 a10 A10 a10 @3 <2 B10 b10 .", []string{
			"1-1000000 main.handle 3ms calls 2 goroutines 3 detached 1", "1-5000000 main.handle 1ms calls 1 goroutines 1", "2"}},
		{"a worker that the first request starts", "A10 >2 @2 <1 B10 C20 c20 @1 a10" + strings.Repeat(" A10 @2 C20 c20 @1 a10", 3), []string{
			"1-1000000 main.handle 6ms calls 3 goroutines 2", "1-8000000 main.handle 3ms calls 1 goroutines 1",
			"1-12000000 main.handle 3ms calls 1 goroutines 1", "1-16000000 main.handle 3ms calls 1 goroutines 1", "4"}},
		{"a worker that ends long after", "A10 >2 @2 <1 B10 C20 c20 @1 a10 A10 @2 C20 c20 @1 a10 +1000 @2 b10 .", []string{
			"1-1000000 main.handle 6ms calls 3 goroutines 2", "1-8000000 main.handle 3ms calls 1 goroutines 1", "2"}},
		{"a worker starts another for a later request", "A10 >2 @2 <1 B10 @1 a10 @2 >3 @3 <2 C10 c10 . @2 +2000 b10 .", []string{
			"1-1000000 main.handle 4ms calls 2 goroutines 2", "1"}},
		{"one that handles requests itself", "A10 >2 a10 @2 <1 A10 +3 a10 .", []string{
			"2-5000000 main.handle 4ms calls 1 goroutines 1 parent 1", "1-1000000 main.handle 2ms calls 1 goroutines 2", "2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := spawning(t, true, tt.events)
			if diff := cmp.Diff(tt.want, list(t, set, handle)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			same(t, set, handle)
		})
	}
}

// A recording that doesn't say when goroutines were started is read by what is known. That is the
// trace in which their starters are when the goroutines begin.
func TestStartedOld(t *testing.T) {
	set := spawning(t, false, "A10 a10 A10 +5 @2 <1 B10 b10 . @3 <1 B10 b10 . @1 a10")
	want := []string{"1-3000000 main.handle 14ms calls 3 goroutines 3", "1-1000000 main.handle 1ms calls 1 goroutines 1", "2"}
	if diff := cmp.Diff(want, list(t, set, Options{Root: named("main.handle")})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The calls of a worker that goes on end, in the tree, with the root call.
func TestCut(t *testing.T) {
	set := spawning(t, true, "A10 >2 @2 <1 B10 C20 c20 @1 a10 A10 @2 C20 c20 @1 a10")
	all, _, _, err := List(set, &recording.Filter{}, Options{Root: named("main.handle"), Slowest: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree, _, err := Find(set, &recording.Filter{}, nil, all[0].Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteTree(&b, tree, nil, 0, false); err != nil {
		t.Fatal(err)
	}
	const want = `1-1000000: main.handle on goroutine 1 at 1.000 ms, took 6.000 ms: 3 calls on 2 goroutines

     Total        Self  Function [calls, min, avg, max, total]
  6.000 ms    6.000 ms  main.handle
  3.000 ms    2.000 ms    go main.audit, open
  1.000 ms    1.000 ms      main.compute
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// same checks that a trace that is found by its key is as it is in the list.
func same(t *testing.T, set *tracefile.Set, o Options) {
	t.Helper()
	all, _, _, err := List(set, &recording.Filter{}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all {
		roots := []func(*function.Func) bool{o.Root}
		if set.Processes[0].Info().Spawns {
			roots = append(roots, nil) // else who looks for a trace has to say again what root calls are
		}
		for _, root := range roots {
			tree, _, err := Find(set, &recording.Filter{}, root, want.Key, nil)
			if err != nil {
				t.Fatal(err)
			}
			calls, detached := uint64(0), uint64(0)
			for i := range tree.Nodes {
				n := &tree.Nodes[i].Sum
				calls += n.Calls
				detached += n.Detached
			}
			got := tree.Of
			if got.sums != want.sums || got.Root.Name != want.Root.Name || got.Duration != want.Duration || got.Open != want.Open || calls != want.Calls || detached != want.Detached {
				t.Errorf("%v: list %+v, %v; found %+v, %v, with nodes of %d calls, %d of them detached", want.Key, want.sums, want.Duration, got.sums, got.Duration, calls, detached)
			}
		}
	}
}

// List and Find know the same traces, of whatever program.
func TestSame(t *testing.T) {
	for _, s := range seed.List(40) {
		rnd := rand.New(rand.NewPCG(s, 7))
		text := made(rnd)
		for _, spawns := range []bool{true, false} {
			set := spawning(t, spawns, text)
			for _, o := range []Options{{}, {Root: named("main.handle")}} {
				same(t, set, o)
			}
			if t.Failed() {
				t.Fatalf("with seed %d, spawns %v: %s", s, spawns, text)
			}
		}
	}
}

// made makes a program: goroutines that make calls, start others, wait, and end or not.
func made(rnd *rand.Rand) string {
	type goroutine struct {
		id, parent int
		begun      bool
		open       []int // sites
	}
	var b strings.Builder
	all := []*goroutine{{id: 1, begun: true}}
	next := 2
	for range 5 + rnd.IntN(120) {
		if len(all) == 0 {
			break
		}
		i := rnd.IntN(len(all))
		g := all[i]
		fmt.Fprintf(&b, "@%d ", g.id)
		if !g.begun && rnd.IntN(4) > 0 { // one of four starts another without an event of its own
			fmt.Fprintf(&b, "<%d ", g.parent)
			g.begun = true
		}
		switch n := rnd.IntN(12); {
		case n < 5 && g.begun && len(g.open) < 5:
			site := rnd.IntN(3)
			if g.id == 1 && len(g.open) == 0 && rnd.IntN(2) == 0 {
				site = 3
			}
			g.open = append(g.open, site)
			fmt.Fprintf(&b, "%c%d ", 'A'+site, 10*len(g.open))
		case n < 9 && len(g.open) > 0:
			last := len(g.open) - 1
			fmt.Fprintf(&b, "%c%d ", 'a'+g.open[last], 10*len(g.open))
			g.open = g.open[:last]
		case n == 9:
			fmt.Fprintf(&b, ">%d ", next)
			all = append(all, &goroutine{id: next, parent: g.id})
			next++
		case n == 10 && g.id != 1 && g.begun:
			for last := len(g.open) - 1; last >= 0; last-- {
				fmt.Fprintf(&b, "%c%d ", 'a'+g.open[last], 10*(last+1))
			}
			b.WriteString(". ")
			all = append(all[:i], all[i+1:]...)
		default:
			fmt.Fprintf(&b, "+%d ", []int{1, 5, 300, 1200}[rnd.IntN(4)])
		}
	}
	return b.String() + "@1 +1 B900 b900"
}
