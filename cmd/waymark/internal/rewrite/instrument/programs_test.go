package instrument

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

var (
	programs = flag.Int("programs", 16, "how many random programs to build and run")
	seed     = flag.Uint64("seed", 1, "seed of the first random program")
	size     = flag.Int("size", 12, "statements in each function of a random program, about")
)

// support is what the random programs call, with the entry of all of them.
const support = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

var zero, one, two, ten = 0, 1, 2, 10

var few, some = uint8(1), uint8(5)

type box struct{ n int; s string }

type fault string

func (f fault) Error() string { return string(f) }

func note(args ...any) {
	var texts []string
	for _, arg := range args {
		texts = append(texts, text(arg))
	}
	fmt.Fprintln(os.Stdout, strings.Join(texts, " "))
}

var fuel int

func refuel() { fuel = 200 }

func spend() {
	if fuel--; fuel < 0 {
		panic("out of fuel")
	}
}

func enter(name string) {
	fmt.Fprintln(os.Stdout, ">", name)
	spend()
}

func text(arg any) string {
	switch arg := arg.(type) {
	case func(int) int:
		return fmt.Sprintf("func %%t", arg != nil)
	case *box:
		if arg == nil {
			return "no box"
		}
		return fmt.Sprintf("%%v", *arg)
	}
	return fmt.Sprintf("%%v", arg)
}

func elsewhere(f func()) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); f() }()
	wg.Wait()
}

func goexit() { runtime.Goexit() }

