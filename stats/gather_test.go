package stats

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// counts are the sums of a program whose tests make its calls. A tick takes 2 ns.
type counts struct {
	tick       uint64
	calls      map[uint32]rt.Sum
	open       map[uint32]rt.Open
	histograms bool
	paths      bool
	waits      bool
	nodes      []rt.Path
	sites      uint32
	objects    []rt.Object
	makes      bool // objects are counted
	mallocs    uint64
}

func (c *counts) Enabled() bool { return true }

// Clock goes on with each reading, as nobody waits for a fake clock.
func (c *counts) Clock() (clock uint64, mono int64) {
	c.tick += uint64(shortest)
	return c.tick, int64(2 * c.tick)
}

func (c *counts) Histograms(on bool)       { c.histograms = on }
func (c *counts) WaitTimes(on bool)        { c.waits = on }
func (c *counts) Sites() uint32            { return c.sites }
func (c *counts) SumOf(site uint32) rt.Sum { return c.calls[site] }
func (c *counts) TimedGoroutines() uint64  { return 3 }

func (c *counts) Paths(on bool)  { c.paths = on }
func (c *counts) PathNodes() int { return len(c.nodes) }

func (c *counts) SampleFloor() uint64 { return 1 }

func (c *counts) Objects(on bool) { c.makes = on }
func (c *counts) Mute(bool)       {}
func (c *counts) Mallocs() uint64 { return c.mallocs }

func (c *counts) ObjectCounts(f func(rt.Object)) {
	for _, o := range c.objects {
		f(o)
	}
}

func (c *counts) OpenCalls(open []rt.Open, paths []rt.Path) (clock uint64) {
	copy(paths, c.nodes)
	for site, o := range c.open {
		open[site] = o
	}
	return c.tick
}

func (c *counts) HistogramOf(site uint32, f func(from, width uint64, counts [32]uint64)) {
	if c.histograms {
		f(0, 1, [32]uint64{10: c.calls[site].Ended})
	}
}

// gathers returns a state of its own in a program with the functions main.f, main.g and lib.h,
// whose sites are 1, 2 and 3.
func gathers(t *testing.T) (*state, *counts, *switchtest.Runtime) {
	r := switchtest.Fresh(t)
	r.Register("main", switchtest.Functions("main.f", "main.g"), format.Facility{})
	r.Register("lib", switchtest.Functions("lib.h"), format.Facility{})
	c := &counts{tick: 1000, calls: make(map[uint32]rt.Sum), open: make(map[uint32]rt.Open), sites: 4}
	return &state{rt: c}, c, r
}

// ended returns the sums of n calls of 10 ticks each.
func ended(n uint64) rt.Sum {
	return rt.Sum{Calls: n, Ended: n, Total: 10 * n, Self: 10 * n, Least: 10, Most: 10}
}

// calls returns the numbers of calls by function.
func calls(s *Snapshot) map[string]uint64 {
	list := make(map[string]uint64)
	for _, f := range s.Functions {
		list[f.Name] = f.Calls
	}
	return list
}

func TestSwitches(t *testing.T) {
	s, c, r := gathers(t)
	words := func() string {
		return fmt.Sprintf("%q %q %q %v", r.Word("main.f"), r.Word("main.g"), r.Word("lib.h"), c.histograms)
	}
	var g *Gathering
	for _, step := range []struct {
		options Options
		want    string
	}{
		{Options{}, `"timed" "timed" "timed" false`},
		{Options{Histograms: true}, `"timed" "timed" "timed" true`},
		{Options{CallsOnly: true, Histograms: true}, `"counted" "counted" "counted" false`},
		{Options{Functions: func(f Func) bool { return f.Package == "main" }}, `"timed" "timed" "" false`},
	} {
		g.Stop()
		var err error
		if g, err = s.begin(step.options); err != nil || words() != step.want {
			t.Errorf("%+v: %v, words %s; want no error, %s", step.options, err, words(), step.want)
		}
	}
	// A policy is about wishes that see values, which statistics don't.
	switchboard.Default.Guard(switchboard.Policy{Forbid: true})
	if want := `"timed" "timed" "" false`; words() != want {
		t.Errorf("after a policy: words %s, want %s", words(), want)
	}
	if g.Stop(); words() != `"" "" "" false` {
		t.Errorf("after the end: words %s, want none", words())
	}
}

