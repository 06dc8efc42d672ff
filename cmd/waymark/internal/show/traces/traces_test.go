package traces

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/xmltrace"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/actions"
	"github.com/waymark-go/waymark/tracefile"
)

// open makes a recording of elements, each with its key, its parent and its actions: "1: 0 +a 5 +b 7
// -b 9 -a". Times are in us.
func open(t *testing.T, elements ...string) *tracefile.Set {
	t.Helper()
	var b bytes.Buffer
	w := actions.NewWriter(&b, 0)
	for _, text := range elements {
		fields := strings.Fields(text)
		e := actions.Element{}
		key, parent, _ := strings.Cut(strings.TrimSuffix(fields[0], ":"), "<")
		fmt.Sscan(key, &e.Goroutine)
		e.Key, e.Parent = key, parent
		now := int64(0)
		for _, f := range fields[1:] {
			action := map[byte]actions.Action{'+': actions.Start, '-': actions.End, '!': actions.Exception}[f[0]]
			if action == "" {
				fmt.Sscan(f, &now)
				continue
			}
			e.Add(1e18+now*1000, action, f[1:])
		}
		if err := w.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	name := filepath.Join(t.TempDir(), "in.xml")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, damage, err := xmltrace.Open(name)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	t.Cleanup(func() { f.Close() })
	set, err := tracefile.Join([]*tracefile.File{f.File})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func list(t *testing.T, set *tracefile.Set, o Options) (lines []string) {
	t.Helper()
	all, n, _, err := List(set, &recording.Filter{}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range all {
		line := fmt.Sprintf("%v %s %v calls %d goroutines %d", tr.Key, tr.Root.Name, tr.Duration, tr.Calls, 1+tr.Goroutines)
		for _, m := range []struct {
			n    uint64
			text string
		}{{tr.Panics, "panics"}, {tr.Detached, "detached"}, {tr.Parent, "parent"}} {
			if m.n > 0 {
				line += fmt.Sprintf(" %s %d", m.text, m.n)
			}
		}
		if tr.Failed {
			line += " failed"
		}
		if tr.Open {
			line += " open"
		}
		lines = append(lines, line)
	}
	return append(lines, fmt.Sprint(n))
}

func named(names ...string) func(*function.Func) bool {
	return func(f *function.Func) bool {
		for _, n := range names {
			if f.Name == n {
				return true
			}
		}
		return false
	}
}

func TestList(t *testing.T) {
	requests := []string{
		"1: 0 +main.main 100 -main.main",
		"2<1: 10 +m.handle 11 +m.query 12 -m.query 20 -m.handle 30 +m.handle 35 !m.handle",
		"3<2: 15 +m.audit 40 -m.audit",                                       // started by the first request, and outlives it
		"4<3: 16 +m.log 17 -m.log",                                           // by that one
		"5<2: 22 +m.late 23 -m.late",                                         // between the requests: by the one before, if a recorded function did
		"6: 50 +m.serve 60 +m.handle 70 -m.handle 80 +m.handle 81 -m.handle", // never ends
	}
	for _, tt := range []struct {
		name string
		o    Options
		want []string
	}{
		{"requests", Options{Requests: true, Left: func(list []*Trace, n int) {
			if n != 3 || list[0].Root.Name != "main.main" {
				t.Errorf("%d traces left out, the slowest of %s; want 3, of main.main", n, list[0].Root.Name)
			}
		}}, []string{
			"2-10000 m.handle 10µs calls 4 goroutines 3 detached 1 parent 1",
			"2-30000 m.handle 5µs calls 1 goroutines 1 panics 1 parent 1 failed",
			"2"}},
		{"root calls", Options{}, []string{
			"1-0 main.main 100µs calls 1 goroutines 1",
			"6-50000 m.serve 50µs calls 3 goroutines 1 open",
			"2-10000 m.handle 10µs calls 4 goroutines 3 detached 1 parent 1",
			"2-30000 m.handle 5µs calls 1 goroutines 1 panics 1 parent 1 failed",
			"5-22000 m.late 1µs calls 1 goroutines 1 parent 2",
			"5"}},
		{"of a function", Options{Root: named("m.handle")}, []string{
			"2-10000 m.handle 10µs calls 4 goroutines 3 detached 1 parent 1",
			"6-60000 m.handle 10µs calls 1 goroutines 1",
			"2-30000 m.handle 5µs calls 1 goroutines 1 panics 1 parent 1 failed",
			"6-80000 m.handle 1µs calls 1 goroutines 1",
			"4"}},
		{"outermost calls", Options{Root: named("m.serve", "m.handle"), Slowest: 1}, []string{"6-50000 m.serve 50µs calls 3 goroutines 1 open", "3"}},
		{"failed", Options{Failed: true}, []string{"2-30000 m.handle 5µs calls 1 goroutines 1 panics 1 parent 1 failed", "1"}},
		{"slow, of some functions", Options{Min: 10 * time.Microsecond, Show: named("m.handle", "m.late")}, []string{
			"2-10000 m.handle 10µs calls 4 goroutines 3 detached 1 parent 1", "1"}},
		{"none", Options{Root: named("m.nothing")}, []string{"0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, list(t, open(t, requests...), tt.o)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestLoops has workers, of which half run on, beside requests. They are no requests.
func TestLoops(t *testing.T) {
	set := open(t,
		"1: 0 +main.main 100 -main.main",
		"2<1: 1 +m.work 99 -m.work", "3<1: 1 +m.work 2 -m.work", // half of them run on
		"4<1: 10 +m.handle 20 -m.handle", "5<1: 30 +m.handle 90 -m.handle", "6<1: 40 +m.handle 41 -m.handle", // one of three is that slow
	)
	left := 0
	o := Options{Requests: true, Left: func(_ []*Trace, n int) { left = n }}
	want := []string{
		"5-30000 m.handle 60µs calls 1 goroutines 1 parent 1", "4-10000 m.handle 10µs calls 1 goroutines 1 parent 1", "6-40000 m.handle 1µs calls 1 goroutines 1 parent 1", "3"}
	if diff := cmp.Diff(want, list(t, set, o)); diff != "" || left != 3 {
		t.Errorf("%d left out, want 3; (-want +got)\n%s", left, diff)
	}
	o.Requests = false
	if got := list(t, set, o); got[0] != "1-0 main.main 100µs calls 1 goroutines 1" || len(got) != 7 {
		t.Errorf("all root calls: %q", got)
	}
}

func TestFind(t *testing.T) {
	set := open(t,
		"1: 0 +m.other 5 -m.other 10 +m.handle 12 +m.query 13 -m.query 14 +m.query 20 -m.query 21 +m.parse 22 +m.parse 23 !m.parse 24 -m.parse 30 -m.handle 40 +m.handle 50 -m.handle",
		"2<1: 15 +m.audit 16 +m.query 17 -m.query 35 -m.audit 36 +m.audit 37 -m.audit",
	)
	tree, _, err := Find(set, &recording.Filter{}, nil, Key{recording.GoroutineID{ID: 1}, 10 * time.Microsecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteTree(&b, tree, nil, 0, false); err != nil {
		t.Fatal(err)
	}
	want := `1-10000: m.handle on goroutine 1 at 10.000 us, took 20.000 us: 8 calls on 2 goroutines

     Total        Self  Function [calls, min, avg, max, total]
 20.000 us   10.000 us  m.handle
  7.000 us    7.000 us    m.query [2, 1.000 us, 3.500 us, 6.000 us, 7.000 us]
 21.000 us   20.000 us      go m.audit [2, 1.000 us, 10.500 us, 20.000 us, 21.000 us], 2 detached
  1.000 us    1.000 us        m.query
  3.000 us    2.000 us    m.parse
  1.000 us    1.000 us      m.parse, panicked
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, _, err := Find(set, &recording.Filter{}, nil, Key{recording.GoroutineID{ID: 1}, 11 * time.Microsecond}, nil); !errors.Is(err, ErrNoTrace) {
		t.Errorf("of a key without a trace: %v, want %v", err, ErrNoTrace)
	}
}

// What is written as XML and read again is the same.
func TestXML(t *testing.T) {
	set := open(t,
		"1: 0 +a.f[...] 1 +a|b,c%<&>\"' 2 -a|b,c%<&>\"' 3 !a.f[...] 10 +a.f[...] 20 -a.f[...]",
		"2<1: 1 +a.g 30 -a.g",
	)
	write := func(set *tracefile.Set) string {
		var b bytes.Buffer
		if n, _, err := WriteXML(&b, set, &recording.Filter{}, Options{}, nil); err != nil || n != 2 {
			t.Fatalf("%d traces, %v; want 2", n, err)
		}
		return b.String()
	}
	first := write(set)
	if diff := cmp.Diff(first, write(imported(t, []byte(first)))); diff != "" {
		t.Errorf("(-first +again)\n%s", diff)
	}
	for _, want := range []string{",EXCEPTION,a.f[...]", "a%7Cb%2Cc%25&lt;&amp;&gt;", `parent="1-0"`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
}

func TestKey(t *testing.T) {
	for _, text := range []string{"1-0", "18-1503201", "4711/18-5", "42#2/3-9"} {
		if k, err := ParseKey(text); err != nil || k.String() != text {
			t.Errorf("ParseKey(%q) = %v, %v", text, k, err)
		}
	}
	for _, text := range []string{"", "18", "18-", "-5", "x-5", "18-x", "1,2-5", "18--5"} {
		if k, err := ParseKey(text); err == nil {
			t.Errorf("ParseKey(%q) = %v, want an error", text, k)
		}
	}
}

// What is written as XML and read again has the same traces, by the same keys.
func TestXMLKeys(t *testing.T) {
	set := open(t, "7: 0 +main.main 5 +main.a 9 -main.a 12 +main.a 20 -main.a 30 -main.main", "8<7: 13 +main.a 15 -main.a")
	o := Options{Root: func(f *function.Func) bool { return f.Name == "main.a" }}
	want := list(t, set, o)
	var b bytes.Buffer
	if _, _, err := WriteXML(&b, set, &recording.Filter{}, o, nil); err != nil {
		t.Fatal(err)
	}
	if got := list(t, imported(t, b.Bytes()), o); len(got) != 3 || !slices.Equal(got, want) {
		t.Errorf("read again: %q, want three traces: %q", got, want)
	}
}

// imported reads XML.
func imported(t *testing.T, text []byte) *tracefile.Set {
	t.Helper()
	name := filepath.Join(t.TempDir(), "again.xml")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	f, damage, err := xmltrace.Open(name)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	t.Cleanup(func() { f.Close() })
	set, err := tracefile.Join([]*tracefile.File{f.File})
	if err != nil {
		t.Fatal(err)
	}
	return set
}
