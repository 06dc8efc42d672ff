package endtoend

import (
	"flag"
	"path/filepath"
	"testing"
	"time"
)

var exports = flag.Bool("exports", false, "measure exports of a recording of 100 million events (minutes, takes 4 GB of disk)")

// TestExportRate measures how many events of a large recording a format takes in a second, and in
// which memory.
func TestExportRate(t *testing.T) {
	if !*exports {
		t.Skip("takes minutes and is not for a busy machine: use -exports")
	}
	const events, limit = 100_000_000, 400 << 20
	file := filepath.Join(t.TempDir(), "large.wmt")
	writeCalls(t, file, events, 1)
	for _, tt := range []struct {
		args   string
		events float64 // per second, at least
	}{
		{"export --to pprof -o /dev/null", 20e6},
		{"export --to folded -o /dev/null", 20e6},
		{"export --to json -o /dev/null", 0},
		{"export --to chrome -o /dev/null", 0},
		{"export --to perfetto -o /dev/null", 0},
		{"export --to speedscope -o /dev/null", 0},
		{"export --to parquet -o /dev/null", 0},
		{"export --to otlp -o /dev/null", 0},
	} {
		start := time.Now()
		memory := peak(t, tt.args, file)
		rate := events / time.Since(start).Seconds()
		t.Logf("%s: %.1f million events per second, %d MB", tt.args, rate/1e6, memory>>20)
		if memory > limit || rate < tt.events {
			t.Errorf("%s: %.1f million events per second in %d MB, want %.0f million in at most %d MB", tt.args, rate/1e6, memory>>20, tt.events/1e6, limit>>20)
		}
	}
	// A second of the middle, of a recording that is as long as one of a busy service: other parts aren't read.
	writeCalls(t, file, events, 40)
	const window = "export --to perfetto -o /dev/null --time 50s..51s"
	start := time.Now()
	memory := peak(t, window, file)
	t.Logf("%s: %v, %d MB", window, time.Since(start), memory>>20)
	if took := time.Since(start); took > time.Second {
		t.Errorf("%s took %v, want at most 1 s", window, took)
	}
}
