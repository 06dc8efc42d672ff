package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// The made-up program: A is main.main, B and C are of package store, D main.worker.
var (
	tables = []calltreetest.Table{
		{Package: "example.com/shop", Sites: []format.Site{{Name: "main.main", File: "/src/shop/main.go", Line: 12}}},
		{Package: "example.com/shop/store", Sites: []format.Site{
			{Name: "example.com/shop/store.Open", File: "/src/shop/store/store.go", Line: 30},
			{Name: "example.com/shop/store.(*DB).Get[...]", File: "/src/shop/store/store.go", Line: 48},
		}},
		{Package: "example.com/shop", Sites: []format.Site{{Name: "main.worker", File: "/src/shop/work.go", Line: 7}}},
	}
	origins = []tracefile.Origin{{ID: 1, Func: "main.main", File: "/src/shop/main.go", Line: 20}}
)

const shop = `
	A10 +1500 B20 +2500000 b20 C20 C30 +70000000 c30 c20
	@2 <1 D10 +1200000000 C20 !30 ^10 +90 d10 .
	@3 <1 D10 C20 c20 d10 .
	@1 C20 +30 c20 +64000000000 a10`

func made(t *testing.T, text string) *calltreetest.Recording {
	t.Helper()
	events, err := calltreetest.Events(text)
	if err != nil {
		t.Fatal(err)
	}
	r := &calltreetest.Recording{Path: "/tmp/shop.wmt", Events: events, Tables: tables, Origins: origins, Start: 12_345}
	if len(events) > 0 {
		r.End = events[len(events)-1].Clock + 1000
	}
	return r
}

