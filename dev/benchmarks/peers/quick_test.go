package main

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestQuick runs every rung of every tracer that is there once, and looks whether
// figures and documents are what they should be. How large figures are depends on the
// machine.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs with waymark: make test-long")
	}
	dir := t.TempDir()
	build := func(dir string, env []string, args ...string) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	waymark, ladder, peers := filepath.Join(dir, "waymark"), filepath.Join(dir, "ladder"), filepath.Join(dir, "peers")
	build("../../../cmd/waymark", []string{"GOWORK="}, "go", "build", "-o", waymark, ".")
	build("../ladder", []string{"GOWORK="}, waymark, "build", "--include", "../traced,../grouped", "--all",
		"--args=...traced.Ints,...traced.Text,...traced.Struct,...traced.Pointer,...traced.Bytes", "-o", ladder, ".")
	build(".", []string{"GOWORK="}, "go", "build", "-o", peers, ".")
	doc := filepath.Join(dir, "performance.md")
	if err := os.WriteFile(doc, []byte("<!-- PEERS: here -->\n<!-- END PEERS -->\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(peers, "-quick", "-waymark", waymark, "-ladder", ladder, "-docs", dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}

	absent := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, why, ok := strings.Cut(strings.TrimSpace(line), " is absent: "); ok {
			absent[name] = why
		}
	}
	samples := readSamples(t, filepath.Join(dir, "performance.csv"))
	document, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("tables", func(t *testing.T) { checkTables(t, string(document)) })
	t.Run("plot", func(t *testing.T) { checkPlot(t, filepath.Join(dir, "performance.svg")) })
	for name, rungs := range wantRungs {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			if why, ok := absent[name]; ok {
				if !strings.Contains(string(document), "| "+name+" | "+why+" |") {
					t.Errorf("absent, and the tables don't say so: %s", why)
				}
				t.Skip(why)
			}
			for _, want := range rungs {
				if !samples[name+": "+want] {
					t.Errorf("no sample of %q", want)
				}
			}
		})
	}
}

// wantRungs are rungs and shapes, separated by a slash.
var wantRungs = map[string][]string{
	waymarkName: {
		"off/empty", "off/leaf", "off/recursion 10", "off/500 us", "to memory/two ints", "to memory/string and int",
		"to memory/struct", "to memory/10000 goroutines", "to memory/panic, recovered", "to file/parks: channel",
		"to file/parks: sleep", "to file/64 goroutines", "to file/50 ns", "to file/sustained", "flight recorder/leaf",
		"monitors/3 groups, off", "monitors/another group on", "monitors/NoOp", "monitors/Compose of 3 NoOps", "monitors/OperationTracer", "monitors/observer", "monitors/observer, values", "condition/two ints", "condition/string and int", "condition/duration",
		"count only/leaf", "calls, total and self time/recursion 10", "with histogram/10000 goroutines", "with paths/leaf", "gathered, under a root/leaf", "gathered, elsewhere/recursion 10", "timers/by hand",
	},
	readingName:     {"waymark report/calls", "waymark tree/calls", "waymark replay/calls"},
	"runtime/trace": {"off/leaf", "on, discarded/leaf", "to file/recursion 10"},
	"OpenTelemetry": {"no provider/leaf", "each exported, discarded/leaf", "batched, JSON to file/recursion 10"},
	"time.Now pair": {"to memory/leaf", "to memory/recursion 10"},
	"log/slog":      {"off/leaf", "text to /dev/null/leaf", "JSON to file/recursion 10"},
	"dlv trace":     {"lines to stderr/leaf"},
	"uftrace":       {"mcount, off/leaf", "mcount, to file/calls", "patched, off/leaf", "patched, to file/recursion 10"},
	"LLVM XRay":     {"off/leaf", "to memory, written at the end/calls"},
	"LTTng-UST":     {"off/leaf", "to file/recursion 10", "to file/calls"},
	"bpftrace":      {"uprobe/leaf", "uprobe+uretprobe/recursion 10", "uprobe of a Go function/leaf"},
}

// readSamples returns which rungs and shapes there are, after a look at their figures.
func readSamples(t *testing.T, name string) map[string]bool {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		cell := func(column string) string {
			for i, c := range rows[0] {
				if c == column {
					return row[i]
				}
			}
			t.Fatalf("no column %q in %q", column, rows[0])
			return ""
		}
		number := func(column string) float64 {
			v, err := strconv.ParseFloat(cell(column), 64)
			if err != nil {
				t.Errorf("%q: %s: %v", row, column, err)
			}
			return v
		}
		positive := []string{"events"}
		switch cell("calls") {
		case cCalls, sustained: // the process's time only
			positive = append(positive, "events_per_second")
		default:
			positive = append(positive, "floor_ns", "plain_ns", "traced_ns")
		}
		for _, column := range positive {
			if number(column) <= 0 {
				t.Errorf("%q: %s: got %s, want more than 0", row, column, cell(column))
			}
		}
		if lost := cell("lost"); lost != "" && number("lost") > number("events") {
			t.Errorf("%q: more events lost than made", row)
		}
		if cell("tracer") == waymarkName && strings.HasPrefix(cell("rung"), "to file") && (cell("lost") != "0" || number("bytes") == 0) {
			t.Errorf("%q: want a file with all events", row)
		}
		seen[cell("tracer")+": "+cell("rung")+"/"+cell("calls")] = true
	}
	return seen
}

// checkTables looks whether all rows have as many cells as the header above them.
func checkTables(t *testing.T, document string) {
	columns, tables := 0, 0
	for line := range strings.Lines(document) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(line, "|")
		if columns == 0 {
			columns = n
			tables++
		}
		if n != columns {
			t.Errorf("%q: %d bars, its header has %d", line, n, columns)
		}
	}
	if tables < 8 { // bars, five rungs of waymark, side by side, reading
		t.Errorf("got %d tables, want at least 8", tables)
	}
	if strings.Contains(document, "not measured") {
		t.Error("a bar isn't measured")
	}
}

func checkPlot(t *testing.T, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text strings.Builder
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
	for _, want := range []string{"waymark, to memory", "log/slog, off", "p99", "floor"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the plot", want)
		}
	}
}
