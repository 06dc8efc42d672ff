package stats

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// lines returns a line for each path: names of the callers and its own, calls, open calls, total and
// self time.
func lines(paths []Path) []string {
	var list []string
	names := make([]string, len(paths))
	for i := range paths {
		p := &paths[i]
		if names[i] = p.Name(); p.Parent >= 0 {
			names[i] = names[p.Parent] + "/" + names[i]
		}
		list = append(list, fmt.Sprint(names[i], " ", p.Calls, " ", p.Open, " ", int64(p.Total), " ", int64(p.Self)))
	}
	return list
}

// nodes are those of main.f, main.f > main.g, main.f > main.g > (other), lib.h, and of lib.h > main.f
// without calls.
func nodes() []rt.Path {
	return []rt.Path{
		{},
		{Site: 1, Own: rt.PathSum{Calls: 1, Open: 1, Self: 5}},
		{Parent: 1, Site: 2, Own: rt.PathSum{Calls: 2, Self: 20}, Other: rt.PathSum{Calls: 7, Self: 70, Panics: 1}},
		{Site: 3, Own: rt.PathSum{Calls: 3, Self: 30, Errors: 2}},
		{Parent: 3, Site: 1},
	}
}

func TestPaths(t *testing.T) {
	s, c, _ := gathers(t)
	var g *Gathering
	for _, o := range []Options{{Paths: true, CallsOnly: true}, {}, {Paths: true}} {
		g.Stop()
		var err error
		if g, err = s.begin(o); err != nil || c.paths != (o.Paths && !o.CallsOnly) {
			t.Fatalf("%+v: %v, paths kept %v", o, err, c.paths)
		}
	}
	c.calls[1] = ended(1)
	c.nodes = nodes()
	first := g.Snapshot()
	want := []string{"main.f 1 1 190 10", "main.f/main.g 2 0 180 40", "main.f/main.g/(other) 7 0 140 140", "lib.h 3 0 60 60"}
	if got := lines(first.Paths); !reflect.DeepEqual(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
	if other := first.Paths[2]; other.Func != nil || other.Panics != 1 || first.Paths[3].Errors != 2 {
		t.Errorf("%+v, %+v; want 1 panic of the other calls, 2 errors of lib.h", other, first.Paths[3])
	}

	// A difference has the paths on which something happened, and what leads to them.
	c.nodes[2].Own.Calls++
	c.nodes[2].Own.Self += 10
	c.nodes[3].Own.Self -= 5 // clocks that differ
	c.nodes[1].Own.Open = 0
	second := g.Snapshot()
	want = []string{"main.f 0 0 20 0", "main.f/main.g 1 0 20 20"}
	if got := lines(second.Since(first).Paths); !reflect.DeepEqual(got, want) {
		t.Errorf("since the first snapshot %q, want %q", got, want)
	}
	if got := lines(second.Since(nil).Paths); len(got) != 4 {
		t.Errorf("since the beginning %q, want 4 paths", got)
	}
	g.Reset()
	if got := g.Snapshot().Paths; len(got) != 0 {
		t.Errorf("after Reset %q, want none", lines(got))
	}
	c.nodes = append(c.nodes, rt.Path{Parent: 4, Site: 9, Own: rt.PathSum{Calls: 1}}) // of a package that has just been loaded
	want = []string{"lib.h 0 0 0 0", "lib.h/main.f 0 0 0 0", "lib.h/main.f/(other) 1 0 0 0"}
	if got := lines(g.Snapshot().Paths); !reflect.DeepEqual(got, want) {
		t.Errorf("after another call %q, want %q", got, want)
	}
}

func TestPathsJSON(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Paths: true})
	if err != nil {
		t.Fatal(err)
	}
	c.nodes = nodes()
	snap := g.Snapshot()
	b, err := json.Marshal(snap)
	if err != nil {
		t.Fatal(err)
	}
	if part := `"list":[{"parent":-1,"function":0,"calls":1,"open":1,"self_ns":10},{"parent":0,"function":1,"calls":2,"self_ns":40},{"parent":1,"function":-1,"calls":7,"panics":1,"self_ns":140},`; !strings.Contains(string(b), part) {
		t.Errorf("no %s in\n%s", part, b)
	}
	var back Snapshot
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back.Paths, snap.Paths) {
		t.Errorf("read again: %v, %q, want %q", err, lines(back.Paths), lines(snap.Paths))
	}
	for _, bad := range []string{`{"parent":0,"function":0}`, `{"parent":-2,"function":0}`, `{"parent":-1,"function":1}`, `{"parent":-1,"function":-2}`} {
		if err := json.Unmarshal([]byte(`{"paths":{"functions":[{"name":"f"}],"list":[`+bad+`]}}`), &back); err == nil || !strings.HasPrefix(err.Error(), "path 0 has parent ") {
			t.Errorf("%s: %v, want an error", bad, err)
		}
	}
}

