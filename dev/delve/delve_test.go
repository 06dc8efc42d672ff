package delve

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	command = flag.String("waymark", "../../bin/waymark", "the command")
	delve   = flag.String("dlv", "../../bin/dlv", "the debugger")
	only    = flag.String("only", ".", "compare programs whose names match this pattern")
)

// depth is how deep values are opened.
const depth = 10

// programs are those of Delve's programs whose variables are the same in each run: goroutines don't
// compete in them, and they show no times, addresses or entries of maps in the order of an iteration.
const programs = `testvariables testvariables2 testvariables_generic testvariables_pointers_not_loaded
	backwardsiter break callme closurecontents condframe consts coreemptystring databpstack decllinetest
	defercall deferstack dotpackagesiface doubleinline ebpf_trace ebpf_trace2 ebpf_trace3 ebpf_trace_types
	escapestrings examinememory fncall genericbp genericintoiface ifaceembcall issue1264 issue1374
	issue1432 issue1469 issue1531 issue1598 issue1601 issue1615 issue1795 issue1817 issue2078 issue332
	issue3310 issue3548 issue3591 issue384 issue4051 issue4116 issue561 issue573 issue594 issue683
	issue871 issue877 issue951 leaf4 leafrec locationsprog locationsprog2 locationsprog3
	locationsprog_generic longstrings math morestringarg multinamedreturns nestedbp pr1055 rangeoverfunc
	reflecttypefncall retstack scopeescapevareval scopetest stackwatchbug stepintobug stepoutret
	testfnpos1 testfnpos2 testinline testnextdefer testnextprog testshadow teststep teststepprog
	testtracefns testunsafepointers traceprog traceret traceverb watchpointInterface
	watchpointInterfaceNil`

// known says why variables differ, by program, and by line and name.
var known = map[string]map[string]string{
	"issue3548":                       {"26 cases": unset},
	"issue4116":                       {"203 c": unset},
	"traceverb":                       {"48 addr": unset, "49 addr": unset},
	"testvariables_generic optimized": {"15 m": early, "16 m": early, "17 m": early},
	"genericintoiface optimized":      {"19 b": early},
	"issue1817 optimized":             {"12 bs": elsewhere},
	"issue4116 optimized":             {"174 x2": early},
	"longstrings optimized":           {"9 s": elsewhere},
	"rangeoverfunc optimized":         {"57 result": elsewhere, "135 result": elsewhere, "159 result": elsewhere, "301 i": "both read RDX as the compiler says, which a call has changed"},
	"testvariables2 optimized":        {"340 benchparr": elsewhere, "455 benchparr": early},
}

const (
	unset     = "the variable is being set: its memory is what it was"
	early     = "Delve stops at an instruction of the line that comes before the end of the lines above"
	elsewhere = "Delve stops later in the line, or in its loop"
)

// TestVariables compares the variables at all lines of the programs.
func TestVariables(t *testing.T) {
	fixtures := fixturesOf(t)
	total := make(map[string]int)
	for _, name := range strings.Fields(programs) {
		if ok, err := regexp.MatchString(*only, name); err != nil {
			t.Fatal(err)
		} else if !ok {
			continue
		}
		for _, flags := range []string{"-N -l", ""} {
			title := name
			if flags == "" {
				title += " optimized"
			}
			t.Run(title, func(t *testing.T) {
				c := &comparison{T: t, optimized: flags == "", known: known[title], counts: make(map[string]int)}
				c.run(fixtures, name+".go", flags)
				t.Log(c.counts)
				for what, n := range c.counts {
					total[what] += n
				}
			})
		}
	}
	t.Log(total)
	if shown := total["alike"]; shown == 0 || *only == "." && shown < total["said"]+total["said that it isn't there"] {
		t.Error("more is said than shown")
	}
}

// fixturesOf returns the folder of Delve's programs, of the version that dev/tools names.
func fixturesOf(t *testing.T) string {
	cmd := exec.Command("go", "mod", "download", "-json", "github.com/go-delve/delve")
	cmd.Dir = "../tools"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return filepath.Join(module.Dir, "_fixtures")
}

// A comparison compares the variables of a program.
type comparison struct {
	*testing.T
	optimized bool
	known     map[string]string // why variables differ
	counts    map[string]int    // variables of hits by what comes of them, and lines
}

