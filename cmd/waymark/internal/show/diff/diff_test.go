package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// The functions A, B, C and so on have the names, which some tests replace.
var shop = []string{"main.main", "p.(*T).Get", "p.F", "p.F.func1"}

// set returns a set with a recording of each text.
func set(t *testing.T, names []string, change func(*calltreetest.Recording), texts ...string) *tracefile.Set {
	t.Helper()
	table := calltreetest.Table{Package: "example.com/p"}
	for i, name := range names {
		table.Sites = append(table.Sites, format.Site{Name: name, File: "/p.go", Line: i + 1})
	}
	var files []*tracefile.File
	for i, text := range texts {
		events, err := calltreetest.Events(text)
		if err != nil {
			t.Fatal(err)
		}
		r := &calltreetest.Recording{Path: fmt.Sprintf("/tmp/r%d.wmt", i), Events: events, Tables: []calltreetest.Table{table}, Nonce: fmt.Sprint(i), PID: i + 1}
		r.End = events[len(events)-1].Clock + 1
		if change != nil {
			change(r)
		}
		b := r.Bytes()
		f, err := tracefile.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	s, err := tracefile.Join(files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compare compares two sets.
func compare(t *testing.T, o Options, before, after *tracefile.Set) *Diff {
	t.Helper()
	if o.Alpha == 0 {
		o.Alpha = Alpha
	}
	o.FullNames = true
	d := New(o)
	for side, s := range []*tracefile.Set{before, after} {
		if err := d.Read(side, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Compare(); err != nil {
		t.Fatal(err)
	}
	return d
}

// told returns a line for each function or path that has changed, as in "p.F: calls 1 2".
func told(d *Diff) string {
	var b strings.Builder
	say := func(name string, calls, total, self *Change) {
		for _, m := range []struct {
			name string
			*Change
		}{{"calls", calls}, {"self", self}, {"total", total}} {
			if m.Verdict == Changed || m.Verdict == Unknown && m.name == "calls" || m.Verdict == Partial {
				fmt.Fprintf(&b, "%s: %s %d %d %v\n", name, m.name, m.Before, m.After, m.Verdict)
			}
		}
	}
	for _, f := range d.Functions {
		say(f.Name, &f.Calls, &f.Total, &f.Self)
	}
	paths, _ := d.shownPaths()
	for _, p := range paths {
		say(d.path(p, ">"), &p.Calls, &p.Total, &p.Self)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	runs := func(text string, times ...int) (list []string) {
		for _, n := range times {
			list = append(list, strings.ReplaceAll(text, "TIME", fmt.Sprint(n)))
		}
		return list
	}
	const main = "A10 +5 B20 +TIME b20 C20 c20 a10"
	for _, tt := range []struct {
		name          string
		before, after []string
		want          string
	}{
		{"one recording of each", runs(main, 100), runs(main, 900), ""},
		{"one call more", runs(main, 100), runs("A10 +5 B20 +TIME b20 C20 c20 C20 c20 a10", 100), "p.F: calls 1 2 changed\nmain.main>p.F: calls 1 2 changed\n"},
		{"callees follow", runs("A10 B20 C30 c30 b20 a10", 1), runs("A10 B20 C30 c30 b20 B20 C30 c30 b20 a10", 1),
			"p.(*T).Get: calls 1 2 changed\np.F: calls 1 2 changed\nmain.main>p.(*T).Get: calls 1 2 changed\n"},
		{"noise", runs(main, 100, 110, 120, 130), runs(main, 105, 115, 99, 140), ""},
		{"beyond noise", runs(main, 100, 110, 120, 130), runs(main, 205, 215, 199, 240),
			"p.(*T).Get: self 116 211 changed\np.(*T).Get: total 116 211 changed\nmain.main: total 125 220 changed\n" +
				"main.main>p.(*T).Get: self 116 211 changed\nmain.main>p.(*T).Get: total 116 211 changed\n"},
		{"too few to tell", runs(main, 100, 110, 120), runs(main, 205, 215, 199), ""},
		{"calls that differ anyway", []string{"A10 B20 b20 a10", "A10 B20 b20 B20 b20 a10"}, []string{"A10 B20 b20 B20 b20 B20 b20 a10"}, "p.(*T).Get: calls 1 3 unknown\n"},
	} {
		d := compare(t, Options{}, set(t, shop, nil, tt.before...), set(t, shop, nil, tt.after...))
		if got := told(d); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// Functions are the same by name, wherever they are; those of one program only are told apart from
// those that were not called.
func TestNewAndGone(t *testing.T) {
	before := set(t, shop[:3], nil, "A10 B20 b20 a10")
	after := set(t, []string{"p.New", "main.main", "p.F"}, nil, "B10 A20 a20 C20 c20 b10")
	d := compare(t, Options{Limit: 0.1}, before, after)
	var got []string
	for _, f := range d.Functions {
		got = append(got, fmt.Sprintf("%s new=%v gone=%v %d %d", f.Name, f.New(), f.Gone(), f.Calls.Before, f.Calls.After))
	}
	slices.Sort(got)
	want := []string{"main.main new=false gone=false 1 1", "p.(*T).Get new=false gone=true 1 0", "p.F new=false gone=false 0 1", "p.New new=true gone=false 0 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	over, _ := d.Over()
	if len(over) != 1 || over[0].Function.Name != "p.F" || over[0].What != "calls" {
		t.Errorf("over: %v, want the calls of p.F only", over)
	}
	other := New(Options{Alpha: Alpha})
	for side, s := range []*tracefile.Set{set(t, []string{"a.A"}, nil, "A10 a10"), set(t, []string{"b.B"}, nil, "A10 a10")} {
		if err := other.Read(side, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Compare(); err == nil || !strings.Contains(err.Error(), "no function in common") {
		t.Errorf("different programs: error %v", err)
	}
}

// TestOver checks that times are judged only if there are recordings enough for all of them.
func TestOver(t *testing.T) {
	runs := func(from, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("A10 B20 +%d b20 C20 +%d c20 a10", from+i, 100+i))
		}
		return list
	}
	for _, tt := range []struct {
		recordings int
		limit      float64
		over, note int
	}{{1, 0.1, 0, 1}, {4, 0.1, 0, 1}, {6, 0.1, 1, 0}, {6, 2, 0, 0}} {
		d := compare(t, Options{Limit: tt.limit}, set(t, shop, nil, runs(100, tt.recordings)...), set(t, shop, nil, runs(200, tt.recordings)...))
		over, note := d.Over()
		if len(over) != tt.over || (note != "") != (tt.note > 0) {
			t.Errorf("%d recordings, limit %v: %d over, note %q", tt.recordings, tt.limit, len(over), note)
		}
	}
}

// Times of functions that were counted at times are not compared; calls are.
func TestDemoted(t *testing.T) {
	demoted := func(r *calltreetest.Recording) {
		r.Counts = []calltreetest.Counts{{Clock: 0, Sites: []format.Count{{Site: 2, Level: format.LevelCounted}}},
			{Clock: 90, Sites: []format.Count{{Site: 2, Level: format.LevelCounted, Calls: 7}}}}
		r.Budget = "10%"
	}
	const text = "A10 B20 b20 +200 a10"
	d := compare(t, Options{}, set(t, shop, nil, text), set(t, shop, demoted, text))
	if got, want := told(d), "p.(*T).Get: calls 1 8 changed\np.(*T).Get: self 1 1 partial\np.(*T).Get: total 1 1 partial\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var b bytes.Buffer
	if err := d.Write(&b, "text"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"≈1 ns", "~ calls of the function were counted at times", "new: ≈ 1 function was only counted at times"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
}

// Names with a meaning in Markdown or HTML stay what they are.
func TestFormats(t *testing.T) {
	hostile := slices.Clone(shop)
	hostile[1] = "p.F[`a|b`,<img src=x>,@all]_*x*# y"
	d := compare(t, Options{}, set(t, hostile, nil, "A10 B20 b20 a10"), set(t, hostile, nil, "A10 B20 b20 B20 b20 a10"))
	var b bytes.Buffer
	if err := d.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	const want = "| <code>p.F&#91;&#96;a&#124;b&#96;,&lt;img src=x&gt;,&#64;all]&#95;&#42;x&#42;# y</code> | 1 → 2 | **+1** |"
	if !strings.Contains(b.String(), want) {
		t.Errorf("lacks %s:\n%s", want, b.String())
	}
	b.Reset()
	if err := d.Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var j jsonDiff
	if err := json.Unmarshal(b.Bytes(), &j); err != nil {
		t.Fatal(err)
	}
	if len(j.Functions) != 2 || j.Functions[0].Name != hostile[1] || len(j.Paths) != 1 || !slices.Equal(j.Paths[0].Path, hostile[:2]) {
		t.Errorf("JSON: %s", b.Bytes())
	}
	if err := CheckFormat("markdwon"); err == nil || !strings.Contains(err.Error(), "is it markdown?") {
		t.Errorf("format: %v", err)
	}
}

// A recursion has a path for each level, and a total for the outermost one.
func TestDeep(t *testing.T) {
	text := func(levels int) string {
		var b strings.Builder
		for i := range levels {
			fmt.Fprintf(&b, "C%d ", 10*i+10)
		}
		for i := range levels {
			fmt.Fprintf(&b, "c%d ", 10*(levels-i))
		}
		return b.String()
	}
	d := compare(t, Options{}, set(t, shop, nil, text(1000)), set(t, shop, nil, text(1200)))
	if f := d.Functions[0]; f.Calls.Before != 1000 || f.Calls.After != 1200 {
		t.Errorf("calls %d, %d", f.Calls.Before, f.Calls.After)
	}
	var b bytes.Buffer
	if err := d.Write(&b, "text"); err != nil || b.Len() > 3000 {
		t.Errorf("%v, %d bytes:\n%s", err, b.Len(), b.String())
	}
}
