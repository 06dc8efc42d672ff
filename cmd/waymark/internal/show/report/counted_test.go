package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// demoted is a recording of a program with a budget. Get (C) was counted after its first two calls,
// and two calls that took long were recorded. Open (B) was counted from the start.
func demoted(t *testing.T) *calltreetest.Recording {
	r := made(t, `
		A10 +1500 C20 +500 c20 C20 +700 c20 +1000000 ~C20,150000
		@2 <1 D10 +200000 D40 +300000 ~C50,120000 d40 d10 .
		@1 +2000000000 a10`)
	counts := func(clock uint64, list ...format.Count) {
		r.Counts = append(r.Counts, calltreetest.Counts{Clock: clock, Sites: list})
	}
	counts(0, format.Count{Site: 2, Level: format.LevelCounted})
	counts(2800, format.Count{Site: 3, Level: format.LevelUnvalued})
	counts(3000, format.Count{Site: 3, Level: format.LevelCounted})
	counts(1_000_000, format.Count{Site: 2, Level: format.LevelCounted, Calls: 41}, format.Count{Site: 3, Level: format.LevelCounted, Calls: 1_203_441})
	counts(2_000_000_000, format.Count{Site: 2, Level: format.LevelCounted, Calls: 1}, format.Count{Site: 3, Calls: 2000})
	r.Budget, r.CPU, r.Tracing = "10%", 2500*time.Millisecond, 210*time.Millisecond
	r.Tables = slices.Clone(tables)
	r.Tables[1].Facility = format.Facility{Groups: []string{"p.Opening", "p.Reading"}, Functions: []format.TracedFunction{
		{Name: "DB.Get", Site: 1, Group: 1}, {Name: "Open", Site: 0, Group: 0},
	}}
	r.Groups = []format.Group{
		{Name: "Opening", Vars: []string{"p.Opening"}}, {Name: "Reading", Vars: []string{"p.Reading"}}, {Name: "IO", Subgroups: []string{"Opening", "Reading"}},
	}
	return r
}

// TestDemoted checks what is said of functions whose calls were counted at times.
func TestDemoted(t *testing.T) {
	killed := demoted(t)
	killed.End = 0
	killed.Counts = killed.Counts[:3] // the last two were in no file
	// Nobody counted calls of Get for most of the time.
	strict := demoted(t)
	strict.Budget, strict.Counts[2].Sites[0].Level, strict.Counts[3].Sites[1].Level = "10%,strict", format.LevelSampled, format.LevelSampled
	exceeded := demoted(t)
	exceeded.Tracing = 500 * time.Millisecond
	named := func(part string) func(*function.Func) bool {
		return func(s *function.Func) bool { return strings.Contains(s.Name, part) }
	}
	for _, tt := range []struct {
		name   string
		opt    Options
		format Format
		from   *calltreetest.Recording
	}{
		{"demoted.txt", Options{}, Text, nil},
		{"demoted.json", Options{}, JSON, nil},
		{"demoted.csv", Options{}, CSV, nil},
		{"demoted-calls.txt", Options{Sort: SortCalls}, Text, nil},
		{"demoted-packages.txt", Options{By: ByPackage}, Text, nil},
		{"demoted-groups.txt", Options{By: ByGroup}, Text, nil},
		{"demoted-goroutines.txt", Options{By: ByGoroutine}, Text, nil},
		{"demoted-window.txt", Options{Filter: recording.Filter{From: 2 * time.Microsecond, To: 1500 * time.Millisecond}}, Text, nil},
		{"demoted-unread.txt", Options{Filter: recording.Filter{From: 2 * time.Microsecond, To: 900 * time.Microsecond}}, Text, nil},
		{"demoted-unread.json", Options{Filter: recording.Filter{From: 2 * time.Microsecond, To: 900 * time.Microsecond}}, JSON, nil},
		{"demoted-goroutine.txt", Options{Filter: recording.Filter{Goroutine: func(g recording.GoroutineID) bool { return g.ID == 1 }}}, Text, nil},
		{"demoted-account.txt", Options{Filter: recording.Filter{Account: named("Get")}}, Text, nil},
		{"demoted-show.txt", Options{Filter: recording.Filter{Show: named("main")}}, Text, nil},
		{"demoted-killed.txt", Options{}, Text, killed},
		{"demoted-strict.txt", Options{}, Text, strict},
		{"demoted-strict.json", Options{}, JSON, strict},
		{"demoted-exceeded.txt", Options{}, Text, exceeded},
		{"demoted-tree.txt", Options{Tree: true}, Text, nil},
		{"demoted-tree.json", Options{Tree: true}, JSON, nil},
		{"demoted-tree-flat.json", Options{Tree: true}, Rows, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.from == nil {
				tt.from = demoted(t)
			}
			r := New(tt.opt)
			if err := r.Read(join(t, tt.from)); err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			var err error
			if tt.opt.Tree {
				_, err = r.WriteTree(&b, tt.format)
			} else {
				err = r.Write(&b, tt.format)
			}
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, b.Bytes())
		})
	}
}

// TestDemotedSeveral adds up two processes of one program, of which one had no budget.
func TestDemotedSeveral(t *testing.T) {
	other := made(t, "A10 C20 c20 B20 b20 a10")
	other.Path, other.PID, other.Later = "/tmp/shop.43.wmt", 43, time.Second
	r := New(Options{})
	if err := r.Read(join(t, demoted(t), other)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Write(&b, Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" 1205444 ", " 43 ", "≈ 2 functions were only counted at times, to keep to the budget of 10%: for 1,205,481 calls times"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// TestDemotedCalls checks the numbers of calls, which are exact whatever was recorded of a
// function.
func TestDemotedCalls(t *testing.T) {
	for _, tt := range []struct {
		by   By
		want string
	}{
		{ByFunction, "example.com/shop/store.(*DB).Get[...] 1205443/4/1205441, example.com/shop/store.Open 42/0/42, main.main 1/1/0, main.worker 2/2/0"},
		{ByPackage, "example.com/shop 3/3/0, example.com/shop/store 1205485/4/1205483"},
		{ByGroup, "(no group) 3/3/0, IO 1205485/4/1205483, Opening 42/0/42, Reading 1205443/4/1205441"},
	} {
		r := New(Options{By: tt.by})
		if err := r.Read(join(t, demoted(t))); err != nil {
			t.Fatal(err)
		}
		rows, _ := r.Rows()
		var list []string
		for _, row := range rows {
			list = append(list, fmt.Sprintf("%s %d/%d/%d", row.Name, row.Calls, row.Recorded(), row.Counted))
		}
		slices.Sort(list)
		if got := strings.Join(list, ", "); got != tt.want {
			t.Errorf("by %v:\n got %s\nwant %s", tt.by, got, tt.want)
		}
	}
}