func open(t *testing.T, r *calltreetest.Recording) *tracefile.File {
	t.Helper()
	f, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func join(t *testing.T, recordings ...*calltreetest.Recording) *tracefile.Set {
	t.Helper()
	var files []*tracefile.File
	for _, r := range recordings {
		files = append(files, open(t, r))
	}
	set, err := tracefile.Join(files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestReport(t *testing.T) {
	killed := made(t, "A10 B20 !30 C40 +100 c40 @2 D10 c50 C20 +5")
	killed.End = 0
	lossy := made(t, "A10 B20 C30 +1000 a10 c90")
	lossy.Lost = 12345
	lossy.Path, lossy.PID, lossy.Later = "/tmp/shop.43.wmt", 43, 2*time.Second
	ticks := made(t, shop)
	ticks.Hz = 3_000_000_000
	nameless := made(t, shop)
	nameless.Tables = tables[:1]
	grouped := made(t, shop)
	grouped.Tables = slices.Clone(tables)
	grouped.Tables[1].Facility = format.Facility{Groups: []string{"p.Opening", "p.Reading"}, Functions: []format.TracedFunction{
		{Name: "DB.Get", Site: 1, Group: 1}, {Name: "Open", Site: 0, Group: 0},
	}}
	grouped.Tables[2].Facility = format.Facility{Groups: []string{"p.Reading"}, Functions: []format.TracedFunction{{Name: "worker", Site: 0}}}
	grouped.Groups = []format.Group{
		{Name: "Opening", Vars: []string{"p.Opening"}}, {Name: "Reading", Vars: []string{"p.Reading"}},
		{Name: "IO", Subgroups: []string{"Opening", "Reading"}}, {Name: "All", Subgroups: []string{"IO", "All"}},
	}
	storeOnly := func(s *function.Func) bool { return strings.HasSuffix(s.Package, "store") }

	for _, tt := range []struct {
		name   string
		opt    Options
		format Format
		from   []*calltreetest.Recording
	}{
		{"functions.txt", Options{}, Text, nil},
		{"functions.json", Options{}, JSON, nil},
		{"functions.csv", Options{}, CSV, nil},
		{"colour.txt", Options{Style: table.Style{Colour: true}, Sort: SortPanics}, Text, nil},
		{"calls-top2.txt", Options{Sort: SortCalls, Top: 2}, Text, nil},
		{"packages.txt", Options{By: ByPackage, Sort: SortSelf}, Text, nil},
		{"packages.json", Options{By: ByPackage}, JSON, nil},
		{"packages.csv", Options{By: ByPackage}, CSV, nil},
		{"groups.txt", Options{By: ByGroup}, Text, []*calltreetest.Recording{grouped}},
		{"groups.json", Options{By: ByGroup}, JSON, []*calltreetest.Recording{grouped}},
		{"groups.csv", Options{By: ByGroup}, CSV, []*calltreetest.Recording{grouped}},
		{"grouped.json", Options{}, JSON, []*calltreetest.Recording{grouped}},
		{"groupless.txt", Options{By: ByGroup}, Text, nil},
		{"goroutines.txt", Options{By: ByGoroutine, Sort: SortAvg}, Text, nil},
		{"goroutines.json", Options{By: ByGoroutine, Top: 2}, JSON, nil},
		{"goroutines.csv", Options{By: ByGoroutine, Sort: SortMax}, CSV, nil},
		{"full.txt", Options{FullNames: true}, Text, nil},
		{"narrow.txt", Options{Style: table.Style{Width: 60}}, Text, nil},
		{"ticks.txt", Options{}, Text, []*calltreetest.Recording{ticks}},
		{"window.txt", Options{Filter: recording.Filter{From: 2 * time.Millisecond, To: time.Second}}, Text, nil},
		{"store.txt", Options{Filter: recording.Filter{Show: storeOnly}}, Text, nil},
		{"min-depth.txt", Options{Filter: recording.Filter{Min: time.Microsecond, Depth: 2, Goroutine: func(g recording.GoroutineID) bool { return g == recording.GoroutineID{Process: "42", ID: 1} }}}, Text, nil},
		{"killed.txt", Options{}, Text, []*calltreetest.Recording{killed}},
		{"killed.json", Options{}, JSON, []*calltreetest.Recording{killed}},
		{"lossy.txt", Options{}, Text, []*calltreetest.Recording{lossy}},
		{"nameless.txt", Options{Sort: SortCalls}, Text, []*calltreetest.Recording{nameless}},
		{"several.txt", Options{}, Text, []*calltreetest.Recording{made(t, shop), lossy}},
		{"several.json", Options{}, JSON, []*calltreetest.Recording{made(t, shop), lossy}},
		{"several-goroutines.txt", Options{By: ByGoroutine}, Text, []*calltreetest.Recording{made(t, shop), lossy}},
		{"several-goroutines.csv", Options{By: ByGoroutine}, CSV, []*calltreetest.Recording{made(t, shop), lossy}},
		{"several-window.json", Options{Filter: recording.Filter{From: time.Second, To: 2*time.Second + 500}}, JSON, []*calltreetest.Recording{made(t, shop), lossy}},
		{"empty.txt", Options{}, Text, []*calltreetest.Recording{made(t, "")}},
		{"empty.json", Options{}, JSON, []*calltreetest.Recording{made(t, "")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.from == nil {
				tt.from = []*calltreetest.Recording{made(t, shop)}
			}
			r := New(tt.opt)
			if err := r.Read(join(t, tt.from...)); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := r.Write(&b, tt.format); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, b.Bytes())
		})
	}
}

// Filters choose rows, which have the numbers that they have among all.
func TestRowsKeepNumbers(t *testing.T) {
	site := func(part string) func(*function.Func) bool {
		return func(s *function.Func) bool { return strings.Contains(s.Name, part) }
	}
	not := func(part string) func(*function.Func) bool {
		return func(s *function.Func) bool { return !strings.Contains(s.Name, part) }
	}
	csv := func(o Options) []string {
		r := New(o)
		if err := r.Read(join(t, made(t, shop))); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		var err error
		if o.Tree {
			_, err = r.WriteTree(&b, CSV)
		} else {
			err = r.Write(&b, CSV)
		}
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
	}
	const main, open, get, worker = "main.main", "store.Open", "Get", "main.worker"
	for _, tt := range []struct {
		name   string
		opt    Options
		filter recording.Filter
		want   []string // parts of the rows
	}{
		{"include", Options{}, recording.Filter{Show: site("main.")}, []string{main, worker}},
		{"exclude", Options{}, recording.Filter{Show: not("Get")}, []string{main, worker, open}},
		{"min", Options{}, recording.Filter{Min: time.Second}, []string{main, worker}},
		{"depth", Options{}, recording.Filter{Depth: 1}, []string{main, worker}},
		{"depth 2", Options{}, recording.Filter{Depth: 2}, []string{main, worker, get, open}},
		{"all of them", Options{}, recording.Filter{Depth: 2, Min: 10 * time.Millisecond, Show: not(main)}, []string{worker, get}},
		{"package", Options{By: ByPackage}, recording.Filter{Show: site("main.")}, []string{"example.com/shop,"}},
		{"goroutine", Options{By: ByGoroutine}, recording.Filter{Show: site("worker")}, []string{"42,2,", "42,3,"}},
		{"goroutine by min", Options{By: ByGoroutine}, recording.Filter{Min: time.Second}, []string{"42,1,", "42,2,"}},
		{"tree by min", Options{Tree: true}, recording.Filter{Min: 10 * time.Millisecond}, []string{main, get, get, worker}},
		{"tree by depth", Options{Tree: true}, recording.Filter{Depth: 1}, []string{main, worker}},
		{"tree without leaves", Options{Tree: true}, recording.Filter{Show: not("Get")}, []string{main, open, worker}},
		{"tree by all", Options{Tree: true}, recording.Filter{Show: not("Get"), Min: time.Second, Depth: 3}, []string{main, worker}},
	} {
		all := csv(tt.opt)
		tt.opt.Filter = tt.filter
		rows := csv(tt.opt)
		for i, row := range rows {
			if !slices.Contains(all, row) {
				t.Errorf("%s: row %s is none of\n%s", tt.name, row, strings.Join(all, "\n"))
			}
			if i < len(tt.want) && !strings.Contains(row, tt.want[i]) {
				t.Errorf("%s: row %d is %s, want that of %s", tt.name, i, row, tt.want[i])
			}
		}
		if len(rows) != len(tt.want) {
			t.Errorf("%s: %d rows, want %v:\n%s", tt.name, len(rows), tt.want, strings.Join(rows, "\n"))
		}
	}
}

// What is left out of the account counts as part of its callers.
func TestAccount(t *testing.T) {
	self := func(f recording.Filter) map[string]int64 {
		r := New(Options{Filter: f})
		if err := r.Read(join(t, made(t, "A10 +10 B20 +20 C30 +40 c30 b20 C20 +80 c20 a10"))); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int64)
		rows, _ := r.Rows()
		for _, row := range rows {
			got[row.Name[strings.LastIndexByte(row.Name, '/')+1:]] = row.Self
		}
		return got
	}
	get := func(s *function.Func) bool { return strings.Contains(s.Name, "Get") }
	for _, tt := range []struct {
		name string
		f    recording.Filter
		want map[string]int64
	}{
		{"all", recording.Filter{}, map[string]int64{"main.main": 13, "store.Open": 22, "store.(*DB).Get[...]": 122}},
		{"some", recording.Filter{Account: func(s *function.Func) bool { return !get(s) }}, map[string]int64{"main.main": 94, "store.Open": 63}},
		{"one", recording.Filter{Account: get}, map[string]int64{"store.(*DB).Get[...]": 122}},
		{"shortest", recording.Filter{Shortest: 50}, map[string]int64{"main.main": 13, "store.Open": 63, "store.(*DB).Get[...]": 81}},
		{"shown of some", recording.Filter{Account: func(s *function.Func) bool { return !get(s) }, Min: 100}, map[string]int64{"main.main": 94}},
	} {
		if diff := cmp.Diff(tt.want, self(tt.f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestInfo(t *testing.T) {
	killed := made(t, shop)
	killed.End = 0
	for _, tt := range []struct {
		name   string
		format Format
		from   *calltreetest.Recording
	}{
		{"info.txt", Text, made(t, shop)},
		{"info.json", JSON, made(t, shop)},
		{"info-killed.txt", Text, killed},
		{"info-demoted.txt", Text, demoted(t)},
		{"info-demoted.json", JSON, demoted(t)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := open(t, tt.from)
			info, err := file.Verify()
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := WriteInfo(&b, file, info, "/tmp/shop.wmt", tt.format); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, b.Bytes())
		})
	}
}

// TestParts reports on a recording in two parts: calls that begin in the first one
// end in the second, and panics go on.
func TestParts(t *testing.T) {
	whole := made(t, shop)
	text := func(recordings ...*calltreetest.Recording) string {
		r := New(Options{})
		if err := r.Read(join(t, recordings...)); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Write(&b, CSV); err != nil {
			t.Fatal(err)
		}
		if len(r.Recordings) != 1 || r.Recordings[0].Problems != (calltree.Problems{}) {
			t.Errorf("%d recordings, %+v", len(r.Recordings), r.Recordings[0].Problems)
		}
		return b.String()
	}
	want := text(whole)
	for i := 1; i < len(whole.Events); i++ {
		first, second := *whole, *whole
		first.Events, second.Events = whole.Events[:i], whole.Events[i:]
		first.Nonce, second.Nonce, second.Part = "abc", "abc", 1
		first.End = whole.Events[i-1].Clock
		if diff := cmp.Diff(want, text(&second, &first)); diff != "" {
			t.Errorf("cut before event %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestDamage flips a bit in the last block of events.
func TestDamage(t *testing.T) {
	b := made(t, strings.Repeat(shop, 20)).Bytes()
	at := bytes.LastIndex(b, append(format.BlockMagic(), byte(format.BlockEvents)))
	b[at+format.BlockHeader+5] ^= 1
	f, err := calltreetest.Open("/tmp/damaged.wmt", b)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{open(t, made(t, shop)), f})
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{})
	if err := r.Read(set); err != nil {
		t.Fatal(err)
	}
	err = r.Damage()
	if err == nil || !strings.HasPrefix(err.Error(), "/tmp/damaged.wmt: damaged: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("Damage: %v", err)
	}
	var text bytes.Buffer
	r.Write(&text, Text)
	if !strings.Contains(text.String(), " damaged and left out\n") {
		t.Errorf("not said in:\n%s", &text)
	}
}

func TestProgress(t *testing.T) {
	var told []uint64
	p := progress{read: 3*progressStep - 2, all: 5, tell: func(read, all uint64) { told = append(told, read, all) }}
	for range 3 {
		p.add(1)
	}
	p.add(2 * progressStep)
	if diff := cmp.Diff([]uint64{3 * progressStep, 3 * progressStep, 5*progressStep + 1, 5*progressStep + 1}, told); diff != "" {
		t.Error(diff)
	}
}

// TestKeys checks that the JSON has the keys that programs rely on.
func TestKeys(t *testing.T) {
	has := func(name string, keys ...string) {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(b, &object); err != nil {
			t.Fatal(err)
		}
		if list, ok := object["functions"].([]any); ok {
			for key := range list[0].(map[string]any) {
				object["functions."+key] = true
			}
		}
		for _, key := range keys {
			if _, ok := object[key]; !ok {
				t.Errorf("%s has no key %s", name, key)
			}
		}
	}
	has("functions.json", "file", "program", "duration_ns", "events", "dropped", "goroutines", "functions",
		"functions.name", "functions.package", "functions.file", "functions.line", "functions.groups", "functions.calls",
		"functions.panics", "functions.total_ns", "functions.self_ns", "functions.min_ns", "functions.max_ns", "functions.avg_ns")
	has("info.json", "version", "program", "go", "goos", "goarch", "host", "cpus", "clock", "start_unix_ns", "duration_ns",
		"sites", "goroutines", "events", "dropped", "damaged", "complete", "recovered_events", "bytes")
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
