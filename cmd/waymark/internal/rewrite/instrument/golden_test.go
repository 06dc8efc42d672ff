package instrument

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of the golden files")

// hooks is the import path of the stand-in for package runtime.
const hooks = "example.com/fake/wmrt"

// A golden is a txtar archive. Its files are packages of a program, one to a
// folder, the program's own in the top folder. What is wanted is under want/.
// There are the rewritten files, and "funcs" with the decision for each function.
// For a program that runs there are "stdout" and "calls", which the stand-in
// hooks print. The comment may hold a line "options:" with words. These are
// closures, spans, all (no function is tiny), args, results (of all functions; what
// looks like a secret is masked), and run. go=VERSION is for the language.
// toolchain=VERSION is for a program that is as wanted with one release of Go
// only. parser=VERSION is for one that older releases can't parse.
type golden struct {
	name    string // of the file, without folder and suffix
	archive *txtar.Archive
	options []string
	input   map[string][]byte
	want    map[string][]byte
}

func readGoldens(t testing.TB) []*golden {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var list []*golden
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g := &golden{
			name:    strings.TrimSuffix(filepath.Base(file), ".txtar"),
			archive: ar,
			input:   make(map[string][]byte),
			want:    make(map[string][]byte),
		}
		for line := range strings.Lines(string(ar.Comment)) {
			if words, ok := strings.CutPrefix(line, "options:"); ok {
				g.options = strings.Fields(words)
			}
		}
		for _, f := range ar.Files {
			if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
				g.want[name] = f.Data
			} else {
				g.input[f.Name] = g.decode(f.Data)
			}
		}
		if version.Compare(g.version("parser"), runtime.Version()) <= 0 {
			list = append(list, g)
		}
	}
	return list
}

func (g *golden) has(option string) bool {
	return slices.Contains(g.options, option)
}

// decode puts bytes into an input file that a txtar archive can't hold or
// that editors would lose. The options crlf, bom and noeol ask for it.
func (g *golden) decode(data []byte) []byte {
	if g.has("crlf") {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}
	if g.has("bom") {
		data = append([]byte("\ufeff"), data...)
	}
	if g.has("noeol") {
		data = bytes.TrimRight(data, "\r\n")
	}
	return data
}

