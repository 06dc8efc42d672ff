package endtoend

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStrict checks a budget that can't be kept by counting: the numbers of calls that are estimated say so, and their
// intervals hold the true ones. All other numbers are exact.
func TestStrict(t *testing.T) {
	prog := instrument(t, "strict", "--all")
	dir := t.TempDir()
	waymark := func(t *testing.T, args ...string) []byte {
		cmd := exec.Command(tool(t), args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("waymark %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"run", []string{"run", "-o", "run.json", "--format", "json"}},
		{"record", []string{"record", "-o", "a.wmt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known := readCounts(t, waymark(t, append(tt.args, "--budget", "3%,strict", prog)...))
			b, err := os.ReadFile(filepath.Join(dir, "run.json"))
			if tt.name == "record" {
				b = waymark(t, "report", "--format", "json", "a.wmt")
				if text := string(waymark(t, "report", "a.wmt")); !regexp.MustCompile(`≈\d+ .* main\.leaf\n`).MatchString(text) {
					t.Errorf("the report doesn't say that the number of calls is an estimate:\n%s", text)
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

// readCounts reads how often which function was called.
func readCounts(t *testing.T, out []byte) (counts map[string]uint64) {
	if err := json.Unmarshal(out, &counts); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return counts
}
