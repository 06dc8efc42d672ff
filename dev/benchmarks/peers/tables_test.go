package main

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// TestTables compares the tables of made-up rounds.
func TestTables(t *testing.T) {
	n := func(n uint64) *uint64 { return &n }
	zero := 0.0
	s := &summary{rounds: 3, absent: []absence{{"LTTng-UST", "`lttng` not found"}}}
	for i := range 3 {
		d := float64(i)
		s.add(waymarkName, measure.Result{Rung: rungMemory, Shape: "leaf", Floor: 20, Plain: 3, Traced: 24 + d, Over: 21 + d, Allocs: &zero, Events: 100})
		s.add(waymarkName, measure.Result{Rung: rungMemory, Shape: "two ints", Floor: 20, Plain: 3, Traced: 26 + d, Over: 23 + d, Allocs: &zero, Events: 100})
		s.add(waymarkName, measure.Result{Rung: rungFile, Shape: sustained, Events: 1000, Bytes: 1300, Lost: n(0), PerSecond: 41e6})
		s.add("uftrace", measure.Result{Rung: "mcount, on", Shape: "leaf", Floor: 20, Plain: 2, Traced: 68, Over: 66, Events: 100})
		s.add("uftrace", measure.Result{Rung: "mcount, on", Shape: cCalls, Events: 1000, Lost: n(100), Bytes: 14400, PerSecond: 24e6})
	}
	var b strings.Builder
	for _, write := range []func(*strings.Builder) error{
		func(b *strings.Builder) error { return s.writeShapes(b) },
		func(b *strings.Builder) error { return s.writePeers(b) },
		func(b *strings.Builder) error { return s.writeAbsent(b) },
	} {
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
	}
	want := `### waymark, to memory

| Calls | Plain, ns | Adds p50, ns | p99, ns | x floor | Allocations | Bytes/event | Lost |
|---|---|---|---|---|---|---|---|
| leaf | 3.00 | +22.0 | +23.0 | 1.10 | 0 | - | - |
| two ints | 3.00 | +24.0 | +25.0 | 1.20 | 0 | - | - |

### Side by side

| Tracer | Rung | Leaf p50, ns | p99, ns | Recursion level, ns | x floor | Allocations | Bytes/event | Lost | M events/s | x waymark |
|---|---|---|---|---|---|---|---|---|---|---|
| waymark | to memory | +22.0 | +23.0 | - | 1.10 | 0 | - | - | - | - |
| uftrace | mcount, on | +66.0 | +66.0 | - | 3.30 | - | 16.00 | 10 % | 24 | 3.0 |

### Absent

| Tracer | Why |
|---|---|
| LTTng-UST | ` + "`lttng` not found" + ` |

`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}

	got := map[string][]string{}
	for _, b := range bars() {
		cells := b.cells(s)
		got[cells[0]] = cells[2:]
	}
	for figure, want := range map[string][]string{
		"on, to memory, goroutine known":                               {"1.10 x", "yes"},
		"two int arguments, to memory":                                 {"+2.0 ns", "yes"},
		"on, to file, `block`, sustained by a program that makes more": {"41.0 M events/s", "yes"},
		"report": {"not measured", "-"},
	} {
		if diff := cmp.Diff(want, got[figure]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", figure, diff)
		}
	}
}

// TestXRayCount counts the records of a log made by hand.
func TestXRayCount(t *testing.T) {
	log := make([]byte, 32) // header
	log = append(log, append([]byte{1}, make([]byte, 15)...)...)
	log = append(log, make([]byte, 8)...)
	log = append(log, append([]byte{2}, make([]byte, 7)...)...)
	if n, err := xrayCount(log); n != 2 || err != nil {
		t.Errorf("got %d, %v, want 2 records", n, err)
	}
	if _, err := xrayCount(log[:31]); err == nil {
		t.Error("half a header: no error")
	}
}

// TestLTTngDiscarded reads what lttng list prints.
func TestLTTngDiscarded(t *testing.T) {
	const list = `<command><output><sessions><session><domains><domain><channels>
		<channel><attributes><discarded_events>3</discarded_events></attributes></channel>
		<channel><attributes><discarded_events>4</discarded_events></attributes></channel>
		</channels></domain></domains></session></sessions></output></command>`
	if n, err := lttngDiscarded([]byte(list)); n != 7 || err != nil {
		t.Errorf("got %d, %v, want 7", n, err)
	}
	if _, err := lttngDiscarded([]byte("<command/>")); err == nil {
		t.Error("no channel: no error")
	}
}

// TestMistakes looks at what is said about flags that make no sense.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rounds 0", "want at least 1"},
		{"-only nobody", `-only "nobody": no tracer`},
		{"-only (", "-only: "},
		{"extra", "want flags only"},
		{"-child nothing", `-child "nothing": no such rung`},
	} {
		err := mainErr(t.Context(), strings.Fields(c.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
}

// TestFailure: a tracer that fails is left out, said, and the others go on.
func TestFailure(t *testing.T) {
	good := peer{
		name: "good", absent: func(*bench) string { return "" },
		round: func(*bench) ([]measure.Result, error) { return []measure.Result{{Rung: "on", Shape: "leaf"}}, nil },
	}
	bad := peer{
		name: "bad", absent: good.absent,
		round: func(*bench) ([]measure.Result, error) { return nil, errors.New("broken\nmore") },
	}
	s := (&bench{ctx: t.Context()}).measure([]peer{bad, good}, 2, io.Discard)
	want := []absence{{"bad", "failed: in round 1: broken"}}
	if diff := cmp.Diff(want, s.absent, cmp.AllowUnexported(absence{})); diff != "" || s.failed != 1 {
		t.Errorf("%d failed, want 1; absent (-want +got):\n%s", s.failed, diff)
	}
	if r := s.find("good", "on", "leaf"); r == nil || len(r.results) != 2 {
		t.Errorf("good: got %v, want two rounds", r)
	}
}

// TestDocument: docs/performance.md describes each other tracer and each shape of calls, and
// has a place for the tables.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(b), "<!-- PEERS: ")
	if !ok || !strings.Contains(string(b), "<!-- END PEERS -->") {
		t.Error("no place for the tables")
	}
	for _, p := range peers() {
		if p.name != waymarkName && !strings.Contains(before, "| "+p.name+" |") {
			t.Errorf("%s isn't described", p.name)
		}
	}
	source, err := os.ReadFile("../ladder/shapes.go")
	if err != nil {
		t.Fatal(err)
	}
	shapes := regexp.MustCompile(`(?:Name: |\{)"([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(shapes) < 18 {
		t.Fatalf("found %d shapes of calls in ladder/shapes.go, want at least 18", len(shapes))
	}
	for _, s := range shapes {
		// 2 goroutines is described in a row with others: "1, 2, 4, ...".
		if name := strings.TrimSuffix(strings.TrimSuffix(s[1], " goroutines"), " goroutine"); !strings.Contains(before, name) {
			t.Errorf("calls %q aren't described", s[1])
		}
	}
}
