package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/function"
	readable "github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// hostile is what readers make of named: it has what formats must escape.
var hostile = readable.Printable(named)

// named is a name in the recording.
const named = "m.f[struct { X int \"a;b|c,d%\" }]</script>\\\n\r\t\x00\x7f\x80\u2028'世"

// names are those of sites 1 (A) and so on.
var names = []string{"main.main", "main.caught", "main.outer", "main.thrower", "main.caught.func1", "main.(*T).child", "main.exits", named, "main.deep", "main.waits"}

// events has a panic that is caught two calls higher up, three generations of goroutines, a Goexit,
// a recursion, and an error. The end of the program finds some calls open.
func events() string {
	var b strings.Builder
	b.WriteString("A10 +7 B20 C30 D40 !40 +3 E50 +2 ^20 e50 b20 ")
	b.WriteString("@2 <1 F10 +11 H20 +1 @3 <2 F10 +5 G20 /20 +4 @4 <3 H10 +9 %8 h10 J10 @3 . @2 h20 f10 . @1 ")
	const deep = 400 // deeper than stacks of samples are
	for i := range deep {
		fmt.Fprintf(&b, "I%d +%d ", 20+10*i, i%3)
	}
	b.WriteString("H9000 +10 h9000 ")
	for i := range deep {
		fmt.Fprintf(&b, "i%d +%d ", 20+10*(deep-1-i), i%5)
	}
	b.WriteString("H20 +10")
	return b.String()
}

// record returns the set of a recording, whose ticks are no nanoseconds.
func record(t testing.TB, text string) *tracefile.Set { return recordAll(t, text, 1) }

// recordAll is record for one process or two, which do the same.
func recordAll(t testing.TB, text string, processes int) *tracefile.Set {
	t.Helper()
	r := made(t, text)
	if processes == 1 {
		return open(t, r.Bytes())
	}
	r.Nonce, r.PID = "one", 42
	one := r.Bytes()
	// The other one was begun later, and has another clock.
	r.Nonce, r.PID, r.Later, r.Hz, r.Start = "two", 43, 100*time.Nanosecond, 24_000_000, 1<<40
	return open(t, one, r.Bytes())
}

func made(t testing.TB, text string) *calltreetest.Recording {
	t.Helper()
	list, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	var sites []format.Site
	for i, name := range names {
		sites = append(sites, format.Site{Name: name, File: "/src/a\"b.go", Line: 10 + i})
	}
	return &calltreetest.Recording{Events: list, End: list[len(list)-1].Clock + 3, Hz: 2_600_000_000,
		Tables: []calltreetest.Table{{Package: "main", Sites: sites}}, Origins: []tracefile.Origin{{ID: 1, Func: "main.main", File: "main.go", Line: 3}}}
}

