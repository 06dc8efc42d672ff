package gate

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// run returns a run from the form that Write writes, without its first lines.
func run(t *testing.T, text string) *Run {
	t.Helper()
	r, err := Parse(strings.NewReader(magic + "\n" + onLine + "go1.26.0 linux/amd64, 2 CPUs\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFile(t *testing.T) {
	const text = `
example.com/m/p ExampleF
	18446744073709551614	0	example.com/m/p.G[...]

example.com/m/p TestA
	1	~	example.com/m/p.(*T).M
	~	3	example.com/m/p.F.func1
`
	var b bytes.Buffer
	if err := run(t, text).Write(&b); err != nil {
		t.Fatal(err)
	}
	want := magic + "\n" + onLine + "go1.26.0 linux/amd64, 2 CPUs\n" + text
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	windows, err := Parse(strings.NewReader(strings.ReplaceAll(want, "\n", "\r\n")))
	if err != nil || !cmp.Equal(windows, run(t, text)) {
		t.Errorf("with CR: %v, %v", windows, err)
	}
	for _, tt := range []struct{ text, want string }{
		{"", "no test in it"},
		{"# something\n", "line 1: not a file"},
		{magic + "\n\t1\t2\tp.F\n", "line 2: want calls, objects and a function below a test"},
		{magic + "\np TestA\n\t1\t2\n", "line 3: want calls"},
		{magic + "\np TestA\n\t1\t-2\tp.F\n", "line 3: want two numbers"},
		{magic + "\np TestA\np TestA\n", "line 3: want a package and a test"},
		{magic + "\n<<<<<<<\n", "line 2: want a package and a test"},
	} {
		if _, err := Parse(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q): %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestMerge(t *testing.T) {
	var got bytes.Buffer
	Merge([]*Run{
		run(t, "p TestA\n\t1\t2\tp.F\n\t5\t6\tp.G\n\t2\t9\tp.H\n\t1\t1\tp.Once\n"),
		run(t, "p TestA\n\t1\t3\tp.F\n\t5\t6\tp.G\n\t3\t9\tp.H\np TestB\n\t1\t1\tp.F\n"),
	}).Write(&got)
	want := magic + "\n" + onLine + `go1.26.0 linux/amd64, 2 CPUs

p TestA
	1	~	p.F
	5	6	p.G
	~	~	p.H
	~	~	p.Once

p TestB
	~	~	p.F
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// A difference counts if all runs have it.
func TestCompare(t *testing.T) {
	file := run(t, "p TestA\n\t12\t3\tp.F\n\t~\t4\tp.G\n\t7\t0\tp.Gone\np TestB\n\t1\t1\tp.F\n")
	for _, tt := range []struct {
		name             string
		runs             []string
		steady, unsteady string
	}{
		{"the same", []string{"p TestA\n\t12\t3\tp.F\n\t99\t4\tp.G\n\t7\t0\tp.Gone\n"}, "", ""},
		{"objects of calls that vary", []string{"p TestA\n\t12\t3\tp.F\n\t99\t5\tp.G\n\t7\t0\tp.Gone\n"}, "", ""},
		{"one call more", []string{"p TestA\n\t13\t3\tp.F\n\t99\t4\tp.G\n\t7\t0\tp.Gone\n", "p TestA\n\t13\t3\tp.F\n\t1\t4\tp.G\n\t7\t0\tp.Gone\n"}, "calls p.F 12 13\n", ""},
		{"once", []string{"p TestA\n\t13\t3\tp.F\n\t99\t4\tp.G\n\t7\t0\tp.Gone\n", "p TestA\n\t12\t3\tp.F\n\t1\t4\tp.G\n\t7\t0\tp.Gone\n"}, "", "calls p.F 12 13\n"},
		{"each time another", []string{"p TestA\n\t13\t3\tp.F\n\t99\t4\tp.G\n\t7\t0\tp.Gone\n", "p TestA\n\t14\t3\tp.F\n\t1\t4\tp.G\n\t7\t0\tp.Gone\n"}, "", "calls p.F 12 13\n"},
		{"new and gone", []string{"p TestA\n\t12\t3\tp.F\n\t99\t4\tp.G\n\t2\t0\tp.New\np TestC\n\t1\t1\tp.F\n"}, "calls p.Gone 7 0\ncalls p.New 0 2\n", ""},
	} {
		var runs []*Run
		for _, text := range tt.runs {
			runs = append(runs, run(t, text))
		}
		steady, unsteady := file.Compare(runs...)
		told := func(list []Difference) (text string) {
			for _, d := range list {
				text += strings.Join([]string{d.What, d.Function, d.Was.String(), d.Is.String()}, " ") + "\n"
			}
			return text
		}
		if told(steady) != tt.steady || told(unsteady) != tt.unsteady {
			t.Errorf("%s: steady\n%sunsteady\n%s", tt.name, told(steady), told(unsteady))
		}
	}
}

// What test binaries write: parts of a test add up, and tests that overlap have no numbers.
func TestReadRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.counts": `{"package":"p","test":"TestA","on":"go1","functions":[{"name":"p.F","calls":1,"objects":2}]}
{"package":"p","test":"TestA","on":"go1","functions":[{"name":"p.F","calls":10,"objects":0}]}
{"package":"p","test":"TestNone","on":"go1"}
`,
		"b.counts": `{"package":"q","test":"TestA","on":"go1","overlapped":true,"functions":[{"name":"q.F","calls":1,"objects":2}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Run{On: "go1", Tests: map[Test]map[string]Counts{
		{"p", "TestA"}: {"p.F": {11, 2}}, {"p", "TestNone"}: {}, {"q", "TestA"}: {"q.F": {Varies, Varies}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.counts"), []byte(`{"package":`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(dir); err == nil || !strings.Contains(err.Error(), "c.counts") {
		t.Errorf("a file that was cut: %v", err)
	}
}

func TestReport(t *testing.T) {
	var list []Difference
	for _, test := range []string{"TestA", "TestB", "TestC", "TestD", "TestE"} {
		list = append(list, Difference{Test{"example.com/p", test}, "example.com/p.F", "calls", 1200, 1})
	}
	var got bytes.Buffer
	if err := Report(&got, list); err != nil {
		t.Fatal(err)
	}
	const want = `  p.F: 1 call in example.com/p.TestA, 1,200 before
  p.F: 1 call in example.com/p.TestB, 1,200 before
  p.F: 1 call in example.com/p.TestC, 1,200 before; and in 2 more tests
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}