func TestTake(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Histograms: true})
	if err != nil {
		t.Fatal(err)
	}
	c.calls[1] = ended(4)
	c.open[3] = rt.Open{Total: 20, Self: 15, Least: ^uint64(20), Most: 20, Ended: rt.Sum{Calls: 3, Ended: 2, Total: 30, Self: 30, Least: 10, Most: 20}}
	first := g.Snapshot()
	if got, want := calls(first), map[string]uint64{"main.f": 4, "lib.h": 3}; !maps.Equal(got, want) {
		t.Fatalf("calls %v, want %v", got, want)
	}
	if f := first.Functions[0]; f.Total != 80 || f.Self != 80 || f.Min != 20 || f.Max != 20 || f.Mean != 20 || f.Open != 0 || f.Histogram.Count() != 4 {
		t.Errorf("main.f: %+v; want 4 calls of 20 ns, with a histogram", f.Numbers)
	}
	if h := first.Functions[1]; h.Total != 100 || h.Self != 90 || h.Min != 20 || h.Max != 40 || h.Open != 1 {
		t.Errorf("lib.h: %+v; want total 100 ns, self 90 ns, 20 to 40 ns, 1 open", h.Numbers)
	}
	if long := first.To.Sub(first.From); first.Goroutines != 3 || long <= 0 || long%(2*shortest) != 0 {
		t.Errorf("%d goroutines in %v; want 3 in a multiple of %v", first.Goroutines, long, 2*shortest)
	}

	c.calls[1], c.calls[2] = ended(6), ended(1)
	delete(c.open, 3)
	c.calls[3] = rt.Sum{Calls: 3, Ended: 3, Total: 60, Self: 50, Least: 10, Most: 30}
	second := g.Snapshot()
	if got, want := calls(second.Since(first)), map[string]uint64{"main.f": 2, "main.g": 1, "lib.h": 0}; !maps.Equal(got, want) {
		t.Errorf("calls since the first snapshot: %v, want %v", got, want)
	}

	g.Reset()
	if got := calls(g.Snapshot()); len(got) != 0 {
		t.Errorf("calls after Reset: %v, want none", got)
	}
	c.calls[2] = ended(8)
	third := g.Snapshot()
	for name, snap := range map[string]*Snapshot{"taken": third, "since one from before Reset": third.Since(second)} {
		if got, want := calls(snap), map[string]uint64{"main.g": 7}; !maps.Equal(got, want) {
			t.Errorf("%s: calls %v, want %v", name, got, want)
		}
	}
}

