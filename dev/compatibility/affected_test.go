package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	affectedFlag = flag.Int("affected", 0, "plant `N` mutations in each module, and compare the tests that fail with those that waymark test --affected chooses (hours for 200, downloads)")
	affectedOnly = flag.String("affected-only", "", "plant them in the modules whose paths have `TEXT` only")
	affectedSeed = flag.Uint64("affected-seed", 1, "choose mutations by this `SEED`")
)

// mutated are modules with tests that take some seconds: generics, parsers with testdata, embedding,
// frameworks with reflection, lines of the source, pools.
var mutated = []Suite{
	{Module: "github.com/google/btree@v1.1.3"},
	{Module: "github.com/BurntSushi/toml@v1.6.0"},
	{Module: "github.com/google/uuid@v1.6.0"},
	{Module: "github.com/dustin/go-humanize@v1.1.0"},
	{Module: "github.com/pkg/errors@v0.9.1"},
	{Module: "github.com/deckarep/golang-set/v2@v2.9.0"},
	{Module: "github.com/spf13/pflag@v1.0.9"},
	{Module: "github.com/sirupsen/logrus@v1.10.2"},
	{Module: "github.com/sourcegraph/conc@v0.3.0"},
	{Module: "github.com/yuin/goldmark@v1.8.7", Flags: []string{"-skip=Performance"}},
}

// TestAffected plants mutations one by one: in bodies of functions, constants, first values of
// variables, sets of methods and testdata. Every test that fails by one must be among those that
// waymark test --affected chooses.
func TestAffected(t *testing.T) {
	if *affectedFlag == 0 {
		t.Skip("not asked for: make test-affected")
	}
	waymark := buildWaymark(t)
	for _, s := range mutated {
		if !strings.Contains(s.Module, *affectedOnly) {
			continue
		}
		t.Run(s.Path(), func(t *testing.T) { mutate(t, waymark, s) })
	}
}

func mutate(t *testing.T, waymark string, s Suite) {
	s.Packages = []string{"./..."}
	dir := filepath.Join(t.TempDir(), "module")
	if err := s.checkout(dir); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		return cmd.Output()
	}
	must := func(name string, args ...string) []byte {
		t.Helper()
		out, err := run(name, args...)
		if err != nil {
			t.Fatalf("%s %q: %v\n%.3000s", name, args, err, out)
		}
		return out
	}
	must("git", "init", "-q")
	must("git", "add", "-A", "-f")
	must("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "as it is")
	kept := filepath.Join(t.TempDir(), "tests.map")
	affected := append([]string{"test", "--affected", "HEAD", "--map", kept, "-vet=off"}, s.Flags...)
	began := time.Now()
	run(waymark, append(affected, "./...")...) // tests may fail in the module cache's copy
	keeping := time.Since(began)
	plain := append([]string{"test", "-json", "-count=1", "-vet=off"}, append(s.Flags, "./...")...)
	failed := func() (list map[string]bool, seconds map[string]float64, broken bool) {
		out, _ := run("go", plain...)
		return failedTests(out)
	}
	began = time.Now()
	flaky, seconds, _ := failed()
	took := time.Since(began)
	again, _, _ := failed()
	maps.Copy(flaky, again)
	all, sum := len(seconds), total(maps.Values(seconds))
	info, err := os.Stat(kept)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tests, %d of them fail or are flaky; map of %d bytes; %v with the map from nothing, %v plain", all, len(flaky), info.Size(), keeping.Round(time.Second/10), took.Round(time.Second/10))

	rng := rand.New(rand.NewPCG(*affectedSeed, 0))
	sites := mutations(t, dir)
	rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	var shares, times []float64 // of all tests, and of the time that they take
	failing, missed, broken, killed := 0, 0, 0, 0
	kinds := make(map[string]int)
	for _, m := range sites {
		if len(shares) == *affectedFlag {
			break
		}
		undo := m.plant(t)
		list, _, bad := failed()
		if bad { // it doesn't compile
			broken++
			undo()
			continue
		}
		out := must(waymark, append(slices.Insert(slices.Clone(affected), 1, "--list"), "./...")...)
		undo()
		chosen := make(map[string]bool)
		for line := range strings.Lines(string(out)) {
			chosen[strings.TrimSpace(line)] = true
		}
		kinds[m.kind]++
		shares = append(shares, float64(len(chosen))/float64(all))
		times = append(times, total(func(yield func(float64) bool) {
			for name := range chosen {
				if !yield(seconds[name]) {
					return
				}
			}
		})/sum)
		if len(list) > 0 {
			killed++
		}
		for name := range list {
			if flaky[name] {
				continue
			}
			failing++
			if !chosen[name] {
				missed++
				t.Errorf("missed: %s fails by %s", name, m)
			}
		}
	}
	if len(shares) == 0 {
		t.Fatal("no mutation compiles")
	}
	slices.Sort(shares)
	slices.Sort(times)
	mean := func(list []float64) float64 { return total(slices.Values(list)) / float64(len(list)) }
	t.Logf("%d mutations %v (%d more don't compile), %d make tests fail: %d failures, %d missed; of the tests %.1f %% are chosen in the median, %.1f %% on average; of their time %.1f and %.1f %%",
		len(shares), kinds, broken, killed, failing, missed, 100*shares[len(shares)/2], 100*mean(shares), 100*times[len(times)/2], 100*mean(times))
}