func main() {
%s}
`

// TestPrograms writes random programs and builds and runs them plain and rewritten,
// all as one. They must say and return the same. The hooks must see the calls that
// the program says it makes. Each exit must belong to the innermost call.
//
// With -programs, -seed and -size other programs; a program that fails comes down to
// fewer statements with -programs 1, its seed, and a lower size.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	const batch = 60 // in one program
	for first := *seed; first < *seed+uint64(*programs); first += batch {
		comparePrograms(t, first, min(batch, *seed+uint64(*programs)-first))
	}
}

func comparePrograms(t *testing.T, first, n uint64) {
	t.Helper()
	u := &syntax.Unit{ImportPath: "example.com/fake/p", Main: true}
	var calls strings.Builder
	for i := range n {
		source, entry := newProgram(first+i, *size)
		u.Files = append(u.Files, syntax.File{Path: fmt.Sprintf("p/p%05d.go", first+i), Source: []byte(source)})
		fmt.Fprintf(&calls, "\t%s()\n", entry)
	}
	u.With = []syntax.File{{Path: "p/support.go", Source: fmt.Appendf(nil, support, calls.String())}}
	o := &Options{Config: syntax.Config{Hooks: hooks, Toolchain: syntaxtest.Toolchain()}, Closures: true, MinCost: -1}
	res := mustRewrite(t, u, o, someValues)
	plain, rewritten := make(map[string][]byte), make(map[string][]byte)
	for i, f := range res.files {
		checkLines(t, u.Files[i].Source, f.source)
		plain[f.path], rewritten[f.path] = u.Files[i].Source, f.source
	}
	rewritten[res.generated.Path] = res.generated.Source
	plain[u.With[0].Path], rewritten[u.With[0].Path] = u.With[0].Source, u.With[0].Source

	want, _ := buildAndRun(t, plain)
	got, traced := buildAndRun(t, rewritten)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("programs %d to %d say something else (-plain +rewritten):\n%s", first, first+n-1, diff)
	}
	var made []string
	for line := range strings.Lines(want) {
		if name, ok := strings.CutPrefix(line, "> "); ok && name != "literal\n" {
			made = append(made, "> main."+strings.TrimSpace(name))
		}
	}
	compareCalls(t, made, traced)
	t.Logf("%s: programs %d to %d: %d functions, %d calls of declared functions",
		syntaxtest.Toolchain(), first, first+n-1, len(res.Sites), len(made))
}

// compareCalls compares the calls of declared functions that the programs say they
// make with those that the hooks see. It also looks for what the hooks found
// wrong.
func compareCalls(t *testing.T, made []string, traced string) {
	t.Helper()
	seen := 0
	for line := range strings.Lines(traced) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "site ") || strings.HasPrefix(line, "exit of a call") {
			t.Error(line)
		}
		name := callName(line)
		if name == "" {
			continue
		}
		if seen == len(made) {
			t.Errorf("the hooks see the call %s, the programs make none any more", line)
			return
		}
		if name != made[seen] {
			t.Errorf("call %d: the hooks see %s, the programs make %s", seen, name, made[seen])
			return
		}
		seen++
	}
	if seen < len(made) {
		t.Errorf("the hooks see %d calls, the programs make %d", seen, len(made))
	}
}

// callName returns the name of a declared function in a line of the hooks about an
// entry, without arguments.
func callName(line string) string {
	m := declaredEntry.FindStringSubmatch(line)
	if m == nil || strings.Contains(m[2], ".func") || strings.Contains(m[2], "-range") {
		return ""
	}
	return m[1] + m[2]
}

// declaredEntry matches methods and functions of the programs' names only.
var declaredEntry = regexp.MustCompile(`^(> main\.(?:\(\*box\)\.)?)(p\d+f\d+(?:\[\.\.\.\])?[-.\w]*)`)

// someValues has arguments recorded in half of the functions and results in a third.
func someValues(f *Func) { f.Args, f.Results = f.Line%2 == 0, f.Line%3 == 0 }

// buildAndRun builds a program without inlining, as the compiler renames literals
// that it inlines, and runs it.
func buildAndRun(t *testing.T, files map[string][]byte) (stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	writeModule(t, dir, files)
	syntaxtest.Go(t, dir, "build", "-gcflags=-l", "-ldflags=-s -w", "-o", "program", "./p")
	var out, errs bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "program"))
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("random program: %v\n%s", err, errs.Bytes())
	}
	return out.String(), errs.String()
}

// FuzzProgram checks that random programs have no type errors when they are
// rewritten, and that rewriting them again changes nothing.
func FuzzProgram(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, 20)
	}
	f.Fuzz(func(t *testing.T, seed uint64, size int) {
		source, _ := newProgram(seed, size&63)
		u := &syntax.Unit{ImportPath: "example.com/p", Main: true, Files: []syntax.File{{Path: "p.go", Source: []byte(source)}}}
		with := "package main\n" + helpers + "\nfunc main() {}\n"
		u.With = []syntax.File{{Path: "support.go", Source: []byte(with)}}
		if err := typeErrors(source, with); err != nil {
			t.Fatalf("the program isn't valid: %v\n%s", err, source)
		}
		for _, values := range []func(*Func){nil, allValues, someValues} {
			o := &Options{Closures: true, MinCost: -1}
			rewriteTwice(t, u, o, values)
			res := mustRewrite(t, u, o, values)
			if err := typeErrors(string(res.generated.Source), string(res.files[0].source), with); err != nil {
				t.Errorf("%v\n%s", err, res.files[0].source)
			}
		}
	})
}

// typeErrors checks the types of a package that imports nothing but the stub of
// package runtime.
func typeErrors(sources ...string) error {
	check := func(path string, importer types.Importer, sources ...string) (*types.Package, error) {
		fset := token.NewFileSet()
		var files []*ast.File
		for i, source := range sources {
			file, err := parser.ParseFile(fset, fmt.Sprintf("%s%d.go", path, i), source, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		var errs []error
		// Functions without a body are written in assembly, for the type checker.
		conf := types.Config{Importer: importer, Error: func(err error) { errs = append(errs, err) }}
		pkg, _ := conf.Check(path, fset, files, nil)
		return pkg, errors.Join(errs...)
	}
	runtime, err := check("runtime", nil, stub)
	if err != nil {
		return err
	}
	_, err = check("p", importerOf{runtime}, sources...)
	return err
}

// importerOf knows one package.
type importerOf struct{ *types.Package }

func (i importerOf) Import(path string) (*types.Package, error) {
	if path != i.Path() {
		return nil, fmt.Errorf("no package %s", path)
	}
	return i.Package, nil
}