// Two gatherings that overlap have what each of them would have alone.
func TestTwo(t *testing.T) {
	s, c, r := gathers(t)
	start := func(o Options) *Gathering {
		t.Helper()
		g, err := s.begin(o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	all := start(Options{Histograms: true})
	c.calls[1], c.calls[2], c.calls[3] = ended(4), ended(1), ended(2)
	counts := start(Options{CallsOnly: true})
	some := start(Options{Functions: func(f Func) bool { return f.Package == "main" }})
	if got := fmt.Sprint(r.Word("main.f"), ", ", r.Word("lib.h"), ", ", c.histograms); got != "counted timed, counted timed, true" {
		t.Errorf("words and histograms %s, want all counted, timed, true", got)
	}
	before := some.Snapshot()
	c.calls[1], c.calls[3] = ended(7), ended(3)
	for _, want := range []struct {
		name  string
		g     *Gathering
		calls map[string]uint64
		total time.Duration // of the first function
		count uint64        // in its histogram
	}{
		{"all", all, map[string]uint64{"main.f": 7, "main.g": 1, "lib.h": 3}, 140, 7},
		{"counts", counts, map[string]uint64{"main.f": 3, "lib.h": 1}, 0, 0},
		{"some", some, map[string]uint64{"main.f": 3}, 60, 0},
	} {
		snap := want.g.Snapshot()
		if got := calls(snap); !maps.Equal(got, want.calls) {
			t.Errorf("%s: calls %v, want %v", want.name, got, want.calls)
			continue
		}
		f := snap.Functions[0]
		if f.Total != want.total || f.Histogram.Count() != want.count || (f.Untimed == 0) != (want.g != counts) {
			t.Errorf("%s: %+v; want a total of %d ns, a histogram of %d", want.name, f.Numbers, want.total, want.count)
		}
	}
	if got, want := calls(some.Snapshot().Since(before)), map[string]uint64{"main.f": 3}; !maps.Equal(got, want) {
		t.Errorf("since a snapshot: calls %v, want %v", got, want)
	}
	if got := calls(all.Snapshot().Since(before))["main.f"]; got != 7 {
		t.Errorf("since a snapshot of another gathering: %d calls of main.f, want all 7", got)
	}

	// What one of them ends, or leaves out, the others still have.
	all.Stop()
	counts.Reset()
	c.calls[1] = ended(8)
	for name, want := range map[*Gathering]uint64{all: 7, counts: 1, some: 4} {
		if got := calls(name.Snapshot())["main.f"]; got != want {
			t.Errorf("%+v: %d calls of main.f, want %d", name.options, got, want)
		}
	}
	if got := fmt.Sprint(r.Word("main.f"), ", ", r.Word("lib.h"), ", ", c.histograms); got != "counted timed, counted, false" {
		t.Errorf("after one has ended: words and histograms %s, want main.f timed, lib.h counted, false", got)
	}
	counts.Stop()
	some.Stop()
	if got := fmt.Sprintf("%q %q", r.Word("main.f"), r.Word("lib.h")); got != `"" ""` {
		t.Errorf("at the end: words %s, want none", got)
	}
}

// Paths of a gathering have its functions only: time of others is their callers', as if it had not
// been measured.
func TestTwoPaths(t *testing.T) {
	s, c, _ := gathers(t)
	if _, err := s.begin(Options{}); err != nil {
		t.Fatal(err)
	}
	g, err := s.begin(Options{Paths: true, Objects: true, Functions: func(f Func) bool { return f.Name != "main.g" }})
	if err != nil {
		t.Fatal(err)
	}
	c.calls[1], c.calls[2], c.calls[3] = ended(1), ended(2), ended(3)
	c.nodes = nodes()
	c.nodes[4].Own = rt.PathSum{Calls: 1, Self: 1} // lib.h > main.f
	c.objects = []rt.Object{{Site: 2 + 1, Node: 2, Objects: 5, Bytes: 120}}
	snap := g.Snapshot()
	want := []string{"main.f 1 1 190 50", "main.f/(other) 7 0 140 140", "lib.h 3 0 62 60", "lib.h/main.f 1 0 2 2"}
	if got := lines(snap.Paths); !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
	if f := snap.Functions[0]; f.Name != "main.f" || f.Self != 20+40 || f.Objects != 5 {
		t.Errorf("%s: self time %d ns, %d objects; want main.f with 60 ns and 5", f.Name, f.Self, f.Objects)
	}
	if got, want := madeLines(snap.Objects), []string{"untyped  main.f 0 5 120"}; !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
}

// What others keep of calls changes nothing of a gathering that doesn't: not the paths of objects, nor
// what its shortest call was.
func TestOthersKeepMore(t *testing.T) {
	s, c, _ := gathers(t)
	start := func(o Options) *Gathering {
		g, err := s.begin(o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	c.calls[1] = rt.Sum{Calls: 1, Ended: 1, Total: 1, Self: 1, Least: 1, Most: 1}
	g := start(Options{Objects: true})
	start(Options{Paths: true, Histograms: true})
	c.calls[1] = rt.Sum{Calls: 2, Ended: 2, Total: 6, Self: 6, Least: 1, Most: 5} // the histogram has 10
	c.nodes = nodes()
	c.objects = []rt.Object{{Site: 1 + 1, Node: 1, Objects: 3, Bytes: 48}, {Site: 1 + 1, Node: 4, Objects: 4, Bytes: 64}}
	snap := g.Snapshot()
	if got, want := madeLines(snap.Objects), []string{"untyped  main.f -1 7 112"}; !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
	if f := snap.Functions[0]; f.Min != 2 || f.Max != 10 {
		t.Errorf("%s took from %d to %d ns, want what all calls took, 2 to 10", f.Name, f.Min, f.Max)
	}
	if snap.kept {
		t.Error("paths are all there, want that they began later")
	}
	if last := start(Options{}); !last.Snapshot().kept {
		t.Error("paths are not all there, want those of a gathering that began later than they")
	}
}

// Calls through different functions that are left out have one path.
func TestTwoPathsAreOne(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Paths: true, Functions: func(f Func) bool { return f.Name != "main.g" }})
	if err != nil {
		t.Fatal(err)
	}
	c.calls[1], c.calls[2], c.calls[3] = ended(1), ended(2), ended(3)
	own := func(calls, self uint64) rt.PathSum { return rt.PathSum{Calls: calls, Self: self} }
	c.nodes = []rt.Path{{}, {Site: 1, Own: own(1, 10)}, {Parent: 1, Site: 2, Own: own(2, 20)}, {Parent: 2, Site: 3, Own: own(3, 30)}, {Parent: 1, Site: 3, Own: own(4, 40)}}
	if got, want := lines(g.Snapshot().Paths), []string{"main.f 1 0 200 60", "main.f/lib.h 7 0 140 140"}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}

// A package that loads while a snapshot is taken has no sums in it yet.
func TestLoadedLater(t *testing.T) {
	s, c, r := gathers(t)
	g, err := s.begin(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Register("late", switchtest.Functions("late.f"), format.Facility{}) // site 4
	c.calls[1], c.calls[4] = ended(1), ended(1)
	if got, want := calls(g.Snapshot()), map[string]uint64{"main.f": 1}; !maps.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	c.sites++
	if got, want := calls(g.Snapshot()), map[string]uint64{"main.f": 1, "late.f": 1}; !maps.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	if r.Word("late.f") != "timed" {
		t.Errorf("late.f is %q, want timed", r.Word("late.f"))
	}
}

// plain has no sums.
type plain struct{ counts }

func (*plain) Enabled() bool { return false }

func TestBeginFails(t *testing.T) {
	s := &state{rt: new(plain)}
	if _, err := s.begin(Options{}); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("%v, want %v", err, ErrNotBuilt)
	}
}
