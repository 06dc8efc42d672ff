package instrument

import (
	"cmp"
	"go/parser"
	"go/token"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

// TestStd rewrites an eighth of the packages in GOROOT, the one with package runtime, and with
// -long all packages. It does so whether they would be instrumented or not, and for whatever system
// they are. The results must parse, keep every token of the original on its line, and be left alone
// when they are rewritten again. Arguments and results are recorded in about half of the packages.
func TestStd(t *testing.T) {
	if testing.Short() {
		t.Skip("rewrites the standard library")
	}
	src := filepath.Join(goroot(t), "src")
	err := filepath.WalkDir(src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(src, dir)
		if err != nil {
			return err
		}
		if !*long && crc32.ChecksumIEEE([]byte(rel))%8 != 3 {
			return nil
		}
		t.Run(rel, func(t *testing.T) {
			t.Parallel()
			for _, u := range readUnits(t, dir, filepath.ToSlash(rel)) {
				rewriteTwice(t, u, &Options{Closures: true, MinCost: -1}, everyOther(u))
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// readUnits makes a unit of the files of each package name in a folder,
// and one of the tests of each. Build constraints are ignored.
func readUnits(t *testing.T, dir, importPath string) []*syntax.Unit {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	units := make(map[string]*syntax.Unit)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, data, parser.PackageClauseOnly)
		if err != nil {
			t.Logf("%v", err)
			continue
		}
		u := &syntax.Unit{ImportPath: importPath, Main: tree.Name.Name == "main"}
		if strings.HasSuffix(name, "_test.go") {
			u.Kind = syntax.Test
			if strings.HasSuffix(tree.Name.Name, "_test") {
				u.Kind = syntax.XTest
			}
		}
		key := tree.Name.Name + []string{"", " test", " xtest"}[u.Kind]
		if units[key] == nil {
			units[key] = u
		}
		units[key].Files = append(units[key].Files, syntax.File{Path: name, Source: data})
	}
	return slices.SortedFunc(maps.Values(units), func(a, b *syntax.Unit) int {
		return cmp.Compare(a.Kind, b.Kind)
	})
}

// everyOther has values recorded in about half of all packages, always the same.
func everyOther(u *syntax.Unit) func(*Func) {
	if len(u.ImportPath)%2 == 0 {
		return nil
	}
	return allValues
}

// rewriteTwice rewrites a unit, checks the result, and rewrites that.
func rewriteTwice(t *testing.T, u *syntax.Unit, o *Options, decide func(*Func)) {
	t.Helper()
	first := mustRewrite(t, u, o, decide)
	again := *u
	again.Files = nil
	for i, f := range first.files {
		if f.changed {
			checkLines(t, u.Files[i].Source, f.source)
		}
		again.Files = append(again.Files, syntax.File{Path: f.path, Source: f.source})
	}
	if first.generated != nil {
		again.Files = append(again.Files, syntax.File{Path: first.generated.Path, Source: first.generated.Source})
	}
	if t.Failed() {
		return
	}
	second := mustRewrite(t, &again, o, decide)
	for _, f := range second.files {
		if f.changed {
			t.Errorf("%s: changed when rewritten again", f.path)
		}
	}
	if second.generated != nil || len(second.Sites) > 0 {
		t.Errorf("%s: has %d sites when rewritten again", u.ImportPath, len(second.Sites))
	}
}

// BenchmarkRewrite rewrites package net/http, 60,000 lines.
func BenchmarkRewrite(b *testing.B) {
	u := syntaxtest.List(b, b.TempDir(), "net/http")[0].Unit(b)
	size := 0
	for _, f := range u.Files {
		size += len(f.Source)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		mustRewrite(b, u, &Options{}, nil)
	}
}
