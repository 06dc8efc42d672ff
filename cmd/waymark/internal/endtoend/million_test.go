package endtoend

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

var million = flag.Bool("million", false, "park a million goroutines in traced calls (takes 3 GB)")

// Goroutines that are parked in a traced call cost at most 256 bytes each, beyond the 64 MB of
// buffers. That is compared with the same program untraced. The limit is the same when each
// goroutine is a trace.
func TestMillion(t *testing.T) {
	if !*million {
		t.Skip("not asked for: make test-million")
	}
	plain, traced := plain(t, "million"), instrument(t, "million")
	trace := filepath.Join(t.TempDir(), "million.wmt")
	resident := func(prog string, env ...string) int {
		cmd := exec.Command(prog)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const goroutines, buffers, each = 1_000_000, 64 << 20, 256
	without, with := resident(plain), resident(traced, "WAYMARK=record,o="+trace)
	t.Logf("resident: %d MB plain, %d MB recording: %.1f bytes for each goroutine, buffers included", without>>20, with>>20, float64(with-without)/goroutines)
	if with-without > buffers+goroutines*each {
		t.Errorf("recording takes %d bytes more", with-without)
	}
	gathering := resident(traced, "WAYMARK=traces=main.park")
	t.Logf("resident: %d MB gathering traces, of which a million are in progress", gathering>>20)
	if gathering-without > buffers+goroutines*each {
		t.Errorf("gathering traces takes %d bytes more", gathering-without)
	}
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parked := 0
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if ev.Kind == tracefile.Start {
			parked++
		}
	}
	if parked < goroutines {
		t.Errorf("%d goroutines are in the recording", parked)
	}
}
