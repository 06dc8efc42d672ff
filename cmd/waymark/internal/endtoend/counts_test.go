package endtoend

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/tracefile"
)

var counts = flag.Bool("counts", false, "compare call counts with the go command's coverage counters (downloads modules, takes minutes)")

// A subject is a real program with a deterministic job.
type subject struct {
	module string // path@version
	main   string // package of the command; main.go is written there if source is set
	source string // in testdata/counts
	args   func(t *testing.T, dir string) []string
}

var subjects = []subject{
	{
		module: "mvdan.cc/gofumpt@v0.9.2", main: ".",
		args: func(t *testing.T, dir string) []string {
			return []string{"-l", filepath.Join(goroot(t), "src", "go")}
		},
	},
	{
		module: "go.etcd.io/bbolt@v1.4.3", main: "./cmd/countbench", source: "bbolt.go.txt",
		args: func(t *testing.T, dir string) []string { return []string{filepath.Join(t.TempDir(), "bolt.db")} },
	},
	{
		module: "github.com/yuin/goldmark@v1.7.13", main: "./cmd/convert", source: "goldmark.go.txt",
		args: func(t *testing.T, dir string) []string { return []string{dir, goroot(t)} },
	},
}

// eachSubject runs a test with each subject, whose source is in dir, if tests of counts are asked for by
// a flag.
func eachSubject(t *testing.T, asked bool, target string, test func(t *testing.T, waymark, dir string, s subject)) {
	t.Helper()
	if !asked {
		t.Skip("not asked for: make " + target)
	}
	waymark := tool(t)
	for _, s := range subjects {
		t.Run(strings.Split(s.module, "@")[0], func(t *testing.T) { test(t, waymark, checkout(t, s), s) })
	}
}

// TestCounts compares calls per function, function literals included, with the
// counters that the go command's own coverage puts at the start of each function.
func TestCounts(t *testing.T) {
	eachSubject(t, *counts, "test-counts", func(t *testing.T, waymark, dir string, s subject) {
		compare(t, waymark, dir, record(t, waymark, dir, s), s)
	})
}

// TestBudgetCounts is TestCounts with a budget: calls that are not recorded are counted. Those that
// took long are recorded, but for functions that are counted only.
func TestBudgetCounts(t *testing.T) {
	eachSubject(t, *budgets, "test-budget", func(t *testing.T, waymark, dir string, s subject) {
		trace := record(t, waymark, dir, s, "--budget", "3%")
		if compare(t, waymark, dir, trace, s) == 0 {
			t.Error("all calls are recorded: the budget did nothing")
		}
		compareLong(t, record(t, waymark, dir, s), trace)
	})
}

// record records the subject's job and returns the trace file.
func record(t *testing.T, waymark, dir string, s subject, flags ...string) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "counts.wmt")
	flags = append([]string{"record", "--all", "--closures", "--include", "./...", "-o", trace}, flags...)
	command(t, dir, nil, waymark, append(append(flags, s.main), s.args(t, dir)...)...)
	return trace
}

// compareLong compares how many calls took long in a recording of all calls and in one with a budget
// of the same job. Recording makes calls longer. So of the first recording only those calls are
// counted that took ten times as long. Also, the machine makes some calls long in one run only.
// Functions that were counted only at any time are left out.
func compareLong(t *testing.T, all, budgeted string) {
	t.Helper()
	count := func(trace string, least time.Duration) map[string]int {
		f, n := open(t, trace), make(map[string]int)
		defer f.Close()
		for _, c := range longCalls(t, f, least) {
			n[c.function]++
		}
		return n
	}
	f := open(t, budgeted)
	defer f.Close()
	levels := levelsOf(f)
	compared, recorded := 0, count(budgeted, leastLong)
	for function, n := range count(all, 10*leastLong) {
		if slices.ContainsFunc(levels[function], func(c levelChange) bool { return c.level == tracefile.CountedOnly }) {
			continue
		}
		if least := n*9/10 - 5; least > 0 {
			compared++
			if recorded[function] < least {
				t.Errorf("%s: %d calls took %v or more without a budget; of those that took %v or more only %d are recorded with it",
					function, n, 10*leastLong, leastLong, recorded[function])
			}
		}
	}
	if compared == 0 {
		t.Error("no function has long calls: nothing was compared")
	}
	t.Logf("%d functions with calls of %v or more were compared", compared, 10*leastLong)
}

// A countReport is what a report says about calls.
type countReport struct {
	Events    uint64
	Dropped   uint64
	Functions []struct {
		Name, File string
		Line       int
		Calls      uint64
		Recorded   *uint64 // nil: all
	}
}