func (c *comparison) run(fixtures, name, flags string) {
	ctx, cancel := context.WithTimeout(c.Context(), 2*time.Minute)
	defer cancel()
	t, dir := c.T, c.TempDir()
	source, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	// Without a debugger a breakpoint kills the program.
	source = []byte(strings.ReplaceAll(string(source), "runtime.Breakpoint()", "runtime.Gosched()"))
	if err := os.CopyFS(filepath.Join(dir, "_fixtures/internal"), os.DirFS(filepath.Join(fixtures, "internal"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module github.com/go-delve/delve\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "_fixtures", "fixture.go")
	if err := os.WriteFile(file, source, 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(ctx, "go", "build", "-gcflags="+flags, "-o", program, "./_fixtures/fixture.go")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	stops := debug(t, ctx, program, file, strings.Count(string(source), "\n")+1)
	if len(stops) == 0 {
		t.Fatal("Delve has stopped nowhere")
	}
	c.compare(stops, watch(t, ctx, dir, program, stops))
}

// next matches where the next variable begins.
var next = regexp.MustCompile(`, [\pL_][\pL_0-9]*=`)

// compare compares the stops of Delve with what waymark shows. In optimized programs Delve may stop elsewhere in a line: any
// of its stops there will do.
func (c *comparison) compare(stops []stop, found *lines) {
	byLine := make(map[int][]stop)
	for _, s := range stops {
		byLine[s.line] = append(byLine[s.line], s)
	}
	for line, list := range byLine {
		shown := found.shown[line]
		if slices.Contains(found.refused, line) {
			c.counts["lines refused"]++
			continue
		}
		if len(shown) < len(list) {
			c.Logf("line %d has %d hits, for Delve %d or more", line, len(shown), len(list))
			c.counts["lines with fewer hits"]++
		}
		for i := range min(len(list), len(shown)) {
			if c.optimized {
				c.hit(found, shown[i], list...)
			} else {
				c.hit(found, shown[i], list[i])
			}
		}
	}
}

// hit compares the variables of a hit with those of one of the stops.
func (c *comparison) hit(found *lines, text string, stops ...stop) {
	line := stops[0].line
	byName := make(map[string][]*variable)
	for _, s := range stops {
		for i := range s.variables {
			if v := &s.variables[i]; v.Flags&shadowed == 0 {
				byName[v.Name] = append(byName[v.Name], v)
			}
		}
	}
	for rest := text; rest != ""; {
		name, text, ok := strings.Cut(rest, "=")
		if !ok {
			c.Errorf("line %d: %q", line, rest)
			return
		}
		r, outcome := oneOf(byName[name], text)
		if why := c.known[fmt.Sprint(line, " ", name)]; why != "" && outcome == "differs" {
			outcome = "known"
			c.Logf("line %d: %s: %s", line, name, why)
		}
		c.counts[outcome]++
		if outcome == "differs" {
			c.Errorf("line %d: %s is %.400s\nDelve: %.1000v", line, name, text, byName[name])
		} else if outcome == "only here" {
			c.Logf("line %d: only waymark shows %s: %.200s", line, name, text)
		}
		delete(byName, name)
		if r == nil {
			begin := next.FindStringIndex(text)
			if begin == nil {
				break
			}
			r = &reading{rest: text[begin[0]:]}
		}
		rest = strings.TrimPrefix(r.rest, ", ")
	}
	for name, list := range byName {
		switch {
		case name[0] == '.' || name[0] == '~': // the compiler's own
		case strings.Contains(found.absent[line], ", "+name+","):
			c.counts["said that it isn't there"]++
		case slices.Contains(found.bodies, line):
			c.counts["around a loop"]++
		case len(list) < len(stops): // it is not at all places of an inlined function
			c.counts["not at each stop"]++
		case list[0].lost():
			c.counts["shown by neither"]++
		default:
			c.counts["missing"]++
			c.Errorf("line %d: %s is missing; Delve: %v", line, name, list[0])
		}
	}
}

// begins reports whether the next variable begins at the beginning of a text.
func begins(text string) bool {
	at := next.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// oneOf compares a text with variables, and returns what is behind it, nil if it is none of them, and what came of it.
func oneOf(list []*variable, text string) (*reading, string) {
	outcome := "only here"
	for _, v := range list {
		r := &reading{rest: text}
		switch {
		case v.Unreadable != "" && outcome != "differs":
			outcome = "unreadable"
		case v.Unreadable != "":
		case r.value(v, true) && (r.rest == "" || begins(r.rest)):
			if len(r.said) > 0 {
				return r, "said"
			}
			return r, "alike"
		default:
			outcome = "differs"
		}
	}
	return nil, outcome
}
