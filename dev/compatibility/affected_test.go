package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	affectedFlag = flag.Int("affected", 0, "plant `N` mutations in each module, and compare the tests that fail with those that waymark test --affected chooses (an hour for 200, downloads)")
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
	{Module: "github.com/samber/mo@v1.16.0"},
	{Module: "github.com/yuin/goldmark@v1.8.7", Flags: []string{"-skip=Performance"}},
}

// TestAffected plants mutations one by one. Every test that fails by one must be among those that
// waymark test --affected chooses. It ends with a table of what was missed, how much is chosen, and
// what it costs to keep the map.
func TestAffected(t *testing.T) {
	if *affectedFlag == 0 {
		t.Skip("not asked for: make test-affected")
	}
	waymark := buildWaymark(t)
	caches := t.TempDir()
	all := tally{module: "all"}
	table := tableHead
	for _, s := range mutated {
		if !strings.Contains(s.Module, *affectedOnly) {
			continue
		}
		t.Run(s.Path(), func(t *testing.T) {
			m := &mutant{Suite: s, T: t, waymark: waymark, caches: caches, dir: filepath.Join(t.TempDir(), "module"), kept: filepath.Join(t.TempDir(), "tests.map")}
			one := m.measure()
			table += one.row()
			all.add(one)
		})
	}
	t.Logf("each of the kinds of mutations: %v\n%s%s", all.kinds, table, all.row())
}

// A tally is what came of the mutations of a module.
type tally struct {
	module                            string
	tests, mutations, failing, missed int
	mapBytes                          int64
	kinds                             map[string]int
	share, time                       []float64 // chosen of the tests, and of the time that they take, by mutation
	plain, seen                       float64   // seconds of go test, and of waymark test --seen --map
	plainTests, seenTests             float64   // of their tests alone
}

const tableHead = "| module | tests | mutations | failures | missed | of the tests, median (mean) | of their time, median (mean) | plain, s | with the map, s | their tests alone | map, bytes |\n|---|---|---|---|---|---|---|---|---|---|---|\n"

func (s *tally) row() string {
	percent := func(list []float64) string {
		if len(list) == 0 {
			return "none"
		}
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		return fmt.Sprintf("%.0f %% (%.0f %%)", 100*median(list), 100*sum/float64(len(list)))
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %s | %s | %.2f | %.2f | × %.2f | %d |\n", s.module, s.tests, s.mutations, s.failing, s.missed,
		percent(s.share), percent(s.time), s.plain, s.seen, s.seenTests/s.plainTests, s.mapBytes)
}

func (s *tally) add(one *tally) {
	s.tests, s.mutations, s.failing, s.missed = s.tests+one.tests, s.mutations+one.mutations, s.failing+one.failing, s.missed+one.missed
	s.share, s.time = append(s.share, one.share...), append(s.time, one.time...)
	s.plain, s.seen, s.mapBytes = s.plain+one.plain, s.seen+one.seen, s.mapBytes+one.mapBytes
	s.plainTests, s.seenTests = s.plainTests+one.plainTests, s.seenTests+one.seenTests
	if s.kinds == nil {
		s.kinds = make(map[string]int)
	}
	for kind, n := range one.kinds {
		s.kinds[kind] += n
	}
}

// A mutant is a copy of a module in which mutations are planted.
type mutant struct {
	Suite
	*testing.T
	waymark, caches, dir, kept string
	timeout                    time.Duration
	tested                     []string // packages that have tests: the others need not be built
}

