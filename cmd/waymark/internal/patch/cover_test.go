//go:build linux && amd64

package patch

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/capture"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
)

// libraries are the packages whose lines TestCovered counts.
var libraries = []string{"go/ast", "go/format", "go/parser", "go/printer", "go/scanner", "go/token", "go/doc/comment", "text/tabwriter", "strings", "bytes"}

// A block is statements that are run one after the other.
type block struct {
	from, to [2]int // line and column
	runs     int64
}

// The lines of a program that formats sources are reached as often as the same program, built with
// -cover, says.
func TestCovered(t *testing.T) {
	if !*long {
		t.Skip("compiles packages with -cover: make test-attach")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src")
	var sources []string
	for _, name := range []string{"printer/nodes.go", "printer/comment.go", "ast/ast.go", "scanner/scanner_test.go"} {
		sources = append(sources, filepath.Join(library, "go", name))
	}
	before, after := coverage(t, 1, sources), coverage(t, 2, sources)
	w := startWith(t, builtOf(t, "formats", nil), sources)
	w.work(1) // what is done once
	var list []covered
	for file, blocks := range after {
		for _, pos := range simple(t, filepath.Join(library, file)) {
			for i, b := range blocks {
				if runs := b.runs - before[file][i].runs; runs > 0 && !less(pos, b.from) && less(pos, b.to) {
					list = append(list, covered{file, pos[0], runs})
				}
			}
		}
	}
	sum := counted{refused: make(map[string]int)}
	all := len(list)
	for round := 0; len(list) > 0; round++ { // lines whose places are others' too come later
		if round > 9 {
			t.Fatalf("%d lines can't be patched, as others are: %v", len(list), list[0])
		}
		list = w.reaches(list, &sum)
	}
	t.Logf("%d lines: %+v", all, sum)
	// Of inlined calls nothing may be left, and the compiler makes straight code of short branches.
	if sum.exact*100 < all*78 || sum.fewer*100 > sum.exact || sum.more*300 > sum.exact {
		t.Error("want 78 % exact; 1 % of these may be seen too seldom, and 0.3 % too often")
	}
	w.end()
}

// counted is how many lines are seen as often as they are reached, and otherwise.
type counted struct {
	exact, fewer, more, partly int
	refused                    map[string]int // by why
}

// A covered line is one that is reached so often.
type covered struct {
	file string
	line int
	runs int64
}

// reaches counts lines, and returns those that can't be patched together with others.
func (w *worker) reaches(list []covered, sum *counted) (again []covered) {
	t := w.t
	target := w.attach()
	defer w.undone(target)
	v, err := target.Values(nil, capture.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var wanted []Wanted
	of := make(map[*Line]covered)
	places := make(map[covered]string)
	partly := make(map[covered]bool)
	for _, c := range list {
		lines, left, err := v.Lines(c.file, c.line)
		if err != nil {
			_, why, _ := strings.Cut(err.Error(), "patched: ")
			sum.refused[why]++
			continue
		}
		partly[c] = len(left) > 0
		for _, l := range lines {
			of[l] = c
			places[c] += fmt.Sprintf(" %#x for %#x in %s", l.plan.Entry.At(), l.Parts, l.Func.Name)
			wanted = append(wanted, Wanted{Func: l.Func, Line: l, Record: trampoline.Record{Line: true}})
		}
	}
	report, err := target.Want(wanted)
	if err != nil {
		t.Fatal(err)
	}
	overlaps := make(map[covered]bool)
	for _, l := range report.Overlaps {
		if c := of[l]; !overlaps[c] {
			overlaps[c] = true
			again = append(again, c)
		}
	}
	hits := make(map[covered]int64)
	follow := target.Follow()
	follow.Hit = func(c *Call) { hits[of[c.Site.Line]]++ }
	w.followed(target, follow, 1)
	for s, n := range target.LineDrops() {
		hits[of[s.Line]] += int64(n)
	}
	for c := range places {
		n := hits[c]
		switch {
		case overlaps[c]:
			continue
		case n == c.runs:
			sum.exact++
			continue
		case n > c.runs:
			sum.more++
		case partly[c]:
			sum.partly++
			continue
		default:
			sum.fewer++
		}
		t.Logf("%s:%d was reached %d times: seen %d times, at%s", c.file, c.line, c.runs, n, places[c])
	}
	return again
}

func less(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// coverage returns how often blocks of the covered packages' files are run, in so many rounds.
func coverage(t *testing.T, rounds int, sources []string) map[string][]block {
	t.Helper()
	program := builtOf(t, "formats", nil, "-cover", "-covermode=atomic", "-coverpkg=command-line-arguments,"+strings.Join(libraries, ","))
	dir := t.TempDir()
	w := startWith(t, program, sources, "GOCOVERDIR="+dir)
	w.work(rounds)
	w.end()
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	blocks := make(map[string][]block)
	for in := bufio.NewScanner(f); in.Scan(); {
		file, rest, _ := strings.Cut(in.Text(), ":")
		var b block
		var n int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.from[0], &b.from[1], &b.to[0], &b.to[1], &n, &b.runs); err == nil && !filepath.IsAbs(file) { // not the program's own
			blocks[file] = append(blocks[file], b)
		}
	}
	return blocks
}

// simple returns where a source's statements stand that are alone on a line: assignments, calls and
// returns.
func simple(t *testing.T, file string) (list [][2]int) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	starts := make(map[int]int) // statements that have a part on a line
	var all []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt:
		case *ast.FuncLit: // its line is reached where it is made, and again where it is called
			starts[files.Position(n.Pos()).Line]++
		case ast.Stmt:
			first, last := files.Position(n.Pos()).Line, files.Position(n.End()).Line
			starts[first]++
			if first == last {
				switch n.(type) {
				case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.IncDecStmt:
					all = append(all, n)
				}
			} else {
				starts[last]++
			}
		}
		return true
	})
	for _, n := range all {
		p := files.Position(n.Pos())
		if starts[p.Line] == 1 {
			list = append(list, [2]int{p.Line, p.Column})
		}
	}
	return list
}
