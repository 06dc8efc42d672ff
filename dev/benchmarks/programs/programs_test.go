package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/dev/benchmarks/subject"
)

// TestQuick measures a small program in one round, and looks whether all steps are there.
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
	files := map[string]string{
		"go.mod":  "module example.com/hello\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {\n\tfor range 100 {\n\t\tcall()\n\t}\n}\n",
		"call.go": "package main\n\n//go:noinline\nfunc call() {\n\tfor range 10 {\n\t}\n}\n",
	}
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	doc := filepath.Join(dir, "performance.md")
	if err := os.WriteFile(doc, []byte("<!-- PROGRAMS: here -->\n<!-- END PROGRAMS -->\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	hello := subject.Subject{
		Name: "hello", Module: module, Main: ".", Change: "call.go",
		Args: func(subject.Place, float64) []string { return nil },
	}
	var log strings.Builder
	if err := mainErr(t.Context(), []string{"-quick", "-waymark", waymark, "-docs", dir}, []subject.Subject{hello}, &log, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	f, err := os.Open(filepath.Join(dir, "programs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, row := range rows[1:] {
		count[row[1]+": "+row[2]]++
		if strings.HasPrefix(row[4], "-") || strings.Trim(row[4], "0.") == "" {
			t.Errorf("%q: %s s, want more than 0", row, row[4])
		}
	}
	want := map[string]int{"run: first calls": 1, "run: recording": 1}
	for _, step := range []string{buildFirst, buildSame, buildChanged, running} {
		for _, variant := range []string{plainBuild, plainAgain, traced} {
			want[step+": "+variant] = 1
		}
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| hello | build, one file changed | ", "### Runs"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got, err := os.ReadFile(filepath.Join(module, "call.go")); err != nil || string(got) != files["call.go"] {
		t.Errorf("the module itself was changed: %q, %v", got, err)
	}
}

// TestOverPlain: ratios are taken in each round, then their median.
func TestOverPlain(t *testing.T) {
	o := &outcome{}
	for round, s := range []struct{ plain, traced float64 }{{1, 1.1}, {10, 12}, {2, 6}} {
		o.add(running, plainBuild, round, time.Duration(s.plain*1e9))
		o.add(running, traced, round, time.Duration(s.traced*1e9))
	}
	ratio, difference := o.overPlain(running, traced)
	if ratio != 1.2 || difference != 2 {
		t.Errorf("got %g x, %+g s, want 1.2 x, +2 s", ratio, difference)
	}
}

// TestMistakes looks at what is said about flags that make no sense.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rounds 0", "want at least 1"},
		{"-only nothing", `-only "nothing": no program`},
		{"-only (", "-only: "},
		{"extra", "want flags only"},
		{"-waymark ./nowhere", "make builds it"},
	} {
		err := mainErr(t.Context(), strings.Fields(c.args), subject.Programs(), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
}
