package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// go tool pprof shows the numbers of the report.
func TestPprofTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.pprof")
	if err := os.WriteFile(file, written(t, "pprof", record(t, events()), recording.Filter{}), 0o666); err != nil {
		t.Fatal(err)
	}
	// flat returns what the functions have themselves of a value.
	flat := func(value string) map[string]int64 {
		out, err := exec.Command("go", "tool", "pprof", "-top", "-unit=ns", "-nodefraction=0", "-nodecount=10000", "-sample_index="+value, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		list := make(map[string]int64)
		for line := range strings.Lines(string(out)) { // flat flat% sum% cum cum% name
			fields := strings.Fields(line)
			if len(fields) < 6 || !strings.HasSuffix(fields[1], "%") {
				continue
			}
			n, err := strconv.ParseFloat(strings.TrimSuffix(fields[0], "ns"), 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			list[strings.Join(fields[5:], " ")] = int64(n)
		}
		return list
	}
	calls, total, self := flat("calls"), flat("total"), flat("self")
	for name, want := range reported(t, record(t, events()), recording.Filter{}) {
		if name == seen(hostile) {
			continue // which is on several lines
		}
		if got := (sums{calls[name], total[name], self[name]}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