func open(t testing.TB, recordings ...[]byte) *tracefile.Set {
	t.Helper()
	var files []*tracefile.File
	for i, data := range recordings {
		file, err := calltreetest.Open(fmt.Sprint(i, ".wmt"), data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	set, err := tracefile.Join(files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sums are the numbers of a function.
type sums struct{ calls, total, self int64 }

// readers return the functions of an export, by their names.
var readers = map[string]func(*testing.T, []byte, *ends) map[string]sums{
	"json": readJSON, "folded": readFolded, "speedscope": readSpeedscope, "chrome": readChrome, "pprof": readPprof, "perfetto": readPerfetto, "otlp": readOTLP, "parquet": readParquet, "ctf": readCTF,
	"xml": readXML,
}

// Calls and times of each function are those of a report, in each format.
func TestTotals(t *testing.T) {
	for _, tt := range []struct {
		name      string
		processes int
		filter    recording.Filter
	}{
		{"all", 1, recording.Filter{}},
		{"two processes", 2, recording.Filter{}},
		{"window", 1, recording.Filter{From: 30, To: 900}},
		{"account", 1, recording.Filter{Account: func(f *function.Func) bool { return f.Name != "main.deep" }}},
		{"goroutine", 1, recording.Filter{Goroutine: func(g recording.GoroutineID) bool { return g.ID == 3 }}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := reported(t, recordAll(t, events(), tt.processes), tt.filter)
			if len(want) == 0 {
				t.Fatal("the report is empty")
			}
			for _, f := range formats {
				filter := tt.filter
				filter.Show = func(*function.Func) bool { return true } // else otlp has some calls only
				got := readers[f.Name](t, written(t, f.Name, recordAll(t, events(), tt.processes), filter), nil)
				compare(t, f.Name, want, got)
			}
		})
	}
}

func compare(t *testing.T, name string, want, got map[string]sums) {
	t.Helper()
	for fn, w := range want {
		g := got[fn]
		if name == "ctf" || name == "xml" { // whose texts can't have a zero byte
			g = got[strings.ReplaceAll(fn, "\x00", "\ufffd")]
		}
		switch name {
		case "folded": // which has no calls
			g.calls = w.calls
			if d := g.total - w.total; d >= -5 && d <= 5 { // each path is rounded
				g.total = w.total
			}
		case "json", "chrome", "speedscope", "perfetto", "otlp", "parquet", "ctf", "xml", "viewer": // whose durations are rounded each
			if d := g.total - w.total; d >= -w.calls && d <= w.calls {
				g.total = w.total
			}
			if d := g.self - w.self; (name == "speedscope" || name == "xml" || name == "viewer") && d >= -2*w.calls && d <= 2*w.calls {
				g.self = w.self
			}
		}
		if g != w {
			t.Errorf("%s: %q: %+v, want %+v", name, fn, g, w)
		}
	}
	if len(got) > len(want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// seen returns how formats show a function's name that can't have all characters.
func seen(name string) string {
	return strings.ToValidUTF8(strings.NewReplacer(";", ":", "\n", " ", "\r", " ").Replace(name), "\ufffd")
}

func reported(t *testing.T, set *tracefile.Set, filter recording.Filter) map[string]sums {
	t.Helper()
	r := report.New(report.Options{Filter: filter})
	if err := r.Read(set); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Functions []struct {
			Name              string
			Calls             int64
			Total_ns, Self_ns int64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	list := make(map[string]sums)
	for _, f := range out.Functions {
		list[seen(f.Name)] = sums{f.Calls, f.Total_ns, f.Self_ns}
	}
	return list
}

func written(t testing.TB, name string, set *tracefile.Set, filter recording.Filter) []byte {
	t.Helper()
	var b bytes.Buffer
	f := formats[slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })]
	if _, err := f.Write(&b, set, &filter, Options{Beside: func(string, []byte) error { return nil }}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.Bytes()
}

// What a filter doesn't show takes nothing from the numbers of what it shows.
func TestShown(t *testing.T) {
	all := reported(t, record(t, events()), recording.Filter{})
	filter := recording.Filter{Show: func(f *function.Func) bool { return f.Name == "main.main" || f.Name == "main.deep" }}
	for _, name := range []string{"json", "chrome", "pprof", "perfetto"} {
		got := readers[name](t, written(t, name, record(t, events()), filter), nil)
		delete(got, "(not shown)")
		compare(t, name, map[string]sums{"main.main": all["main.main"], "main.deep": all["main.deep"]}, got)
	}
	for _, tt := range []struct {
		filter recording.Filter
		want   []string
	}{
		{recording.Filter{Depth: 1}, []string{"(not shown)", seen(hostile), "main.(*T).child", "main.main", "main.waits"}},
		{recording.Filter{Root: func(f *function.Func) bool { return f.Name == "main.caught" }}, []string{"main.caught", "main.caught.func1", "main.outer", "main.thrower"}},
		{recording.Filter{Callers: func(f *function.Func) bool { return f.Name == "main.outer" }}, []string{"(not shown)", "main.caught", "main.main", "main.outer"}},
		{recording.Filter{Min: 200 * time.Nanosecond}, []string{"(not shown)", "main.deep", "main.main", "main.waits"}},
	} {
		got := readPprof(t, written(t, "pprof", record(t, events()), tt.filter), nil)
		var names []string
		for name := range got {
			names = append(names, name)
		}
		slices.SortFunc(names, cmp.Compare[string])
		if !slices.Equal(names, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.filter, names, tt.want)
		}
	}
}

// Marks say how calls have ended, and who has started their goroutines.
func TestJSON(t *testing.T) {
	whole := strings.ToValidUTF8(hostile, "\ufffd")
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(string(written(t, "json", record(t, events()), recording.Filter{}))), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m["function"] == "main.deep" {
			continue
		}
		text := fmt.Sprint(m["id"], " ", m["caller"], " g", m["goroutine"], " ", m["function"])
		for _, mark := range []string{"parent_goroutine", "panicked", "recovered", "goexit", "error", "open", "past"} {
			if v, ok := m[mark]; ok {
				text += fmt.Sprint(" ", mark, "=", v)
			}
		}
		got = append(got, text)
	}
	want := []string{
		"5 4 g1 main.caught.func1",
		"4 3 g1 main.thrower panicked=true",
		"3 2 g1 main.outer panicked=true",
		"2 1 g1 main.caught panicked=true recovered=true",
		"10 0 g4 " + whole + " parent_goroutine=3 error=true",
		"9 8 g3 main.exits goexit=true",
		"8 0 g3 main.(*T).child parent_goroutine=2 goexit=true",
		"7 6 g2 " + whole,
		"6 0 g2 main.(*T).child parent_goroutine=1",
		"412 411 g1 " + whole,
		"413 1 g1 " + whole + " open=true",
		"1 0 g1 main.main open=true",
		"11 0 g4 main.waits parent_goroutine=3 open=true",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A damaged recording is exported up to the damage, and its end is well formed.
func TestDamage(t *testing.T) {
	data := made(t, events()).Bytes()
	for _, cut := range []int{len(data) / 3, len(data) / 2, len(data) * 9 / 10} {
		for _, f := range formats {
			set := open(t, data[:cut])
			readers[f.Name](t, written(t, f.Name, set, recording.Filter{}), nil)
		}
	}
}

// With goroutines as labels the numbers of functions stay.
func TestGoroutines(t *testing.T) {
	for processes, want := range map[int][]string{1: {"1", "2", "3", "4"}, 2: {"42/1", "42/2", "42/3", "42/4", "43/1", "43/2", "43/3", "43/4"}} {
		var b bytes.Buffer
		if _, err := writePprof(&b, recordAll(t, events(), processes), &recording.Filter{}, Options{Goroutines: true}); err != nil {
			t.Fatal(err)
		}
		compare(t, "pprof", reported(t, recordAll(t, events(), processes), recording.Filter{}), readPprof(t, b.Bytes(), nil))
		p, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Sample {
			got = append(got, s.Label["goroutine"]...)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("goroutines %q, want %q", got, want)
		}
	}
}
