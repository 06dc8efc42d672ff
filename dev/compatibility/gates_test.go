package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var gatesFlag = flag.Int("gates", 0, "compare the counts of seven modules' suites with those of `N` reruns of each (hours for 200, downloads)")

// A gated suite is one whose counts are compared, and a change of one function.
type gated struct {
	module string // at a version
	file   string // of the change
	old    string
	new    string // makes one call more
	named  string // a line with this must say so
}

// Suites that run in some seconds: with random numbers, goroutines, pools, time and large inputs.
var gatedSuites = []gated{
	{
		module: "github.com/google/uuid@v1.6.0", file: "version7.go",
		old:   "\tmakeV7(uuid[:])\n\treturn uuid, nil\n}\n\n// NewV7FromReader",
		new:   "\tmakeV7(uuid[:])\n\tmakeV7(uuid[:])\n\treturn uuid, nil\n}\n\n// NewV7FromReader",
		named: "uuid.makeV7: ",
	},
	{
		module: "github.com/deckarep/golang-set/v2@v2.9.0", file: "threadunsafe.go",
		old:   "func (s *threadUnsafeSet[T]) IsProperSubset(other Set[T]) bool {\n",
		new:   "func (s *threadUnsafeSet[T]) IsProperSubset(other Set[T]) bool {\n\ts.IsSubset(other)\n",
		named: "golang-set/v2.(*threadUnsafeSet[...]).IsSubset: ",
	},
	{
		module: "github.com/BurntSushi/toml@v1.6.0", file: "parse.go",
		old:   "func (p *parser) addContext(key Key, array bool) {\n",
		new:   "func (p *parser) addContext(key Key, array bool) {\n\t_ = key.String()\n",
		named: "toml.Key.String: ",
	},
	{
		module: "github.com/spf13/pflag@v1.0.9", file: "string_slice.go",
		old:   "func (s *stringSliceValue) String() string {\n",
		new:   "func (s *stringSliceValue) String() string {\n\twriteAsCSV(*s.value)\n",
		named: "pflag.writeAsCSV: ",
	},
	{
		module: "github.com/dustin/go-humanize@v1.1.0", file: "si.go",
		old:   "func SI(input float64, unit string) string {\n",
		new:   "func SI(input float64, unit string) string {\n\tComputeSI(input)\n",
		named: "go-humanize.ComputeSI: ",
	},
	{
		module: "github.com/sirupsen/logrus@v1.10.2", file: "entry.go",
		old:   "func (entry *Entry) Dup() *Entry {\n",
		new:   "func (entry *Entry) Dup() *Entry {\n\tgetPackageName(\"a.b\")\n",
		named: "logrus.getPackageName: ",
	},
	{
		module: "github.com/sourcegraph/conc@v0.3.0", file: "stream/stream.go",
		old:   "func (s *Stream) Go(f Task) {\n\ts.init()\n",
		new:   "func (s *Stream) Go(f Task) {\n\ts.init()\n\ts.init()\n",
		named: "stream.(*Stream).init: ",
	},
}

// TestGates writes the counts of suites. One function calls another once more, which must be found and
// named. Then so many reruns of each unchanged suite are compared: none may differ. It measures no times,
// so a busy machine is a harder test.
func TestGates(t *testing.T) {
	if *gatesFlag == 0 {
		t.Skip("not asked for: make test-gates")
	}
	waymark := buildWaymark(t)
	for _, g := range gatedSuites {
		t.Run(Suite{Module: g.module}.Path(), func(t *testing.T) {
			t.Parallel()
			g.run(t, waymark, *gatesFlag)
		})
	}
}

func (g *gated) run(t *testing.T, waymark string, reruns int) {
	dir := filepath.Join(t.TempDir(), "module")
	if err := (Suite{Module: g.module, Packages: []string{"./..."}}).checkout(dir); err != nil {
		t.Fatal(err)
	}
	test := func(flag string) (stderr string, err error) {
		cmd := exec.CommandContext(t.Context(), waymark, "test", flag, "counts.txt", "./...")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		var out bytes.Buffer
		cmd.Stderr = &out
		err = cmd.Run()
		return out.String(), err
	}
	said, err := test("--counts")
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, said)
	}
	t.Log(strings.TrimSpace(said))
	name := filepath.Join(dir, g.file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(g.old)); n != 1 {
		t.Fatalf("%s: what is to be replaced is there %d times", g.file, n)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(g.old), []byte(g.new), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	said, err = test("--check")
	if err == nil || !strings.Contains(said, "  "+g.named) {
		t.Errorf("one call more: %v; want a line with %q:\n%.3000s", err, g.named, said)
	}
	t.Logf("one call more:\n%s", strings.TrimSpace(said))
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}

	// A rerun whose first look finds a difference looks again, and then leaves counts out.
	again, alarms, failed := 0, 0, 0
	for i := range reruns {
		said, err := test("--check")
		switch {
		case err == nil:
		case strings.Contains(said, "counts differ from counts.txt"):
			alarms++
			t.Errorf("rerun %d, of the same source: %v\n%.3000s", i+1, err, said)
		case errors.As(err, new(*exec.ExitError)):
			failed++
			t.Logf("rerun %d: the suite failed: %.3000s", i+1, said)
		default:
			t.Fatal(err)
		}
		if strings.Contains(said, " left out, different from run to run") {
			again++
		}
		if (i+1)%20 == 0 {
			t.Logf("%d reruns: %d false alarms, %d looked again, the suite failed in %d", i+1, alarms, again, failed)
		}
	}
	if failed > reruns/10 {
		t.Errorf("the suite failed in %d of %d reruns", failed, reruns)
	}
}
