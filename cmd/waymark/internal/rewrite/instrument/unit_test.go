package instrument

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
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

// TestTestUnits runs the tests of a package of which all three units are
// rewritten, each with a table of its own.
func TestTestUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	file := func(name string) syntax.File {
		return syntax.File{Path: filepath.Join("p", name), Source: []byte(folder[name])}
	}
	p, in, ex := file("p.go"), file("p_test.go"), file("x_test.go")
	units := []*syntax.Unit{
		{ImportPath: "example.com/fake/p", Files: []syntax.File{p}, Others: []syntax.File{in, ex}},
		{ImportPath: "example.com/fake/p", Kind: syntax.Test, Files: []syntax.File{in}, With: []syntax.File{p}, Others: []syntax.File{ex}},
		{ImportPath: "example.com/fake/p_test", Kind: syntax.XTest, Files: []syntax.File{ex}, Others: []syntax.File{p, in}},
	}
	dir := t.TempDir()
	plain, files := make(map[string][]byte), make(map[string][]byte)
	var generated []string
	for _, u := range units {
		for _, f := range u.Files {
			plain[f.Path] = f.Source
		}
		res := mustRewrite(t, u, &Options{Config: syntax.Config{Hooks: hooks}, Closures: true, MinCost: -1}, nil)
		for _, f := range res.files {
			files[f.path] = f.source
		}
		files[res.generated.Path] = res.generated.Source
		generated = append(generated, filepath.Base(res.generated.Path))
	}
	wantGenerated := []string{"0-waymark.go", "0-waymark_test.go", "0-waymark_x_test.go"}
	if diff := gocmp.Diff(wantGenerated, generated); diff != "" {
		t.Errorf("generated files (-want +got):\n%s", diff)
	}

	writeModule(t, filepath.Join(dir, "plain"), plain)
	writeModule(t, filepath.Join(dir, "rewritten"), files)
	args := []string{"test", "-v", "-gcflags=-l", "./p"}
	before := string(syntaxtest.Go(t, filepath.Join(dir, "plain"), args...))
	after := string(syntaxtest.Go(t, filepath.Join(dir, "rewritten"), args...))

	took := regexp.MustCompile(` \([0-9.]+s\)$`) // of a test
	var printed, calls []string
	for line := range strings.Lines(after) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "site "):
			t.Error(line)
		case strings.HasPrefix(line, "> "):
			calls = append(calls, strings.TrimPrefix(line, "> "))
		case !strings.HasPrefix(line, "<") && !strings.HasPrefix(line, "ok"):
			printed = append(printed, took.ReplaceAllString(line, ""))
		}
	}
	var wantPrinted []string
	for line := range strings.Lines(before) {
		if !strings.HasPrefix(line, "ok") {
			wantPrinted = append(wantPrinted, took.ReplaceAllString(strings.TrimSpace(line), ""))
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

// TestImports checks what is generated for a unit in which nothing is
// instrumented.
func TestImports(t *testing.T) {
	u := &syntax.Unit{ImportPath: "p", Files: []syntax.File{{Path: "dir/p.go", Source: []byte("package p\n\nfunc f()\n")}}}
	res := mustRewrite(t, u, &Options{}, nil)
	if res.generated != nil {
		t.Errorf("generated %s without sites or imports", res.generated.Source)
	}
	res = mustRewrite(t, u, &Options{Imports: []string{"b/agent", "a/monitor", "b/agent"}}, nil)
	want := syntax.Header + `

package p

import _ "a/monitor"

import _ "b/agent"
`
	if diff := gocmp.Diff(want, string(res.generated.Source)); diff != "" {
		t.Errorf("generated (-want +got):\n%s", diff)
	}
	if got, want := res.generated.Path, filepath.Join("dir", "0-waymark.go"); got != want {
		t.Errorf("generated file %s, want %s", got, want)
	}
}

// TestSelect checks that the caller may decide about functions that can be instrumented, and
// that its word counts.
func TestSelect(t *testing.T) {
	src := `package p

type T[X any] struct{}

func (t *T[X]) m() { func() {}() }

//go:nosplit
func never() {}

func init() {}
`
	var asked []string
	res := mustRewrite(t, &syntax.Unit{ImportPath: "a.b", Files: []syntax.File{{Path: "p.go", Source: []byte(src)}}}, &Options{Closures: true}, func(f *Func) {
		asked = append(asked, strings.Join([]string{f.Name, f.Package, f.Recv, f.Base}, " "))
		if f.Instrument = !f.IsTiny; f.IsTiny {
			f.Reason = "not chosen"
		}
	})
	want := []string{
		"a%2eb.(*T[...]).m a.b T m",
		"a%2eb.(*T[...]).m.func1 a.b T m.func1",
		"a%2eb.init.0 a.b  init",
	}
	if diff := gocmp.Diff(want, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	var reasons []string
	for _, f := range res.funcs {
		reasons = append(reasons, f.Reason)
	}
	if diff := gocmp.Diff([]string{"not chosen", "not chosen", "//go:nosplit", ""}, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// TestUniqueNames checks the names of generated files and identifiers against
// folders that use them already.
func TestUniqueNames(t *testing.T) {
	tests := []struct {
		kind         syntax.Kind
		files        []string
		file, prefix string
		source       string
	}{
		{syntax.Package, []string{"a.go", "0.go", "0_test.go"}, "0-waymark.go", "wm_", "package p"},
		{syntax.Package, []string{"0+a.go"}, "0!-waymark.go", "wm_", "package p; var xwm_, awm1_"},
		{syntax.Package, []string{"0!.go"}, "0!-waymark.go", "wm1_", "package p; var wm_x"},
		{syntax.Package, []string{"0!+.go"}, "0!!-waymark.go", "wm2_", "wm1_ wm_"},
		{syntax.Package, []string{"0!-waymark.go", "a.txt"}, "0!!-waymark.go", "wm_", ""},
		{syntax.Test, []string{"a_test.go", "0+a.go"}, "0-waymark_test.go", "wmt_", "wm_x"},
		{syntax.XTest, []string{"0+a_test.go"}, "0!-waymark_x_test.go", "wm_", "wmt_x"},
	}
	for _, tt := range tests {
		var files []syntax.File
		for _, name := range tt.files {
			files = append(files, syntax.File{Path: filepath.Join("dir", name), Source: []byte(tt.source)})
		}
		n, err := newNames(&syntax.Unit{Kind: tt.kind, Others: files})
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
		unit *syntax.Unit
		want string
	}{
		{&syntax.Unit{ImportPath: "a/b"}, "package a/b: no files"},
		{
			&syntax.Unit{ImportPath: "a/b", Files: []syntax.File{{Path: "0!!!!!!!!.go"}}},
			"package a/b: no name for a generated file sorts before those of the folder",
		},
	}
	for _, tt := range tests {
		_, err := rewrite(tt.unit, &Options{}, nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got error %v, want %q", err, tt.want)
		}
	}
}
