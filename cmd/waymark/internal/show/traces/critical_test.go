package traces

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// waiting opens a recording of main.main, main.work, and main.other in this order. Clocks are ns: each event
// is at the one behind it.
func waiting(t *testing.T, events ...string) *tracefile.Set {
	t.Helper()
	r := calltreetest.Recording{Waiting: true, Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{
		{Name: "main.main", File: "main.go", Line: 1}, {Name: "main.work", File: "main.go", Line: 2}, {Name: "main.other", File: "main.go", Line: 3},
	}}}}
	for _, text := range events {
		word, at, _ := strings.Cut(text, "@")
		goroutine, event, _ := strings.Cut(word, ":")
		list, err := calltreetest.Events("@" + goroutine + " " + event)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Sscan(at, &list[0].Clock)
		r.Events = append(r.Events, list[0])
		r.End = list[0].Clock + 1000
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

// A critical path goes from the end of the root call back to who has woken its goroutine, and adds up to the
// trace's duration.
func TestCritical(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   []string
	}{
		{"a goroutine is started and wakes the root's", []string{
			"1:A10@1", "2:<1@31", "2:=0,10,10,1,1@31", "2:B10@31", "2:b10@210", "1:=2,120,20,2@220", "1:a10@300",
		}, []string{
			"0 19 1 running main.main", "19 10 2 runnable - started by 1", "29 170 2 running main.work",
			"199 20 1 runnable main.main woken by 2", "219 80 1 running main.main",
		}},
		{"nobody says since when it was ready", []string{
			"1:A10@1", "2:<1@31", "2:B10@31", "2:b10@210", "1:=2,120,20,2@220", "1:a10@300",
		}, []string{
			"0 30 1 running main.main", "30 169 2 running main.work started by 1",
			"199 20 1 runnable main.main woken by 2", "219 80 1 running main.main",
		}},
		{"a timer, and an unknown goroutine", []string{
			"1:A10@1", "1:B20@10", "1:=7,30,5,0@50", "1:b20@60", "1:=4,20,20,9@90", "1:=4,30,0,9@150", "1:a10@201",
		}, []string{
			"0 19 1 running main.work", "19 25 1 waiting for sleep main.work", "44 5 1 runnable main.work", "49 20 1 running main.work",
			"69 20 1 runnable main.main woken by 9", "89 30 1 running main.main", "119 30 1 waiting for lock main.main held by 9 at the end",
			"149 51 1 running main.main woken by 9",
		}},
		{"what waited for one that was not there yet", []string{
			"1:A10@1", "2:<9@100", "2:=0,20,20,9,1@100", "2:B10@110", "1:=4,150,10,2@200", "2:b10@205", "1:a10@301",
		}, []string{
			"0 49 1 running main.main", "49 29 1 waiting for lock main.main held by 2 at the end", "78 20 2 runnable - started by 9", "98 91 2 running main.work",
			"189 10 1 runnable main.main woken by 2", "199 101 1 running main.main",
		}},
		{"one that was not there yet ran before the wait", []string{
			"1:A10@1", "2:<9@51", "2:B10@55", "1:=4,50,0,2@150", "1:a10@201", "2:b10@205",
		}, []string{"0 50 1 running main.main", "50 99 2 running main.work started by 9", "149 51 1 running main.main woken by 2"}},
		{"what was before the root call is left out", []string{
			"2:B10@1", "1:A10@100", "1:=2,60,10,2@170", "1:a10@200", "2:b10@300",
		}, []string{"0 60 2 running main.work", "60 10 1 runnable main.main woken by 2", "70 30 1 running main.main"}},
		{"each wakes the other at the same time", []string{
			"1:A10@1", "2:B10@2", "1:=2,5,0,2@50", "2:=2,5,0,1@50", "1:=2,7,0,2@50", "1:a10@60", "2:b10@61",
		}, []string{"0 49 2 running main.work", "49 10 1 running main.main woken by 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := waiting(t, tt.events...)
			all, _, _, err := List(set, &recording.Filter{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, tr := range all {
				if tr.Root.Name != "main.main" {
					continue
				}
				c, _, err := FindCritical(set, &recording.Filter{}, tr.Key, nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				sum := time.Duration(0)
				for _, s := range c.Segments {
					name := "-"
					if s.Func != nil {
						name = s.Func.Name
					}
					got = append(got, strings.TrimSpace(fmt.Sprintf("%d %d %d %s %s %s", s.Start, s.Duration, s.Goroutine, s.what(), name, s.by())))
					sum += s.Duration
				}
				if strings.Join(got, "\n") != strings.Join(tt.want, "\n") || sum != tr.Duration {
					t.Errorf("%v of %v:\n%s\nwant\n%s", sum, tr.Duration, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
			}
		})
	}
}

// A segment says where its time was, also in calls that began and ended in it.
func TestCriticalWhere(t *testing.T) {
	set := waiting(t, "1:A10@1", "1:B20@11", "1:b20@901", "1:C20@911", "1:c20@961", "1:a10@1001")
	c, _, err := FindCritical(set, &recording.Filter{}, Key{recording.GoroutineID{ID: 1}, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteCritical(&b, c, nil, table.Style{}, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"890 ns  89.0         1  running  main.work\n", " 60 ns   6.0         1  running  main.main\n", " 50 ns   5.0         1  running  main.other\n",
		"  1.000 us          1  running  main.work 89.0 %\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := WriteCriticalJSON(&b, c); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(b.String()), ""); !strings.Contains(got, `"functions":[{"function":"main.work","duration_ns":890},{"function":"main.main","duration_ns":60},{"function":"main.other","duration_ns":50}]`) {
		t.Errorf("no functions in\n%s", b.String())
	}

	// What is in no recorded call is said, and why that may be.
	set = waiting(t, "1:A10@1", "3:B10@2", "3:b10@3", "1:=2,400,1,3@801", "3:B10@900", "3:b10@901", "1:a10@1001")
	if c, _, err = FindCritical(set, &recording.Filter{}, Key{recording.GoroutineID{ID: 1}, 1}, nil); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := WriteCritical(&b, c, nil, table.Style{}, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "function literals without --closures") {
		t.Errorf("nothing of literals in\n%s", b.String())
	}
}

// What is written of a critical path.
func TestWriteCritical(t *testing.T) {
	set := waiting(t, "1:A10@1", "2:<1@31", "2:=0,10,10,1,1@31", "2:B10@31", "2:b10@210", "1:=2,120,20,2@220", "1:a10@300")
	c, _, err := FindCritical(set, &recording.Filter{}, Key{recording.GoroutineID{ID: 1}, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteCritical(&b, c, nil, table.Style{}, 20); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1-1: critical path of main.main on goroutine 1, 299 ns: 5 segments\n", "170 ns  56.9         1  running   main.work\n",
		"199 ns     20 ns          1  runnable  main.main  woken by 2\n", "2 segments not shown: shorter than --min 20ns\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := WriteCriticalJSON(&b, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"started_by": 1`, `"woken_by": 2`, `"function": "main.work"`, `"duration_ns": 299`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if _, _, err := FindCritical(set, &recording.Filter{}, Key{recording.GoroutineID{ID: 1}, 2_000_000}, nil); !errors.Is(err, ErrNoTrace) {
		t.Errorf("of a key without a trace: %v, want %v", err, ErrNoTrace)
	}
}