// encode undoes decode, and fails if a rewritten file has lost the bytes.
func (g *golden) encode(t *testing.T, data []byte) []byte {
	if g.has("noeol") {
		if bytes.HasSuffix(data, []byte("\n")) {
			t.Error("the rewritten file ends in a line end that was not there")
		}
		data = append(slices.Clone(data), '\n')
	}
	if g.has("bom") {
		var ok bool
		if data, ok = bytes.CutPrefix(data, []byte("\ufeff")); !ok {
			t.Error("the rewritten file has lost its byte order mark")
		}
	}
	if g.has("crlf") {
		if n := bytes.Count(data, []byte("\n")) - bytes.Count(data, []byte("\r\n")); n > 1 {
			t.Errorf("%d lines of the rewritten file have lost their \\r", n)
		}
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return data
}

func (g *golden) rewriteOptions() *Options {
	o := &Options{
		Closures: g.has("closures"),
		Spans:    g.has("spans"),
		Config:   syntax.Config{Hooks: hooks, Toolchain: g.version("toolchain")},
		Library:  hooks,
	}
	if g.has("all") {
		o.MinCost = -1
	}
	for _, word := range g.options {
		if path, ok := strings.CutPrefix(word, "import="); ok {
			o.Imports = append(o.Imports, path)
		}
	}
	o.Redact = []string{"password", "token"}
	return o
}

// decide has values recorded as the options say.
func (g *golden) decide(f *Func) { f.Args, f.Results = g.has("args"), g.has("results") }

// version returns the version of Go in an option, empty if it isn't given.
func (g *golden) version(option string) string {
	for _, word := range g.options {
		if release, ok := strings.CutPrefix(word, option+"="); ok {
			return "go" + release
		}
	}
	return ""
}

// runs reports whether the program of the golden is to be built and run.
func (g *golden) runs() bool {
	release := g.version("toolchain")
	return g.has("run") && !testing.Short() &&
		(release == "" || version.Lang(release) == version.Lang(syntaxtest.Toolchain()))
}

// namesTable is the site table that the stand-in hooks read.
func namesTable(p *Plan) string {
	var lines []string
	for _, s := range p.Sites {
		lines = append(lines, fmt.Sprintf("%s:%d", s.Name, s.Line))
	}
	for i, f := range p.Facility.Functions {
		line := fmt.Sprintf("traced %d %s site %d", p.Facility.First+i, f.Name, f.Site)
		if f.Info == format.NotInfo {
			line += " group " + p.Facility.Groups[f.Group]
		} else {
			line += " info " + map[format.InfoKind]string{format.InfoEnter: "enter", format.InfoExit: "exit"}[f.Info]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// units returns the packages of the program. Paths of files are relative
// to the archive.
func (g *golden) units(t *testing.T) []*syntax.Unit {
	byDir := make(map[string]*syntax.Unit)
	for _, name := range slices.Sorted(maps.Keys(g.input)) {
		if path.Ext(name) != ".go" {
			continue
		}
		dir := path.Dir(name)
		unit := byDir[dir]
		if unit == nil {
			unit = &syntax.Unit{ImportPath: path.Join("example.com/fake", g.name, dir), GoVersion: g.version("go")}
			byDir[dir] = unit
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, g.input[name], parser.PackageClauseOnly)
		unit.Main = unit.Main || err == nil && tree.Name.Name == "main"
		unit.Files = append(unit.Files, syntax.File{Path: name, Source: g.input[name]})
	}
	return slices.SortedFunc(maps.Values(byDir), func(a, b *syntax.Unit) int {
		return cmp.Compare(a.ImportPath, b.ImportPath)
	})
}

// rewrite returns what is wanted of the golden but for running it, and the
// files of the rewritten program.
func (g *golden) rewrite(t *testing.T) (got, files map[string][]byte) {
	got = make(map[string][]byte)
	files = maps.Clone(g.input)
	var funcs bytes.Buffer
	for _, unit := range g.units(t) {
		res := mustRewrite(t, unit, g.rewriteOptions(), g.decide)
		for i, f := range res.files {
			files[f.path] = f.source
			if f.changed {
				got[f.path] = g.encode(t, f.source)
				checkLines(t, unit.Files[i].Source, f.source)
			} else {
				reason := cmp.Or(f.reason, "nothing to instrument")
				fmt.Fprintf(&funcs, "%s unchanged: %s\n", f.path, reason)
			}
		}
		if res.generated != nil {
			got[res.generated.Path] = res.generated.Source
			files[res.generated.Path] = res.generated.Source
		}
		for _, f := range res.funcs {
			decision := f.Reason
			if f.Instrument {
				decision = "instrumented"
				if len(f.Tiny) > 0 {
					decision += " without " + strings.Join(f.Tiny, ", ")
				}
			}
			fmt.Fprintf(&funcs, "%s:%d %s: %s\n", f.File, f.Line, f.Name, decision)
		}
	}
	got["funcs"] = funcs.Bytes()
	return got, files
}

// TestGolden compares the rewritten files and, unless -short is given, builds
// and runs the programs as they were and as they are rewritten.
func TestGolden(t *testing.T) {
	goldens := readGoldens(t)
	plain, rewritten := t.TempDir(), t.TempDir()
	plainFiles, rewrittenFiles := make(map[string][]byte), make(map[string][]byte)
	results := make(map[string]map[string][]byte)
	var programs []string
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			got, files := g.rewrite(t)
			results[g.name] = got
			if g.runs() {
				programs = append(programs, g.name)
				for name, data := range files {
					rewrittenFiles[path.Join(g.name, name)] = data
				}
				for name, data := range g.input {
					plainFiles[path.Join(g.name, name)] = data
				}
			}
		})
	}
	if len(programs) > 0 {
		writeModule(t, plain, plainFiles)
		buildPrograms(t, plain, programs)
		writeModule(t, rewritten, rewrittenFiles)
		buildPrograms(t, rewritten, programs)
	}
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			got := results[g.name]
			switch {
			case g.runs():
				want, _ := runProgram(t, filepath.Join(plain, "bin", g.name))
				got["stdout"], got["calls"] = runProgram(t, filepath.Join(rewritten, "bin", g.name))
				if diff := gocmp.Diff(string(want), string(got["stdout"])); diff != "" {
					t.Errorf("the rewritten program prints something else (-plain +rewritten):\n%s", diff)
				}
			case g.has("run"):
				got["stdout"], got["calls"] = g.want["stdout"], g.want["calls"]
			}
			if *update {
				g.write(t, got)
				return
			}
			for _, name := range slices.Sorted(maps.Keys(got)) {
				if diff := gocmp.Diff(string(g.want[name]), string(got[name])); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			for name := range g.want {
				if _, ok := got[name]; !ok {
					t.Errorf("%s is wanted and was not made", name)
				}
			}
		})
	}
}

