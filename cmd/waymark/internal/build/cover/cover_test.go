package cover

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/edit"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

var std = flag.Bool("std", false, "cover the whole standard library (a minute)")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && IsCall(os.Args[1:]) {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// goTool returns the path of the go command's cover.
func goTool(t *testing.T) string {
	out, err := exec.Command("go", "tool", "-n", "cover").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestStd covers rewritten packages of the standard library. The meta-data is that of the
// files as they are. The results have all counters and all that was inserted.
func TestStd(t *testing.T) {
	packages := []string{"net/http", "go/types", "encoding/json", "text/template", "slices", "os/exec", "container/list"}
	if *std {
		packages = []string{"std"}
	}
	out, err := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}} {{.Name}} {{.Dir}} {{join .GoFiles \" \"}}"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	tool := goTool(t)
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		for _, mode := range []string{"set", "atomic"} {
			t.Run(f[0]+"/"+mode, func(t *testing.T) {
				t.Parallel()
				coverPackage(t, tool, mode, f[0], f[1], f[2], f[3:])
			})
		}
	}
}

func coverPackage(t *testing.T, tool, mode, path, name, dir string, names []string) {
	unit := &syntax.Unit{ImportPath: path}
	for _, n := range names {
		src, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		unit.Files = append(unit.Files, syntax.File{Path: filepath.Join(dir, n), Source: src})
	}
	a, err := instrument.Analyze(unit, &instrument.Options{Closures: true, MinCost: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Funcs {
		f.Args, f.Results = true, true
	}
	rewriting, err := a.Plan()
	if err != nil {
		t.Fatal(err)
	}
	plan := Plan{Files: make(map[string]File)}
	rewritten := make(map[string][]byte)
	put := func(path, original string, text []byte, runs []edit.Run) {
		to := filepath.Join(t.TempDir(), filepath.Base(path))
		write(t, to, text)
		plan.Files[path] = File{Original: original, Rewritten: to, Runs: runs}
		rewritten[path] = text
	}
	var files []string
	for i := range rewriting.Files {
		f := &rewriting.Files[i]
		files = append(files, f.Path)
		if f.Edits != nil {
			text, err := f.Text()
			if err != nil {
				t.Fatal(err)
			}
			put(f.Path, f.Path, text, f.Edits.Runs())
		}
	}
	plain := run(t, []string{tool}, mode, path, name, files, nil)
	if g := rewriting.Generate(""); g != nil {
		put(g.Path, "", g.Source, nil)
		files = append([]string{g.Path}, files...)
	}
	traced := run(t, nil, mode, path, name, files, func(dir string) []string {
		data, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "plan.json"), data)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		return []string{self, word, filepath.Join(dir, "plan.json"), "0", tool}
	})
	if diff := cmp.Diff(string(plain[""]), string(traced[""])); diff != "" {
		t.Errorf("meta-data differ (-plain +traced):\n%.1000s", diff)
	}
	for file, text := range traced {
		if file == "" {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		// What comes out without the counters, or without waymark's code, is what each makes alone.
		count := func(src []byte, name string) int { return bytes.Count(src, []byte(name)) }
		if got, want := count(text, "goCover_"), count(plain[file], "goCover_"); got != want {
			t.Errorf("%s: %d mentions of counters, want %d", file, got, want)
		}
		if src, ok := rewritten[file]; ok {
			if got, want := count(text, "wm_"), count(src, "wm_"); got != want {
				t.Errorf("%s: %d names of waymark's, want %d", file, got, want)
			}
			if got, want := functions(tree), functions(parse(t, file, src)); !slices.Equal(got, want) {
				t.Errorf("%s: functions at lines %v, want %v", file, got, want)
			}
		} else if !bytes.Equal(text, plain[file]) {
			t.Errorf("%s is not what cover makes of it", file)
		}
	}
}

// functions returns the names of the declared functions.
func functions(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

func parse(t *testing.T, name string, src []byte) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run calls cover as the go command does and returns the results by input, under "" that with
// the meta-data.
func run(t *testing.T, words []string, mode, path, name string, files []string, wrap func(dir string) []string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	if wrap != nil {
		words = wrap(dir)
	}
	config, err := json.Marshal(map[string]any{
		"OutConfig": filepath.Join(dir, "coveragecfg"), "PkgPath": path, "PkgName": name, "Granularity": "perblock", "ModulePath": "", "Local": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "pkgcfg.txt"), config)
	results := []string{filepath.Join(dir, "covervars.go")}
	for _, f := range files {
		results = append(results, filepath.Join(dir, strings.TrimSuffix(filepath.Base(f), ".go")+".cover.go"))
	}
	list := filepath.Join(dir, "coveroutfiles.txt")
	write(t, list, []byte(strings.Join(results, "\n")+"\n"))
	words = slices.Concat(words, []string{"-pkgcfg", filepath.Join(dir, "pkgcfg.txt"), "-mode", mode, "-var", "goCover_0123_", "-outfilelist", list}, files)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	texts := make(map[string][]byte)
	for i, r := range results {
		key := ""
		if i > 0 {
			key = files[i-1]
		}
		if texts[key], err = os.ReadFile(r); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// The answer to -V=full, by which the go command knows results, is another one than that of
// cover, and changes with what isn't covered. That of other tools stays.
func TestVersion(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(words ...string) string {
		out, err := exec.Command(words[0], append(words[1:], "-V=full")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", words, err, out)
		}
		return string(out)
	}
	tool := goTool(t)
	var answers []string
	for _, uncovered := range [][]string{nil, {"a"}, {"a", "b"}, {"a b"}} {
		data, err := json.Marshal(Plan{Uncovered: uncovered})
		if err != nil {
			t.Fatal(err)
		}
		plan := filepath.Join(t.TempDir(), "plan.json")
		write(t, plan, data)
		answer := ask(self, word, plan, "0", tool)
		if again := ask(self, word, plan, "0", tool); again != answer {
			t.Errorf("cover answers %s, and then %s", answer, again)
		}
		answers = append(answers, answer)
		for _, name := range []string{"compile", "link"} {
			other := filepath.Join(filepath.Dir(tool), strings.Replace(filepath.Base(tool), "cover", name, 1))
			if _, err := os.Stat(other); err != nil {
				continue // cover was built on demand
			}
			if got, want := ask(self, word, plan, "0", other), ask(other); got != want {
				t.Errorf("%s answers %s, want %s", name, got, want)
			}
		}
	}
	answers = append(answers, ask(tool))
	for i, a := range answers {
		if !strings.HasPrefix(a, "cover version ") || strings.Count(a, "\n") != 1 || slices.Contains(answers[:i], a) {
			t.Errorf("answers: %q", answers)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       nil,
		"  ":                     nil,
		"a":                      {"a"},
		" a  b\tc ":              {"a", "b", "c"},
		`'a b' "c d" ''`:         {"a b", "c d", ""},
		`sh -c 'exec "$@"' sh`:   {"sh", "-c", `exec "$@"`, "sh"},
		`a'b c'`:                 {"a'b", "c'"},
		`"it's" 'say "yes"' end`: {"it's", `say "yes"`, "end"},
	} {
		got, err := gocmd.SplitWords(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
		value, err := gocmd.JoinWords(Words("/a b/waymark", "plan", want))
		if err != nil {
			t.Errorf("%q: %v", want, err)
		}
		back, err := gocmd.SplitWords(value)
		if all := append([]string{"/a b/waymark", "toolexec", "plan", fmt.Sprint(len(want))}, want...); err != nil || !slices.Equal(back, all) {
			t.Errorf("%s: %q, %v; want %q", value, back, err, all)
		}
	}
	for _, bad := range []string{`'a`, `a "b`} {
		if got, err := gocmd.SplitWords(bad); err == nil {
			t.Errorf("%s: %q, want an error", bad, got)
		}
	}
	if value, err := gocmd.JoinWords(Words(`a'"b`, "plan", nil)); err == nil {
		t.Errorf("a name with both quotes: %s", value)
	}
}

// A comment that changes what cover does, or a file that changed meanwhile, is an error.
func TestMarks(t *testing.T) {
	const old, rewritten = "package p\n/*waymark0<*/func F() { return }\n", "package p; import wm\n/*waymark0<*/func F() { wm(); return }\n"
	dir := t.TempDir()
	in := &input{path: "p.go", read: filepath.Join(dir, "old"), File: File{Rewritten: filepath.Join(dir, "new")}}
	write(t, in.read, []byte(old))
	write(t, in.Rewritten, []byte(rewritten))
	b := edit.NewBuffer([]byte(old))
	b.Insert(len("package p"), "; import wm")
	b.Insert(strings.Index(old, "return"), "wm(); ")
	in.Runs = b.Runs()
	m, err := in.mark()
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte(strings.Replace(old, "return", "C;return", 1))
	marked := bytes.Replace(m.text, []byte("return"), []byte("C;return"), 1)
	got, err := m.replace(marked, plain)
	if want := strings.Replace(rewritten, "return", "C;return", 1); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got, err := m.replace(append(marked, "D;"...), plain); err == nil {
		t.Errorf("other counters with comments: %q", got)
	}
	if got, err := m.replace(plain, plain); err == nil {
		t.Errorf("without comments: %q", got)
	}
	write(t, in.read, []byte(strings.Replace(old, "F", "G", 1)))
	if _, err := in.mark(); err == nil || !strings.Contains(err.Error(), "p.go has changed since") {
		t.Errorf("a changed file: %v", err)
	}
}