// run runs a command in the module. Mutations may make tests take all memory.
func (m *mutant) run(name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(m.Context(), "sh", append([]string{"-c", `ulimit -v 8000000; exec "$@"`, "sh", name}, args...)...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOCACHE="+filepath.Join(m.caches, "go"), "WAYMARKCACHE="+filepath.Join(m.caches, "waymark"))
	return cmd.Output()
}

func (m *mutant) must(name string, args ...string) []byte {
	m.Helper()
	out, err := m.run(name, args...)
	if err != nil {
		m.Fatalf("%s %q: %v\n%.3000s", name, args, err, out)
	}
	return out
}

// test runs waymark test.
func (m *mutant) test(args ...string) ([]byte, error) {
	return m.run(m.waymark, slices.Concat([]string{"test", "-vet=off"}, args, m.Flags, m.tested)...)
}

// plain runs go test. Without -count=1 packages that a mutation does not change don't run again: the
// go command knows the files that their tests have read.
func (m *mutant) plain(args ...string) *plainRun {
	m.Helper()
	out, _ := m.run("go", slices.Concat([]string{"test", "-json", "-vet=off", "-timeout", m.timeout.String()}, args, m.Flags, m.tested)...)
	r := readPlain(out)
	if !r.broken && len(r.took) == 0 && len(r.failed) == 0 {
		m.Fatalf("go test has run nothing:\n%.3000s", out)
	}
	return r
}

// rounds is how often runs are timed.
const rounds = 3

func (m *mutant) measure() *tally {
	s := &tally{module: m.Path(), kinds: make(map[string]int)}
	m.Packages, m.timeout = []string{"./..."}, time.Minute
	if err := m.checkout(m.dir); err != nil {
		m.Fatal(err)
	}
	m.must("git", "init", "-q")
	m.must("git", "add", "-A", "-f")
	m.must("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "as it is")
	m.tested = m.list("{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}")
	m.test("--affected", "HEAD", "--map", m.kept) // tests may fail in the module cache's copy
	took, flaky := m.overhead(s)
	m.timeout = time.Duration(10+5*s.plain) * time.Second
	var all time.Duration
	known := make(map[string]bool)
	for test, d := range took {
		all += d
		known[test] = true
	}
	s.tests = len(took)

	began, broken, killed := time.Now(), 0, 0
	rng := rand.New(rand.NewPCG(*affectedSeed, 0))
	sites := mutations(m.T, m.dir, m.list(`{{$d := .Dir}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`), *affectedFlag)
	rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	for _, site := range sites {
		if s.mutations == *affectedFlag {
			break
		}
		undo := site.plant(m.T)
		r := m.plain()
		if r.broken { // it doesn't compile
			broken++
			undo()
			continue
		}
		chosen := m.chosen()
		var chosenTime time.Duration
		n := 0
		for test, d := range took {
			if chosen[test] {
				n++
				chosenTime += d
			}
		}
		s.mutations++
		s.kinds[site.kind]++
		s.share = append(s.share, float64(n)/float64(s.tests))
		s.time = append(s.time, chosenTime.Seconds()/all.Seconds())
		if len(r.failed) > 0 {
			killed++
		}
		for _, f := range r.failed {
			if f.of(flaky) {
				continue
			}
			if !f.of(known) { // its test files have none, and its initialisation or TestMain fails
				m.Logf("%s fails, which has no tests, by %s", f.pkg, site)
				continue
			}
			s.failing++
			if f.of(chosen) {
				continue
			}
			if again := m.plain("-count=1"); slices.ContainsFunc(again.failed, f.same) {
				s.missed++
				m.Errorf("missed: %v fails by %s", f, site)
			} else {
				m.Logf("%v failed once of two times with %s, and is not chosen", f, site)
			}
		}
		undo()
	}
	if s.mutations == 0 {
		m.Fatal("no mutation compiles")
	}
	m.trim(began)
	m.Logf("%d mutations %v in %v (%d more don't compile), %d make tests fail\n%s%s", s.mutations, s.kinds, time.Since(began).Round(time.Second), broken, killed, tableHead, s.row())
	return s
}

// overhead times go test and waymark test --seen --map, with all built before. It returns how long each
// test takes, and the tests that fail.
func (m *mutant) overhead(s *tally) (took map[string]time.Duration, flaky map[string]bool) {
	took, flaky = make(map[string]time.Duration), make(map[string]bool)
	var plain, seen []float64
	for i := range 1 + rounds {
		dir := m.TempDir()
		began := time.Now()
		out, _ := m.test("--seen", dir, "--map", filepath.Join(dir, "tests.map"), "-json", "-count=1")
		between := time.Now()
		r := m.plain("-count=1")
		ended := time.Now()
		for _, f := range r.failed {
			for _, test := range f.tests {
				flaky[test] = true
			}
		}
		if i == 0 { // builds
			continue
		}
		seen, plain = append(seen, between.Sub(began).Seconds()), append(plain, ended.Sub(between).Seconds())
		for test, d := range r.took {
			took[test] += d
			s.plainTests += d.Seconds()
		}
		for _, d := range readPlain(out).took {
			s.seenTests += d.Seconds()
		}
	}
	s.seen, s.plain = median(seen), median(plain)
	info, err := os.Stat(m.kept)
	if err != nil {
		m.Fatal(err)
	}
	s.mapBytes = info.Size()
	began := time.Now()
	if out, err := m.test("--affected", "HEAD", "--map", m.kept, "--list"); err != nil {
		m.Fatalf("waymark test --list: %v\n%.3000s", err, out)
	}
	m.Logf("%d tests, %d of them fail or are flaky; choosing takes %.2f s", len(took), len(flaky), time.Since(began).Seconds())
	return took, flaky
}

// chosen returns the tests that waymark test chooses with the mutation.
func (m *mutant) chosen() map[string]bool {
	out, err := m.test("--affected", m.kept, "--list")
	if err != nil {
		m.Fatalf("waymark test --list: %v\n%.3000s", err, out)
	}
	chosen := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		chosen[strings.TrimSpace(line)] = true
	}
	return chosen
}

// list returns what go list says of the packages, as words.
func (m *mutant) list(format string) []string {
	m.Helper()
	return strings.Fields(string(m.must("go", "list", "-e", "-f", format, "./...")))
}

// trim removes what was built since from the caches: of each mutation some megabytes.
func (m *mutant) trim(since time.Time) {
	filepath.WalkDir(m.caches, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil && info.ModTime().After(since) {
				os.Remove(path)
			}
		}
		return nil
	})
}