func (g *golden) write(t *testing.T, got map[string][]byte) {
	ar := &txtar.Archive{Comment: g.archive.Comment}
	for _, f := range g.archive.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			ar.Files = append(ar.Files, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if len(got[name]) > 0 {
			ar.Files = append(ar.Files, txtar.File{Name: "want/" + name, Data: got[name]})
		}
	}
	if err := os.WriteFile("testdata/"+g.name+".txtar", txtar.Format(ar), 0o666); err != nil {
		t.Fatal(err)
	}
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// writeModule makes dir a module of the given files and the stand-in hooks.
func writeModule(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	fake, err := os.ReadFile("testdata/wmrt/wmrt.go")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, files)
	writeFiles(t, dir, map[string][]byte{
		"go.mod":       []byte("module example.com/fake\n\ngo 1.26\n"),
		"wmrt/wmrt.go": fake,
	})
}

// buildPrograms builds the programs in the folders of a module without
// inlining: the compiler renames literals that it inlines.
func buildPrograms(t *testing.T, dir string, programs []string) {
	t.Helper()
	args := []string{"build", "-gcflags=-l", "-ldflags=-s -w", "-o", "bin/"}
	for _, p := range programs {
		args = append(args, "./"+p)
	}
	syntaxtest.Go(t, dir, args...)
}

func runProgram(t *testing.T, binary string) (stdout, stderr []byte) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(binary), err, errs.Bytes())
	}
	return out.Bytes(), errs.Bytes()
}

// checkLines fails if rewriting has moved a node of the tree to another line.
// The rewritten tree has more nodes, so it looks for each identifier and
// literal of the original in order.
func checkLines(t *testing.T, before, after []byte) {
	t.Helper()
	old, new := leaves(t, before), leaves(t, after)
	j := 0
	for _, leaf := range old {
		for j < len(new) && new[j] != leaf {
			j++
		}
		if j == len(new) {
			t.Errorf("%s is not on its line any more", leaf)
			return
		}
		j++
	}
}

// leaves lists the identifiers and literals of a file with their lines, both
// the real ones and those that //line directives give.
func leaves(t *testing.T, src []byte) []string {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("rewritten file: %v", err)
		return nil
	}
	var list []string
	add := func(pos token.Pos, text string) {
		real, said := fset.PositionFor(pos, false), fset.Position(pos)
		list = append(list, strconv.Itoa(real.Line)+" ("+said.Filename+":"+strconv.Itoa(said.Line)+"): "+text)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name != "_" { // the only identifier that is renamed
				add(n.Pos(), n.Name)
			}
		case *ast.BasicLit:
			add(n.Pos(), n.Value)
		}
		return true
	})
	return list
}
