package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStrict checks a budget that can't be kept by counting: the numbers of calls that are estimated say so, and their
// intervals hold the true ones. All other numbers are exact.
func TestStrict(t *testing.T) {
	prog := instrument(t, "strict", "--all")
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		text string // of the report
	}{
		{"run", []string{"run", "--budget", "3%,strict", "-o", "run.json", "--format", "json", prog}, ""},
		{"record", []string{"record", "--budget", "3%,strict", "-o", "a.wmt", prog}, "report a.wmt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			waymark := func(args ...string) []byte {
				cmd := exec.Command(tool(t), args...)
				cmd.Dir, cmd.Stderr = dir, os.Stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("waymark %s: %v", strings.Join(args, " "), err)
				}
				return out
			}
			known := readCounts(t, waymark(tt.args...))
			b, err := os.ReadFile(filepath.Join(dir, "run.json"))
			if tt.text != "" {
				b, err = waymark("report", "--format", "json", "a.wmt"), nil
				if text := string(waymark("report", "a.wmt")); !strings.Contains(text, " ≈") || !strings.Contains(text, "is an estimate, too") {
					t.Errorf("the report doesn't say that numbers of calls are estimates:\n%s", text)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			var report struct {
				Functions []struct {
					Name     string
					Calls    uint64
					Estimate struct{ Calls *[2]uint64 }
				}
			}
			if err := json.Unmarshal(b, &report); err != nil {
				t.Fatal(err)
			}
			estimated := 0
			for _, f := range report.Functions {
				want, ok := known[f.Name]
				switch c := f.Estimate.Calls; {
				case !ok:
				case c == nil && f.Calls != want:
					t.Errorf("%s: %d calls, want %d", f.Name, f.Calls, want)
				case c != nil && (want < c[0] || want > c[1] || f.Calls > 2*want):
					t.Errorf("%s: about %d calls, %d to %d; want %d within, and not twice as many", f.Name, f.Calls, c[0], c[1], want)
				case c != nil:
					t.Logf("%s: about %d calls, %d to %d; there were %d", f.Name, f.Calls, c[0], c[1], want)
					estimated++
				}
			}
			if estimated == 0 {
				t.Error("no number of calls is estimated: it was not tested")
			}
		})
	}
}

// readCounts reads lines of a function and its number of calls.
func readCounts(t *testing.T, out []byte) map[string]uint64 {
	counts := make(map[string]uint64)
	d := json.NewDecoder(strings.NewReader(string(out)))
	if err := d.Decode(&counts); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return counts
}
