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
)

// TestStd rewrites a quarter of the packages in GOROOT, the one with package runtime, and with -long
// all packages, whether they would be instrumented or not and for whatever system they are. The
// results must parse, keep every token of the original on its line, and be left alone when they are
// rewritten again. Arguments and results are recorded in about half of the packages.
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
		if !*long && crc32.ChecksumIEEE([]byte(rel))%4 != 3 {
			return nil
		}
		t.Run(rel, func(t *testing.T) {
			t.Parallel()
			for _, g := range readGroups(t, dir, filepath.ToSlash(rel)) {
				rewriteTwice(t, g, &Options{Closures: true, MinCost: -1, Values: everyOther(g)})
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

// readGroups makes a group of the files of each package name in a folder,
// and one of the tests of each. Build constraints are ignored.
func readGroups(t *testing.T, dir, importPath string) []*Group {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	groups := make(map[string]*Group)
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
		g := &Group{ImportPath: importPath, Main: tree.Name.Name == "main"}
		if strings.HasSuffix(name, "_test.go") {
			g.Kind = Test
			if strings.HasSuffix(tree.Name.Name, "_test") {
				g.Kind = XTest
			}
		}
		key := tree.Name.Name + []string{"", " test", " xtest"}[g.Kind]
		if groups[key] == nil {
			groups[key] = g
		}
		groups[key].Files = append(groups[key].Files, File{Path: name, Source: data})
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b *Group) int {
		return cmp.Compare(a.Kind, b.Kind)
	})
}

// everyOther has values recorded in about half of all packages, always the same.
func everyOther(g *Group) func(*Func) (args, results bool) {
	if len(g.ImportPath)%2 == 0 {
		return nil
	}
	return allValues
}

// rewriteTwice rewrites a group, checks the result, and rewrites that.
func rewriteTwice(t *testing.T, g *Group, o *Options) {
	t.Helper()
	first, err := Rewrite(g, o)
	if err != nil {
		t.Fatal(err)
	}
	again := *g
	again.Files = nil
	for i, f := range first.Files {
		if f.Changed {
			checkLines(t, g.Files[i].Source, f.Source)
		}
		again.Files = append(again.Files, File{Path: f.Path, Source: f.Source})
	}
	if first.Generated != nil {
		again.Files = append(again.Files, File{Path: first.Generated.Path, Source: first.Generated.Source})
	}
	if t.Failed() {
		return
	}
	second, err := Rewrite(&again, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range second.Files {
		if f.Changed {
			t.Errorf("%s: changed when rewritten again", f.Path)
		}
	}
	if second.Generated != nil || len(second.Table.Sites) > 0 {
		t.Errorf("%s: has %d sites when rewritten again", g.ImportPath, len(second.Table.Sites))
	}
}

// BenchmarkRewrite rewrites package net/http, 60,000 lines.
func BenchmarkRewrite(b *testing.B) {
	g := listPackages(b, b.TempDir(), "net/http")[0].group(b)
	size := 0
	for _, f := range g.Files {
		size += len(f.Source)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := Rewrite(g, &Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