// A plainRun is what go test -json says. Tests are those of the top level, as "package test".
type plainRun struct {
	took   map[string]time.Duration
	failed []failure
	broken bool // some package doesn't compile
}

// A failure is a test that failed, or a package whose end no test explains: then one of those that
// ran has failed, or, without any, what runs before the first.
type failure struct {
	pkg   string
	tests []string
}

// of reports whether one of the tests may be what failed.
func (f failure) of(tests map[string]bool) bool {
	for test := range tests {
		if slices.Contains(f.tests, test) || len(f.tests) == 0 && strings.HasPrefix(test, f.pkg+" ") {
			return true
		}
	}
	return false
}

// same reports whether another failure is the same.
func (f failure) same(other failure) bool { return reflect.DeepEqual(f, other) }

func readPlain(out []byte) *plainRun {
	r := &plainRun{took: make(map[string]time.Duration)}
	since := make(map[string]time.Time) // tests that run now
	explained := make(map[string]bool)  // packages
	for line := range bytes.Lines(out) {
		var e struct {
			Time                               time.Time
			Action, Package, Test, FailedBuild string
		}
		if json.Unmarshal(line, &e) != nil || strings.Contains(e.Test, "/") {
			continue
		}
		r.broken = r.broken || e.FailedBuild != "" || e.Action == "build-fail"
		name := e.Package + " " + e.Test
		switch {
		case e.Test == "" && e.Action == "fail" && !explained[e.Package]:
			f := failure{pkg: e.Package}
			for test := range since {
				if strings.HasPrefix(test, e.Package+" ") {
					f.tests = append(f.tests, test)
				}
			}
			slices.Sort(f.tests)
			r.failed = append(r.failed, f)
		case e.Test == "":
		case e.Action == "run" || e.Action == "cont":
			since[name] = e.Time
		case e.Action == "pause" || e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
			r.took[name] += e.Time.Sub(since[name])
			delete(since, name)
			if e.Action == "fail" {
				explained[e.Package] = true
				r.failed = append(r.failed, failure{e.Package, []string{name}})
			}
		}
	}
	return r
}

// What go test says of tests that fail, wait for others, or end their process.
func TestReadPlain(t *testing.T) {
	event := func(second int, action, pkg, test string) string {
		return fmt.Sprintf("{\"Time\":\"2026-01-01T00:00:%02dZ\",\"Action\":%q,\"Package\":%q,\"Test\":%q}\n", second, action, pkg, test)
	}
	r := readPlain([]byte("no JSON\n" + event(1, "run", "p", "TestA") + event(1, "run", "p", "TestA/sub") + event(2, "pause", "p", "TestA") +
		event(3, "run", "p", "TestB") + event(5, "fail", "p", "TestB") + event(6, "cont", "p", "TestA") + event(9, "pass", "p", "TestA") + event(9, "fail", "p", "") +
		event(10, "run", "q", "TestC") + event(10, "run", "q", "TestD") + event(10, "pause", "q", "TestD") + event(11, "fail", "q", "") + event(12, "fail", "r", "")))
	if want := map[string]time.Duration{"p TestA": 4 * time.Second, "p TestB": 2 * time.Second, "q TestD": 0}; !reflect.DeepEqual(r.took, want) {
		t.Errorf("tests took %v, want %v", r.took, want)
	}
	if want := []failure{{"p", []string{"p TestB"}}, {"q", []string{"q TestC"}}, {pkg: "r"}}; !reflect.DeepEqual(r.failed, want) || r.broken {
		t.Errorf("failures %v, want %v; broken: %v", r.failed, want, r.broken)
	}
	for tests, want := range map[string][]bool{"p TestB": {true, false, false}, "q TestD": {false, false, false}, "r TestX": {false, false, true}} {
		for i, f := range r.failed {
			if got := f.of(map[string]bool{tests: true}); got != want[i] {
				t.Errorf("%v is of %s: %v, want %v", f, tests, got, want[i])
			}
		}
	}
	if r := readPlain([]byte(`{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`)); !r.broken {
		t.Error("a package that doesn't compile is not seen")
	}
}