// A place is the line of a func keyword, in a file relative to the module.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// compare compares the calls of a recording with coverage counters, and returns how many of them are
// counted and not recorded.
func compare(t *testing.T, waymark, dir, trace string, s subject) (counted uint64) {
	t.Helper()
	// The program itself may not repeat a count: a function that fills a sync.Pool
	// runs as often as the garbage collector wills. Several runs show which those are.
	covered := coverage(t, dir, s)
	var others []map[place]uint64
	for range 5 {
		others = append(others, coverage(t, dir, s))
	}
	steady := func(p place) bool {
		for _, o := range others {
			if o[p] != covered[p] {
				return false
			}
		}
		return true
	}

	var report countReport
	if err := json.Unmarshal(command(t, dir, nil, waymark, "report", "--format", "json", trace), &report); err != nil {
		t.Fatal(err)
	}
	reported := make(map[place]uint64)
	names := make(map[place]string)
	var calls uint64
	for _, f := range report.Functions {
		rel, err := filepath.Rel(dir, f.File)
		if err != nil {
			t.Fatal(err)
		}
		p := place{filepath.ToSlash(rel), f.Line}
		reported[p] += f.Calls
		names[p] = f.Name
		calls += f.Calls
		if f.Recorded != nil {
			counted += f.Calls - *f.Recorded
		}
	}
	leftOut := leftOut(t, dir, waymark, s)

	all := make(map[place]bool)
	for p := range covered {
		all[p] = true
	}
	for p := range reported {
		all[p] = true
	}
	places := make([]place, 0, len(all))
	for p := range all {
		places = append(places, p)
	}
	sort.Slice(places, func(i, j int) bool {
		a, b := places[i], places[j]
		return a.file < b.file || a.file == b.file && a.line < b.line
	})
	same, unsteady, out := 0, 0, 0
	for _, p := range places {
		n, ok := covered[p]
		switch {
		case !ok:
			t.Errorf("%v %s: reported with %d calls, coverage knows no function there", p, names[p], reported[p])
		case !steady(p):
			unsteady++
			t.Logf("%v: coverage counts %d, at other times something else; reported %d", p, n, reported[p])
		case leftOut[p] != "":
			out++
			if n > 0 {
				t.Logf("%v: not instrumented: %s", p, leftOut[p])
			}
		case n != reported[p]:
			t.Errorf("%v %s: coverage counts %d calls, %d are reported", p, names[p], n, reported[p])
		default:
			same++
		}
	}
	t.Logf("%s: %d functions, of these %d called; %d agree, %d differ from one coverage run to the next, %d can't be instrumented; %d calls, %d of them not recorded, %d events, %d dropped",
		s.module, len(places), len(report.Functions), same, unsteady, out, calls, counted, report.Events, report.Dropped)
	if same == 0 {
		t.Error("nothing was compared")
	}
	return counted
}

// checkout copies the module to a folder of its own and adds the subject's command.
func checkout(t *testing.T, s subject) string {
	var mod struct{ Dir string }
	if err := json.Unmarshal(command(t, t.TempDir(), nil, "go", "mod", "download", "-json", s.module), &mod); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := gocmd.CopyTree(dir, mod.Dir); err != nil {
		t.Fatal(err)
	}
	if s.source != "" {
		src, err := os.ReadFile(filepath.Join("testdata", "counts", s.source))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(s.main), "main.go")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// coverage returns the count of each function's first block.
func coverage(t *testing.T, dir string, s subject) map[place]uint64 {
	bin, data, profile := filepath.Join(t.TempDir(), "covered"), t.TempDir(), filepath.Join(t.TempDir(), "profile")
	command(t, dir, nil, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", bin, s.main)
	command(t, dir, []string{"GOCOVERDIR=" + data}, bin, s.args(t, dir)...)
	command(t, dir, nil, "go", "tool", "covdata", "textfmt", "-i", data, "-o", profile)
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	modpath := strings.TrimSpace(string(command(t, dir, nil, "go", "list", "-m")))
	blocks := make(map[string][]block)
	for _, m := range regexp.MustCompile(`(?m)^(.*):(\d+)\.(\d+),\d+\.\d+ \d+ (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		file := strings.TrimPrefix(m[1], modpath+"/")
		line, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		count, _ := strconv.ParseUint(m[4], 10, 64)
		blocks[file] = append(blocks[file], block{line, col, count})
	}
	counts := make(map[place]uint64)
	for file, list := range blocks {
		firstBlocks(t, dir, file, list, counts)
	}
	return counts
}

type block struct {
	line, col int
	count     uint64
}

// firstBlocks finds the first block in the body of each function of a file.
func firstBlocks(t *testing.T, dir, file string, blocks []block, counts map[place]uint64) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(dir, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	sort.Slice(blocks, func(i, j int) bool {
		a, b := blocks[i], blocks[j]
		return a.line < b.line || a.line == b.line && a.col < b.col
	})
	ast.Inspect(f, func(n ast.Node) bool {
		var at token.Pos
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			at, body = n.Type.Func, n.Body
		case *ast.FuncLit:
			at, body = n.Type.Func, n.Body
		}
		if body == nil {
			return true
		}
		start, end := fset.Position(body.Lbrace), fset.Position(body.Rbrace)
		i := sort.Search(len(blocks), func(i int) bool {
			b := blocks[i]
			return b.line > start.Line || b.line == start.Line && b.col >= start.Column
		})
		if i < len(blocks) && (blocks[i].line < end.Line || blocks[i].line == end.Line && blocks[i].col <= end.Column) {
			counts[place{file, fset.Position(at).Line}] += blocks[i].count
		}
		return true
	})
}

// leftOut returns the functions that waymark says it can't instrument, with the reason.
func leftOut(t *testing.T, dir, waymark string, s subject) map[place]string {
	out := make(map[place]string)
	text := command(t, dir, nil, waymark, "build", "--dry-run", "--all", "--closures", "--include", "./...", s.main)
	for _, m := range regexp.MustCompile(`(?m)^left out +\S+ +(\S+):(\d+) +(.*)$`).FindAllStringSubmatch(string(text), -1) {
		rel, err := filepath.Rel(dir, m[1])
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		line, _ := strconv.Atoi(m[2])
		out[place{filepath.ToSlash(rel), line}] = m[3]
	}
	return out
}
