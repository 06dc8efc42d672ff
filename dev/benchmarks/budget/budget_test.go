package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/dev/benchmarks/subject"
)

// A module with a program, a test, and a service with its load.
var small = map[string]string{
	"go.mod":       "module example.com/small\n\ngo 1.26\n",
	"main.go":      "package main\n\nfunc main() {\n\tfor range 100 {\n\t\tcall()\n\t}\n}\n\n//go:noinline\nfunc call() {\n\tfor range 10 {\n\t}\n}\n",
	"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestCall(t *testing.T) { call() }\n",
	"serve/main.go": `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	fmt.Println("serving on nothing")
	wait(c)
}

//go:noinline
func wait(c chan os.Signal) { <-c }
`,
	"load/main.go": "package main\n\nimport \"os\"\n\nfunc main() {\n\tif os.Args[1] != \"nothing\" || os.Args[2] != \"7\" {\n\t\tos.Exit(1)\n\t}\n}\n",
}

// TestQuick measures small programs of all three kinds, and goes on where it was.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs with waymark: make test-long")
	}
	dir := t.TempDir()
	waymark := filepath.Join(dir, "waymark")
	cmd := exec.Command("go", "build", "-o", waymark, ".")
	cmd.Dir, cmd.Env = "../../../cmd/waymark", append(os.Environ(), "GOWORK=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	module := filepath.Join(dir, "module")
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	args := func(list ...string) func(subject.Place, float64) []string {
		return func(subject.Place, float64) []string { return list }
	}
	list := []program{
		{Subject: subject.Subject{Name: "job", Module: module, Main: ".", Add: small, Args: args()}},
		{test: ".", Subject: subject.Subject{Name: "tests", Module: module, Add: small, Args: args("-test.count=1")}},
		{load: "./load", Subject: subject.Subject{Name: "service", Module: module, Main: "./serve", Add: small, Args: args("7")}},
	}
	samples, doc := filepath.Join(dir, "samples.csv"), filepath.Join(dir, "performance.md")
	if err := os.WriteFile(doc, []byte("<!-- PRICES: here -->\n<!-- END PRICES -->\n<!-- BUDGET: here -->\n<!-- END BUDGET -->\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(extra ...string) string {
		var log strings.Builder
		args := append([]string{"-quick", "-budgets", "", "-waymark", waymark, "-samples", samples, "-docs", dir}, extra...)
		if err := mainErr(t.Context(), args, list, &log, &log); err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
		return log.String()
	}
	run("-programs", "^job$")
	if log := run(); strings.Count(log, "measured before") != 1 || strings.Count(log, "building") != 2 {
		t.Errorf("the second run: want that one program was measured before, and two are built:\n%s", log)
	}
	got, err := readSamples(filepath.Join(dir, "budget.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range got {
		names = append(names, s.program+" "+s.variant)
		if s.wall <= 0 || s.cpu <= 0 {
			t.Errorf("%+v: want times", s)
		}
		if s.variant != unlimited {
			continue
		}
		want := map[string]uint64{"job": 101, "tests": 1, "service": 2}[s.program]
		if s.calls != want || s.recorded != want || s.bytes == 0 || s.demoted != 0 || s.share != 1 {
			t.Errorf("%+v: want %d calls, all recorded", s, want)
		}
	}
	var want []string
	for _, p := range list {
		for _, v := range []string{plain, plainAgain, off, unlimited} {
			want = append(want, p.Name+" "+v)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	beside := filepath.Join(dir, "beside.csv")
	run("-beside", "0", "-samples", beside)
	if got, err = readSamples(beside); err != nil || len(got) != len(names) {
		t.Errorf("beside plain: %v, %d samples, want %d", err, len(got), len(names))
	}
	for _, s := range got {
		if s.cpu <= 0 || s.beside > 0 == (s.variant == plain) {
			t.Errorf("%+v: want the time of plain beside all but itself", s)
		}
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| service | ", "### What is recorded", "| Program | off | all recorded |\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestBeside: ratios are to what plain took beside a variant, whatever it took alone.
func TestBeside(t *testing.T) {
	r := results{{program: "p", variant: plain, cpu: 9, wall: 1}}
	for round, cpu := range [][4]float64{{1, 1, 2, 2.1}, {4, 4.4, 3, 3.6}, {2, 2.04, 1, 1.01}} {
		r = append(r, sample{program: "p", variant: off, round: round, beside: cpu[0], cpu: cpu[1], wall: 5},
			sample{program: "p", variant: "budget 3%,strict", round: round, beside: cpu[2], cpu: cpu[3], wall: 5})
	}
	if got := r.added("p", off, cpuTime); got < 1.99 || got > 2.01 {
		t.Errorf("off: got +%g %%, want the median of 0, 10 and 2", got)
	}
	if got := r.addedTo(off, "p", "budget 3%,strict", cpuTime); got < 4.99 || got > 5.01 {
		t.Errorf("over off: got +%g %%, want the median of 5, 9 and -1", got)
	}
	var out strings.Builder
	if err := r.write(&out, []program{{Subject: subject.Subject{Name: "p"}}}, newVariants([]limit{{3, true}}, 3, 0)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"on the same processor", "| p | 9.00 s, 1.00 s | +0.0 %, +0.0 % | +2.0 % | +5.0 % (over) |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestAdded: ratios are taken in each round, then their median; a budget is met with a point more.
func TestAdded(t *testing.T) {
	variants := newVariants([]limit{{percent: 0}, {percent: 3}, {percent: 10}, {3, true}}, 3, 1)
	var r results
	for round, cpu := range [][]float64{{1, 1, 1.1, 1.02, 1.039, 1.11, 1.14, 3}, {2, 2, 2.2, 2.04, 2.02, 2.4, 2.28, 0}, {3, 3, 3.3, 3.06, 3.3, 3.36, 3.42, 0}} {
		for i, v := range variants {
			if cpu[i] > 0 {
				r = append(r, sample{program: "p", variant: v.name, round: round, cpu: cpu[i], wall: 1})
			}
		}
	}
	if got := r.added("p", "budget 3%", cpuTime); got < 3.89 || got > 3.91 {
		t.Errorf("budget 3%%: got +%g %%, want the median of 3.9, 1 and 10", got)
	}
	var out strings.Builder
	if err := r.write(&out, []program{{Subject: subject.Subject{Name: "p"}}, {Subject: subject.Subject{Name: "other"}}}, variants); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"It is met 1 of 3 times", "which no budget can go below, it is met 2 of 2 times",
		"the program with tracing off. It is met 1 of 1 times",
		"| p | 2.00 s, 1.00 s | +0.0 %, +0.0 % | +10.0 %, +0.0 % | +2.0 %, +0.0 % (over) | +3.9 %, +0.0 % | +12.0 %, +0.0 % (over) | +14.0 %, +0.0 % | +200.0 %, +0.0 % |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	var prices strings.Builder
	if err := r.writePrices(&prices, []program{{Subject: subject.Subject{Name: "p"}}}, variants); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| Program | off | calls counted | recorded, budget 3% | recorded, budget 10% | recorded, budget 3%,strict | all recorded |\n",
		"| p | +10.0 % | +2.0 % | +3.9 % | +12.0 % | +14.0 % | +200.0 % |\n"} {
		if !strings.Contains(prices.String(), want) {
			t.Errorf("no %q in\n%s", want, prices.String())
		}
	}
	if strings.Contains(out.String(), "other") {
		t.Errorf("a program without samples has a row:\n%s", out.String())
	}
}

// TestShare: a function's time counts as much as its recorded calls are of its calls.
func TestShare(t *testing.T) {
	n := func(n uint64) *uint64 { return &n }
	all := &recording{functions: map[string]function{"slow": {Calls: 10, Self: 700}, "hot": {Calls: 1000, Self: 200}, "gone": {Calls: 1, Self: 100}}}
	budgeted := &recording{functions: map[string]function{"slow": {Calls: 10, Self: 800}, "hot": {Calls: 1000, Recorded: n(250), Demoted: true}}}
	if got := budgeted.share(all); got < 0.7499 || got > 0.7501 {
		t.Errorf("got %g, want (700 + 200/4) / 1000", got)
	}
	if got := all.share(all); got != 1 {
		t.Errorf("without a budget: got %g, want 1", got)
	}
	if calls, recorded, demoted := budgeted.sum(); calls != 1010 || recorded != 260 || demoted != 1 {
		t.Errorf("got %d calls, %d recorded, %d functions demoted; want 1010, 260, 1", calls, recorded, demoted)
	}
}

// TestTruth: numbers of calls are compared with those that were the same in all runs without a budget.
func TestTruth(t *testing.T) {
	known := make(truth)
	known.add(&recording{functions: map[string]function{"a": {Calls: 10}, "b": {Calls: 20}, "wild": {Calls: 5}, "c": {Calls: 30}}})
	known.add(&recording{functions: map[string]function{"a": {Calls: 10}, "b": {Calls: 20}, "wild": {Calls: 6}, "c": {Calls: 30}}})
	about := func(calls, least, most uint64) (f function) {
		f.Calls, f.Estimate.Calls = calls, []uint64{least, most}
		return f
	}
	run := map[string]function{"a": about(9, 8, 11), "b": about(25, 21, 29), "wild": about(3, 1, 4), "c": {Calls: 29}, "new": {Calls: 1}}
	if estimated, within, differ := known.judge(&recording{functions: run}); estimated != 2 || within != 1 || differ != 1 {
		t.Errorf("%d estimated, %d within, %d differ; want 2, 1, 1", estimated, within, differ)
	}
}

// TestSamples: what is written is read again.
func TestSamples(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.csv")
	want := []sample{
		{program: "a, b", variant: plain, round: 0, wall: 1.5, cpu: 2.25},
		{program: "a, b", variant: "budget 3%", round: 8, wall: 1.5, cpu: 2.25, beside: 2.5, bytes: 1, calls: 5, recorded: 3, demoted: 2, share: 0.5, estimated: 7, within: 6, differ: 1},
	}
	if got, err := readSamples(file); err != nil || got != nil {
		t.Errorf("no file: got %v, %v, want none", got, err)
	}
	if err := writeSamples(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readSamples(file)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, "%s\np,v,one,1,1,1,1,1,1,1,1,0,0,0\n", strings.Join(columns, ",")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readSamples(file); err == nil || !strings.Contains(err.Error(), "samples.csv:2: ") {
		t.Errorf("a round that is no number: got %v, want the line", err)
	}
}

// TestPrograms: there are twelve, with names of their own.
func TestPrograms(t *testing.T) {
	var names []string
	for _, p := range programs() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != 12 {
		t.Errorf("%d names: %q; want 12", n, names)
	}
}

// TestMistakes looks at what is said about flags that make no sense.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rounds 0", "want at least 1"},
		{"-budgets 3,ten", `"ten": want numbers of percent`},
		{"-budgets -3", `"-3": want numbers of percent`},
		{"-programs nothing", `-programs "nothing": no program`},
		{"-programs (", "-programs: "},
		{"extra", "want flags only"},
		{"-waymark ./nowhere", "make builds it"},
	} {
		err := mainErr(t.Context(), strings.Fields(c.args), programs(), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
}
