package report

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// numbered makes a recording in which calls of B and C have an argument n, of the given values.
func numbered(t *testing.T, text string, values ...int64) *calltreetest.Recording {
	t.Helper()
	r := made(t, text)
	var sites []format.Site
	for i, name := range []string{"main.main", "main.handle", "main.query"} {
		s := format.Site{Name: name, File: "/src/main.go", Line: 10 * (i + 1)}
		if i > 0 {
			s.Args, s.ArgTypes = []string{"n"}, []string{"int"}
		}
		sites = append(sites, s)
	}
	r.Tables = []calltreetest.Table{{Package: "example.com/m", Sites: sites}}
	for i := range r.Events {
		if ev := &r.Events[i]; ev.Kind == tracefile.Enter && ev.Site > 1 {
			if values[0] >= 0 {
				ev.Data = binary.AppendVarint([]byte{byte(format.KindInt)}, values[0])
			} else { // it looked like a secret
				ev.Data = []byte{format.TypeMasked}
			}
			values = values[1:]
		}
	}
	return r
}

// rows returns the rows of a report: name, calls, total and self.
func rows(t *testing.T, r *Report) string {
	t.Helper()
	var lines []string
	list, _ := r.Rows()
	for _, row := range list {
		lines = append(lines, fmt.Sprintf("%s %d %d %d", row.Name, row.Calls, row.Total, row.Self))
	}
	return strings.Join(lines, "\n")
}

// read reads a recording. condition may be empty, and so may value.
func read(t *testing.T, from *calltreetest.Recording, o Options, condition, value string) *Report {
	t.Helper()
	if condition != "" {
		p, err := expression.Compile(condition, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Filter.If = recorded.New(p)
	}
	if value != "" {
		in, err := expression.CompileValue(value)
		if err != nil {
			t.Fatal(err)
		}
		o.By, o.Value = ByValue, &recorded.Path{Instruction: *in}
	}
	r := New(o)
	if err := r.Read(join(t, from)); err != nil {
		t.Fatal(err)
	}
	return r
}

// program is main.main with calls of main.handle and main.query: recursive ones, and three
// that have not ended after 1158 ticks.
const program = "A10 B20 +9 C30 +99 c30 b20 C20 C30 +9 c30 +9 c20 B20 B30 +19 b30 C30 +10"

var programValues = []int64{1, 2, 2, 3, 1, 7, 2}

func TestChosen(t *testing.T) {
	for _, tt := range []struct {
		condition, value string
		o                Options
		want             string
	}{
		{"args.n == 2", "", Options{}, "main.query 3 1121 1111"},
		{"args.n > 1", "", Options{}, "main.query 4 1121 1121\nmain.handle 1 20 20"},
		{"args.n > 1 && duration > 50ns", "", Options{}, "main.query 2 1100 1100"},
		{"args.n == 2", "", Options{By: ByPackage}, "example.com/m 3 1121 1111"},
		{"args.n > 1", "", Options{Filter: recording.Filter{Depth: 2}}, "main.query 1 21 11"},
		{"", "args.n", Options{}, "1 2 1133 13\n2 3 1121 1111\n7 1 20 20\n3 1 10 10"},
		{"args.n != 2", "args.n", Options{}, "1 2 1133 13\n7 1 20 20\n3 1 10 10"},
		{"duration > 2us", "", Options{}, ""},
	} {
		r := read(t, numbered(t, program, programValues...), tt.o, tt.condition, tt.value)
		if got := rows(t, r); got != tt.want {
			t.Errorf("--if %q --by %q: got\n%s\nwant\n%s", tt.condition, tt.value, got, tt.want)
		}
	}
}

// TestChosenAll compares what a condition that always holds leaves with the whole report.
func TestChosenAll(t *testing.T) {
	from := numbered(t, program, programValues...)
	all, chosen := rows(t, read(t, from, Options{}, "", "")), rows(t, read(t, from, Options{}, "duration > 0ns || true", ""))
	if all != chosen || strings.Count(all, "\n") != 2 {
		t.Errorf("without a condition\n%s\nwith one that always holds\n%s", all, chosen)
	}
}

// TestChosenTree has paths to calls.
func TestChosenTree(t *testing.T) {
	r := read(t, numbered(t, program, programValues...), Options{Tree: true}, "args.n > 2", "")
	var b strings.Builder
	if _, err := r.WriteTree(&b, CSV); err != nil {
		t.Fatal(err)
	}
	want := `depth,total_ns,self_ns,calls,panics,name,errors
0,1157,3,1,0,main.main,0
1,1022,2,1,0,main.handle,0
2,20,20,1,0,main.handle,0
1,21,11,1,0,main.query,0
2,10,10,1,0,main.query,0
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestValues has more values than rows, and one that looked like a secret.
func TestValues(t *testing.T) {
	var text strings.Builder
	var values []int64
	text.WriteString("A10 ")
	for i := range int64(maxValues + 10) {
		text.WriteString("B20 b20 ")
		values = append(values, i-1)
	}
	r := read(t, numbered(t, text.String()+"a10", values...), Options{Sort: SortCalls}, "", "args.n")
	list, _ := r.Rows()
	if len(list) != maxValues+1 || list[0].Name != otherValues || list[0].Calls != 10 {
		t.Errorf("%d rows, the first is %s with %d calls; want %d, %s with 10", len(list), list[0].Name, list[0].Calls, maxValues+1, otherValues)
	}
	var b strings.Builder
	if err := r.Write(&b, CSV); err != nil || !strings.HasPrefix(b.String(), "value,calls,") || !strings.Contains(b.String(), "\n***,1,") || !r.Masked {
		t.Errorf("masked %v, %v: %.300s", r.Masked, err, b.String())
	}
	b.Reset()
	if err := r.Write(&b, JSON); err != nil || !strings.Contains(b.String(), `"by": "args.n"`) || !strings.Contains(b.String(), `"value": "***"`) {
		t.Errorf("%v: %.300s", err, b.String())
	}
	b.Reset()
	if err := r.Write(&b, Text); err != nil || !strings.Contains(strings.SplitN(b.String(), "\n", 2)[0], "args.n") {
		t.Errorf("%v: %.300s", err, b.String())
	}
}