func total(list iter.Seq[float64]) (sum float64) {
	for x := range list {
		sum += x
	}
	return sum
}

// failedTests reads go test -json: tests of the top level as "package test" that fail, what each has taken, and whether
// some didn't compile.
func failedTests(out []byte) (list map[string]bool, seconds map[string]float64, broken bool) {
	list, seconds = make(map[string]bool), make(map[string]float64)
	for line := range bytes.Lines(out) {
		var e struct {
			Action, Package, Test, FailedBuild string
			Elapsed                            float64 // s, in steps of 10 ms
		}
		if json.Unmarshal(line, &e) != nil || strings.Contains(e.Test, "/") {
			continue
		}
		broken = broken || e.FailedBuild != "" || e.Action == "build-fail"
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test != "" {
				seconds[e.Package+" "+e.Test] = e.Elapsed + 0.001 // so that short ones count
			}
		}
		if e.Test != "" && e.Action == "fail" {
			list[e.Package+" "+e.Test] = true
		}
	}
	return list, seconds, broken
}

// A mutation replaces a part of a file.
type mutation struct {
	kind, file string
	at, end    int
	text       string
}

func (m mutation) String() string {
	return fmt.Sprintf("%s: %s:#%d: %.60q", m.kind, m.file, m.at, m.text)
}

// plant writes the file with the mutation, and returns what undoes it.
func (m mutation) plant(t *testing.T) (undo func()) {
	t.Helper()
	old, err := os.ReadFile(m.file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(m.file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(slices.Concat(old[:m.at], []byte(m.text), old[m.end:]))
	return func() { write(old) }
}

// operators are replaced by others that compile where they do.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&", token.SUB: "*",
}

// mutations returns all that can be planted in a module, as many of each kind.
func mutations(t *testing.T, dir string) (list []mutation) {
	byKind := make(map[string][]mutation)
	add := func(kind, file string, at, end int, text string) {
		byKind[kind] = append(byKind[kind], mutation{kind, file, at, end, text})
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		if strings.Contains(path, "testdata"+string(filepath.Separator)) && d.Type().IsRegular() {
			add("testdata", path, 0, 0, "planted\n")
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return nil
		}
		offset := func(p token.Pos) int { return set.Position(p).Offset }
		for _, decl := range f.Decls {
			kind := "body"
			if g, ok := decl.(*ast.GenDecl); ok {
				kind = g.Tok.String()
				if g.Tok == token.IMPORT {
					continue
				}
				if g.Tok == token.TYPE {
					for _, s := range g.Specs {
						s := s.(*ast.TypeSpec)
						if _, isInterface := s.Type.(*ast.InterfaceType); s.TypeParams == nil && !s.Assign.IsValid() && !isInterface {
							end := offset(f.FileEnd)
							for _, method := range []string{"String() string { return \"planted\" }", "Error() string { return \"planted\" }", "MarshalText() ([]byte, error) { return []byte(\"planted\"), nil }"} {
								add("method", path, end, end, "\nfunc ("+s.Name.Name+") "+method+"\n")
							}
						}
					}
				}
			} else if fn := decl.(*ast.FuncDecl); fn.Body != nil {
				at := offset(fn.Body.Lbrace) + 1
				add("panic", path, at, at, " if true { panic(\"planted\") };")
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if text := operators[n.Op]; text != "" {
						add(kind, path, offset(n.OpPos), offset(n.OpPos)+len(n.Op.String()), text)
					}
				case *ast.BasicLit:
					switch n.Kind {
					case token.INT:
						add(kind, path, offset(n.End()), offset(n.End()), "+1")
					case token.STRING:
						if text, err := strconv.Unquote(n.Value); err == nil {
							add(kind, path, offset(n.Pos()), offset(n.End()), strconv.Quote(text+"q"))
						}
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*affectedSeed, 1))
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		all := byKind[kind]
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		list = append(list, all[:min(len(all), *affectedFlag)]...)
	}
	return list
}
