package inlinecost

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax/syntaxtest"
)

// A calibration is a set of packages whose functions are estimated and compiled.
type calibration struct {
	name     string
	get      []string // what go get takes to have the packages; none for the standard library
	packages []string
	long     bool // takes most of a minute

	// The most functions of a hundred that may be wrongly tiny, and wrongly not.
	tiny, notTiny float64
}

var calibrations = []calibration{
	{
		name:     "some of the standard library",
		packages: []string{"bufio", "encoding/json", "go/types", "text/template"},
		tiny:     0.1, notTiny: 0.3,
	},
	{
		name:     "standard library",
		packages: []string{"bufio", "cmd/go/internal/load", "encoding/json", "go/types", "net/http", "strings", "text/template"},
		long:     true,
		tiny:     0.1, notTiny: 0.3,
	},
	{
		name:     "256-bit integers",
		get:      []string{"github.com/holiman/uint256@v1.3.2"},
		packages: []string{"github.com/holiman/uint256"},
	},
	{
		name:     "codec",
		get:      []string{"github.com/ugorji/go/codec@v1.2.12"},
		packages: []string{"github.com/ugorji/go/codec"},
		long:     true,
	},
	{
		name:     "compression",
		get:      []string{"github.com/klauspost/compress@v1.17.11"},
		packages: []string{"github.com/klauspost/compress/..."},
		long:     true,
		tiny:     0.1,
	},
	{
		name:     "DNS",
		get:      []string{"github.com/miekg/dns@v1.1.62"},
		packages: []string{"github.com/miekg/dns"},
		long:     true,
	},
	{
		// Much of what they call is in packages of other modules, of which nothing is known.
		name: "several modules",
		get: []string{
			"github.com/pelletier/go-toml/v2@v2.4.3", "github.com/spf13/cobra@v1.10.2",
			"golang.org/x/tools/go/packages@v0.40.0", "golang.org/x/tools/go/ssa@v0.40.0",
		},
		packages: []string{
			"github.com/pelletier/go-toml/v2", "github.com/pelletier/go-toml/v2/unstable", "github.com/spf13/cobra", "github.com/spf13/pflag",
			"golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa",
		},
		long: true,
		tiny: 0.3, notTiny: 0.8,
	},
}

// TestCalibration compares estimates with what the compiler says under
// -gcflags=-m=2. With -v it lists the functions about which they differ.
//
// Costs of single functions may be off by a few nodes. But nearly all functions
// must be on the right side of the budget. With -long it looks at more
// functions.
func TestCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	for _, c := range calibrations {
		t.Run(c.name, func(t *testing.T) {
			if c.long && !*long {
				t.Skip("takes most of a minute: make test-long")
			}
			dir := t.TempDir()
			if c.get != nil {
				getPackages(t, dir, c.get)
			}
			remarks := parseRemarks(dir, syntaxtest.Go(t, dir, append([]string{"build", "-gcflags=-m=2"}, c.packages...)...))
			var total tally
			for _, p := range syntaxtest.List(t, dir, c.packages...) {
				n := calibrate(t, p, remarks)
				t.Logf("%s: %v", p.ImportPath, n)
				total.add(n)
			}
			t.Logf("all: %v", total)
			if got := total.percent(total.tiny); got > c.tiny {
				t.Errorf("%.2f %% of the functions are left out though the compiler doesn't inline them, want at most %.2f %%", got, c.tiny)
			}
			if got := total.percent(total.notTiny); got > c.notTiny {
				t.Errorf("%.2f %% of the functions are instrumented though the compiler inlines them, want at most %.2f %%", got, c.notTiny)
			}
		})
	}
}

// getPackages makes dir a module that can build packages of others.
func getPackages(t *testing.T, dir string, list []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/calibration\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	syntaxtest.Go(t, dir, append([]string{"get"}, list...)...)
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

// parseRemarks collects the compiler's remarks by file and line.
func parseRemarks(dir string, out []byte) map[string]remark {
	remarks := make(map[string]remark)
	for line := range strings.Lines(string(out)) {
		m := inlineRemark.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		// What is called of a generic function has shapes for type arguments.
		name, _, _ := strings.Cut(strings.TrimSpace(m[3]), " with cost ")
		if strings.Contains(name, "[") && !strings.Contains(name, "[go.shape.") || strings.Contains(m[3], ".func") {
			continue
		}
		r := remark{inlines: m[2] == "can", text: m[3]}
		if c := inlineCost.FindStringSubmatch(m[3]); c != nil {
			r.cost, _ = strconv.Atoi(c[1])
		}
		if !filepath.IsAbs(m[1]) {
			m[1] = filepath.Join(dir, m[1])
		}
		remarks[m[1]] = r
	}
	return remarks
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

func (t tally) percent(n int) float64 {
	return 100 * float64(n) / float64(max(1, t.funcs))
}

func (t tally) String() string {
	percent := func(n, of int) string {
		return strconv.FormatFloat(100*float64(n)/float64(max(1, of)), 'f', 1, 64) + " %"
	}
	return strconv.Itoa(t.funcs) + " functions, " + percent(t.agree, t.funcs) + " agree (" +
		strconv.Itoa(t.tiny) + " wrongly tiny, " + strconv.Itoa(t.notTiny) + " wrongly not), " +
		percent(t.exact, t.costs) + " exact"
}

func calibrate(t *testing.T, p *syntaxtest.Package, remarks map[string]remark) tally {
	t.Helper()
	tree := syntax.Parse(p.Unit(t), &syntax.Config{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Toolchain: syntaxtest.Toolchain()})
	fl := flow.Of(tree)
	e := New(tree, fl)
	funcs, _ := candidate.List(tree, fl)
	var n tally
	for _, f := range funcs {
		r, ok := remarks[f.File+":"+strconv.Itoa(f.Line)]
		if !ok || f.Decl == nil {
			continue
		}
		var est Estimate
		if f.Body != nil {
			est = e.Func(f.Decl)
		}
		n.funcs++
		switch {
		case est.Inlines() == r.inlines:
			n.agree++
		case est.Inlines():
			n.tiny++
		default:
			n.notTiny++
		}
		if r.cost != 0 {
			n.costs++
			if est.Cost == r.cost {
				n.exact++
			}
		}
		if est.Inlines() != r.inlines && testing.Verbose() {
			t.Logf("%s:%d: estimate %d, compiler: %.100s", f.File, f.Line, est.Cost, r.text)
		}
	}
	return n
}

var long = flag.Bool("long", false, "calibrate with all packages, which takes minutes")
