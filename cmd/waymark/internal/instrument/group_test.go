package instrument

import (
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// folder is a package with both kinds of tests.
var folder = map[string]string{
	"p.go": `package p

import "fmt"

var V = show("V", W)

var W = show("W", 0)

var f = func() int { return 1 }

func init() { show("init 0", 0) }

func show(s string, n int) int { fmt.Println(s); return n + f() }
`,
	"p_test.go": `package p

import "testing"

var t = show("t", late)

var late = func() int { return show("late", 0) }()

func init() { func() { show("init 1", 0) }() }

func TestInside(t *testing.T) {
	if V != 2 {
		t.Error(V)
	}
}
`,
	"x_test.go": `package p_test

import (
	"testing"

	. "example.com/fake/p"
)

var x = func() int { return V }()

func init() {}

func TestOutside(t *testing.T) { check(t) }

func check(t *testing.T) {
	if x != 2 {
		t.Error(x)
	}
}
`,
}

// TestTestGroups runs the tests of a package of which all three groups are
// rewritten, each with a table of its own.
func TestTestGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	file := func(name string) File {
		return File{Path: filepath.Join("p", name), Source: []byte(folder[name])}
	}
	p, in, ex := file("p.go"), file("p_test.go"), file("x_test.go")
	groups := []*Group{
		{ImportPath: "example.com/fake/p", Files: []File{p}, Others: []File{in, ex}},
		{ImportPath: "example.com/fake/p", Kind: Test, Files: []File{in}, With: []File{p}, Others: []File{ex}},
		{ImportPath: "example.com/fake/p_test", Kind: XTest, Files: []File{ex}, Others: []File{p, in}},
	}
	dir := t.TempDir()
	plain, files := make(map[string][]byte), make(map[string][]byte)
	var generated []string
	for _, g := range groups {
		for _, f := range g.Files {
			plain[f.Path] = f.Source
		}
		res, err := Rewrite(g, &Options{Closures: true, MinCost: -1, Runtime: hooks, Table: namesTable})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range append(res.Files, *res.Generated) {
			files[f.Path] = f.Source
		}
		generated = append(generated, filepath.Base(res.Generated.Path))
	}
	wantGenerated := []string{"0-waymark.go", "0-waymark_test.go", "0-waymark_x_test.go"}
	if diff := gocmp.Diff(wantGenerated, generated); diff != "" {
		t.Errorf("generated files (-want +got):\n%s", diff)
	}

	writeModule(t, filepath.Join(dir, "plain"), plain)
	writeModule(t, filepath.Join(dir, "rewritten"), files)
	args := []string{"test", "-v", "-gcflags=-l", "./p"}
	before := string(goCommand(t, filepath.Join(dir, "plain"), args...))
	after := string(goCommand(t, filepath.Join(dir, "rewritten"), args...))

	var printed, calls []string
	for line := range strings.Lines(after) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "site "):
			t.Error(line)
		case strings.HasPrefix(line, "> "):
			calls = append(calls, strings.TrimPrefix(line, "> "))
		case !strings.HasPrefix(line, "<") && !strings.HasPrefix(line, "ok"):
			printed = append(printed, line)
		}
	}
	var wantPrinted []string
	for line := range strings.Lines(before) {
		if !strings.HasPrefix(line, "ok") {
			wantPrinted = append(wantPrinted, strings.TrimSpace(line))
		}
	}
	if diff := gocmp.Diff(wantPrinted, printed); diff != "" {
		t.Errorf("output (-plain +rewritten):\n%s", diff)
	}
	const p1, p2 = "example.com/fake/p.", "example.com/fake/p_test."
	wantCalls := []string{
		p1 + "show", p1 + "init.func1", // W
		p1 + "show", p1 + "init.func1", // V
		p1 + "init.func2", p1 + "show", p1 + "init.func1", // late
		p1 + "show", p1 + "init.func1", // t
		p1 + "init.0", p1 + "show", p1 + "init.func1",
		p1 + "init.1", p1 + "init.1.func1", p1 + "show", p1 + "init.func1",
		p2 + "init.func1", p2 + "init.0",
		p1 + "TestInside",
		p2 + "TestOutside", p2 + "check",
	}
	if diff := gocmp.Diff(wantCalls, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestImports checks what is generated for a group in which nothing is
// instrumented.
func TestImports(t *testing.T) {
	g := &Group{ImportPath: "p", Files: []File{{Path: "dir/p.go", Source: []byte("package p\n\nfunc f()\n")}}}
	res, err := Rewrite(g, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Generated != nil {
		t.Errorf("generated %s without sites or imports", res.Generated.Source)
	}
	res, err = Rewrite(g, &Options{Imports: []string{"b/agent", "a/monitor", "b/agent"}})
	if err != nil {
		t.Fatal(err)
	}
	want := header + `

package p

import _ "a/monitor"

import _ "b/agent"
`
	if diff := gocmp.Diff(want, string(res.Generated.Source)); diff != "" {
		t.Errorf("generated (-want +got):\n%s", diff)
	}
	if got, want := res.Generated.Path, filepath.Join("dir", "0-waymark.go"); got != want {
		t.Errorf("generated file %s, want %s", got, want)
	}
}

// TestSelect checks that the callback sees what it may decide on and no more,
// and that its word counts.
func TestSelect(t *testing.T) {
	src := `package p

type T[X any] struct{}

func (t *T[X]) m() { func() {}() }

//go:nosplit
func never() {}

func init() {}
`
	var asked []string
	o := &Options{
		Closures: true,
		Select: func(f *Func) (bool, string) {
			asked = append(asked, strings.Join([]string{f.Name, f.Package, f.Recv, f.Base}, " "))
			return !f.Tiny, "not chosen"
		},
	}
	res, err := Rewrite(&Group{ImportPath: "a.b", Files: []File{{Path: "p.go", Source: []byte(src)}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a%2eb.(*T[...]).m a.b T m",
		"a%2eb.(*T[...]).m.func1 a.b T m.func1",
		"a%2eb.init.0 a.b  init",
	}
	if diff := gocmp.Diff(want, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	var reasons []string
	for _, f := range res.Funcs {
		reasons = append(reasons, f.Reason)
	}
	if diff := gocmp.Diff([]string{"not chosen", "not chosen", "//go:nosplit", ""}, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// TestUnfit checks that the functions of the standard library that must be
// left alone exist and are.
func TestUnfit(t *testing.T) {
	want := maps.Clone(unfit)
	if runtime.GOOS == "linux" {
		want["syscall.forkAndExecInChild1"] = "runs between fork and exec"
		want["syscall.capToIndex"] = "runs between fork and exec"
	}
	for _, p := range listPackages(t, t.TempDir(), "sync", "syscall", "time") {
		res, err := Rewrite(p.group(t), &Options{MinCost: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range res.Funcs {
			if want[f.Name] != "" {
				if f.Instrumented || f.Reason != want[f.Name] {
					t.Errorf("%s: instrumented %t, reason %q", f.Name, f.Instrumented, f.Reason)
				}
				delete(want, f.Name)
			}
		}
	}
	for name := range want {
		t.Errorf("%s does not exist", name)
	}
}

// TestUniqueNames checks the names of generated files and identifiers against
// folders that use them already.
func TestUniqueNames(t *testing.T) {
	tests := []struct {
		kind         Kind
		files        []string
		file, prefix string
		source       string
	}{
		{Package, []string{"a.go", "0.go", "0_test.go"}, "0-waymark.go", "wm_", "package p"},
		{Package, []string{"0+a.go"}, "0!-waymark.go", "wm_", "package p; var xwm_, awm1_"},
		{Package, []string{"0!.go"}, "0!-waymark.go", "wm1_", "package p; var wm_x"},
		{Package, []string{"0!+.go"}, "0!!-waymark.go", "wm2_", "wm1_ wm_"},
		{Package, []string{"0!-waymark.go", "a.txt"}, "0!!-waymark.go", "wm_", ""},
		{Test, []string{"a_test.go", "0+a.go"}, "0-waymark_test.go", "wmt_", "wm_x"},
		{XTest, []string{"0+a_test.go"}, "0!-waymark_x_test.go", "wm_", "wmt_x"},
	}
	for _, tt := range tests {
		var files []File
		for _, name := range tt.files {
			files = append(files, File{Path: filepath.Join("dir", name), Source: []byte(tt.source)})
		}
		n, err := newNames(&Group{Kind: tt.kind, Others: files})
		if err != nil {
			t.Errorf("%v: %v", tt.files, err)
			continue
		}
		if n.file != tt.file || n.prefix != tt.prefix {
			t.Errorf("%v: got %s and %s, want %s and %s", tt.files, n.file, n.prefix, tt.file, tt.prefix)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		group *Group
		want  string
	}{
		{&Group{ImportPath: "a/b"}, "package a/b: no files"},
		{
			&Group{ImportPath: "a/b", Files: []File{{Path: "0!!!!!!!!.go"}}},
			"package a/b: no name for a generated file sorts before those of the folder",
		},
	}
	for _, tt := range tests {
		_, err := Rewrite(tt.group, &Options{})
		if err == nil || err.Error() != tt.want {
			t.Errorf("got error %v, want %q", err, tt.want)
		}
	}
}
