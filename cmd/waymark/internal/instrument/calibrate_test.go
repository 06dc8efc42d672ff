package instrument

import (
	"go/importer"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCalibration compares estimates with what the compiler says under
// -gcflags=-m=2. With -v it lists the functions about which they differ.
//
// Costs of single functions may be off by a few nodes where imported types
// aren't known; what must hold is that nearly all functions are on the right
// side of the budget.
func TestCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	packages := []string{
		"bufio", "cmd/go/internal/load", "encoding/json", "go/types", "net/http", "strings", "text/template",
	}
	dir := t.TempDir()
	remarks := parseRemarks(goCommand(t, dir, append([]string{"build", "-gcflags=-m=2"}, packages...)...))
	tests := []struct {
		name     string
		importer types.Importer
		want     float64 // part of the functions that are on the right side
	}{
		{"without imported types", nil, 0.975},
		{"with imported types", importer.ForCompiler(token.NewFileSet(), "source", nil), 0.99},
	}
	for _, tt := range tests {
		if tt.importer != nil && !*long {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			var total tally
			for _, p := range listPackages(t, dir, packages...) {
				n := calibrate(t, p, tt.importer, remarks)
				t.Logf("%s: %v", p.ImportPath, n)
				total.add(n)
			}
			t.Logf("all: %v", total)
			if got := float64(total.agree) / float64(total.funcs); got < tt.want {
				t.Errorf("%.3f of the functions are on the compiler's side, want %.3f", got, tt.want)
			}
		})
	}
}

// A remark is what the compiler says about one function.
type remark struct {
	inlines bool
	cost    int // 0 if it doesn't say
	text    string
}

var (
	inlineRemark = regexp.MustCompile(`^(.+\.go:\d+):\d+: (can|cannot) inline (.*)$`)
	inlineCost   = regexp.MustCompile(`(?:with cost|: cost) (\d+)`)
)

// parseRemarks collects the compiler's remarks by folder, file and line.
func parseRemarks(out []byte) map[string]remark {
	remarks := make(map[string]remark)
	for line := range strings.Lines(string(out)) {
		m := inlineRemark.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.Contains(m[3], ".func") {
			continue
		}
		r := remark{inlines: m[2] == "can", text: m[3]}
		if c := inlineCost.FindStringSubmatch(m[3]); c != nil {
			r.cost, _ = strconv.Atoi(c[1])
		}
		remarks[shortPath(m[1])] = r
	}
	return remarks
}

func shortPath(path string) string {
	dir, file := filepath.Split(path)
	return filepath.Join(filepath.Base(dir), file)
}

// A tally counts functions by how good their estimates are.
type tally struct {
	funcs, agree  int
	tiny, notTiny int // wrongly so
	costs, exact  int // costs that the compiler says, and those estimated right
}

func (t *tally) add(u tally) {
	t.funcs += u.funcs
	t.agree += u.agree
	t.tiny += u.tiny
	t.notTiny += u.notTiny
	t.costs += u.costs
	t.exact += u.exact
}

func (t tally) String() string {
	percent := func(n, of int) string {
		return strconv.FormatFloat(100*float64(n)/float64(max(1, of)), 'f', 1, 64) + " %"
	}
	return strconv.Itoa(t.funcs) + " functions, " + percent(t.agree, t.funcs) + " agree (" +
		strconv.Itoa(t.tiny) + " wrongly tiny, " + strconv.Itoa(t.notTiny) + " wrongly not), " +
		percent(t.exact, t.costs) + " exact"
}

func calibrate(t *testing.T, p *listed, importer types.Importer, remarks map[string]remark) tally {
	t.Helper()
	res, err := Rewrite(p.group(t), &Options{Importer: importer})
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	for _, f := range res.Funcs {
		r, ok := remarks[shortPath(f.File)+":"+strconv.Itoa(f.Line)]
		// What nothing calls is never tiny to us, whatever the compiler says.
		if !ok || f.Closure || f.Base == "init" && f.Recv == "" {
			continue
		}
		n.funcs++
		switch {
		case f.Tiny == r.inlines:
			n.agree++
		case f.Tiny:
			n.tiny++
		default:
			n.notTiny++
		}
		if r.cost != 0 {
			n.costs++
			if f.Cost == r.cost {
				n.exact++
			}
		}
		if f.Tiny != r.inlines && testing.Verbose() {
			t.Logf("%s:%d: estimate %d, compiler: %.100s", f.File, f.Line, f.Cost, r.text)
		}
	}
	return n
}