func TestPathsText(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Paths: true})
	if err != nil {
		t.Fatal(err)
	}
	c.nodes = nodes()
	c.nodes[3].Own.Self = 95 // the greatest of all but main.f
	c.nodes[4].Own = rt.PathSum{Calls: 1, Self: 1}
	snap := g.Snapshot()
	const head = `
Call tree:
  Total time  Self time     %  Calls  Panics  Errors  Function
  ----------  ---------  ----  -----  ------  ------  -------------
`
	const rows = `      192 ns     190 ns  50.3      3       -       2  lib.h
`
	const small = `        2 ns       2 ns   0.5      1       -       -    main.f
`
	const rest = `      190 ns      10 ns  49.7      1       -       -  main.f (open)
      180 ns      40 ns  47.1      2       -       -    main.g
      140 ns     140 ns  36.6      7       1       -      (other)
`
	for top, want := range map[int]string{0: head + rows + small + rest, 10: head + rows + rest + "  1 path below 1 % of the time left out\n"} {
		var b strings.Builder
		Text{Snapshot: snap, Top: top}.WriteTo(&b)
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("top %d: got\n%s\nwant at the end\n%s", top, b.String(), want)
		}
	}
}

// With samples, too, nodes that nobody has used make no path.
func TestPathsUnused(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Paths: true})
	if err != nil {
		t.Fatal(err)
	}
	c.calls[1] = ended(1)
	sample := rt.Path{Parent: 1, Site: 1<<format.SampleShift | 2}
	sample.Sample.Calls = 1
	c.nodes = append(nodes()[:2], sample, rt.Path{})
	want := []string{"main.f 1 1 10 10", "main.f/main.g 1 0 0 0"}
	if got := lines(g.Snapshot().Paths); !reflect.DeepEqual(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
}

// The tree marks what is estimated, as waymark run --tree does: totals with what is below them, but
// not numbers of calls that were all timed.
func TestPathsTextEstimated(t *testing.T) {
	spin, leaf := &Func{Name: "main.spin"}, &Func{Name: "main.leaf"}
	s := &Snapshot{
		Functions: []Stat{
			{Func: *spin, Numbers: Numbers{Calls: 60, Estimate: new(Estimate)}},
			{Func: *leaf, Numbers: Numbers{Calls: 100, Untimed: 90, Estimate: &Estimate{Samples: 10}}},
		},
		Paths: []Path{
			{Func: &Func{Name: "main.main"}, Parent: -1, Calls: 1, Self: 10},
			{Func: spin, Parent: 0, Calls: 60, Self: 30, Estimated: true},
			{Func: leaf, Parent: 1, Calls: 100, Self: 60, Estimated: true},
		},
	}
	addTotals(s.Paths)
	const want = `
Call tree:
  Total time  Self time      %  Calls  Panics  Errors  Function
  ----------  ---------  -----  -----  ------  ------  -------------
     ≈100 ns      10 ns  100.0      1       -       -  main.main
      ≈90 ns     ≈30 ns   90.0     60       -       -    main.spin
      ≈60 ns     ≈60 ns   60.0   ≈100       -       -      main.leaf
`
	if got := s.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
}
