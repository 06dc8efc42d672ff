//go:build linux

package endtoend

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/tracefile"
)

// numbers follows goroutines that number their calls as testdata/window does.
type numbers struct {
	goroutines map[uint64]*numbering
}

// A numbering is what a goroutine does: enters and exits of number and of digits.
type numbering struct {
	in    bool // number
	digit byte // that is open, 0 if none is
	seen  int  // digits of this number; -1 if not from the first one on
	value uint64
	first uint64 // number seen from the first digit on
	last  uint64 // number finished
	count uint64 // numbers finished
}

// add takes an event of main.number or of a digit and reports whether it may follow
// what went before.
func (g *numbering) add(kind tracefile.Kind, name string) error {
	name = strings.TrimPrefix(name, "main.")
	switch {
	case name == "number" && kind == tracefile.Enter:
		if g.in {
			return fmt.Errorf("number %d begins in number %#x", g.last+1, g.last)
		}
		g.in, g.seen, g.value = true, 0, 0
	case name == "number":
		if g.digit != 0 || g.in && g.seen >= 0 && g.seen != 8 {
			return fmt.Errorf("a number after %#x ends after %d digits", g.last, g.seen)
		}
		if g.in && g.seen == 8 {
			if g.count > 0 && g.value != g.last+1 {
				return fmt.Errorf("number %#x follows %#x", g.value, g.last)
			}
			if g.count == 0 {
				g.first = g.value
			}
			g.last = g.value
			g.count++
		}
		g.in = false
	case kind == tracefile.Enter:
		if g.digit != 0 || g.count > 0 && !g.in {
			return fmt.Errorf("digit %s in digit %c or in no number, after %#x", name, g.digit, g.last)
		}
		g.digit = name[1]
	default:
		if g.digit != name[1] && (g.digit != 0 || g.count > 0) {
			return fmt.Errorf("digit %s ends in digit %c, after %#x", name, g.digit, g.last)
		}
		g.digit = 0
		if g.in {
			g.seen++
			g.value = g.value<<4 | uint64(strings.IndexByte("0123456789abcdef", name[1]))
		}
	}
	return nil
}

// readWindow reads a window and checks that every goroutine's events from the
// beginning on follow each other without a gap.
func readWindow(t *testing.T, trace string) (numbers, tracefile.Info) {
	t.Helper()
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := numbers{make(map[uint64]*numbering)}
	events := f.Events()
	info := f.Info()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		// Before the beginning some streams still have events and others don't.
		if ev.Kind != tracefile.Enter && ev.Kind != tracefile.Exit || f.Nanos(ev.Clock) < int64(info.From) {
			continue
		}
		site, ok := f.Func(ev.Site)
		if !ok {
			t.Fatalf("event of unknown site %d", ev.Site)
		}
		if site.Name != "main.number" && len(site.Name) != len("main.d0") {
			continue
		}
		g := all.goroutines[ev.Goroutine]
		if g == nil {
			g = new(numbering)
			all.goroutines[ev.Goroutine] = g
		}
		if err := g.add(ev.Kind, site.Name); err != nil {
			t.Fatalf("%s: goroutine %d at %v: %v", filepath.Base(trace), ev.Goroutine, time.Duration(f.Nanos(ev.Clock)), err)
		}
	}
	if err := events.Err(); err != nil {
		t.Error(err)
	}
	if info = f.Info(); info.Damaged != 0 || info.Lost != 0 || info.RecoveryErr != nil || !info.Ring || info.Events == 0 {
		t.Errorf("info %+v; want an undamaged window", info)
	}
	return all, info
}

// A flight recorder has the newest events, without a gap, however the program ends.
func TestWindow(t *testing.T) {
	const last = 200_000 // numbers; each is 18 events
	prog := instrument(t, "window", "--all")
	for _, c := range []struct {
		name, end string
		race      bool
		settings  string
		env       string
		status    int
	}{
		{name: "panic", end: "panic", status: 2},
		{name: "panic with one P", end: "panic", env: "GOMAXPROCS=1", status: 2},
		{name: "panic with nanotime", end: "panic", env: "WAYMARKCLOCK=nanotime", status: 2},
		{name: "panic with race", end: "panic", race: true, status: 2},
		{name: "panic of 5 ms", end: "panic", settings: ",window=5ms,buffers=64MiB", status: 2},
		{name: "fatal error", end: "fatal", status: 2},
		{name: "SIGQUIT", end: "quit", status: 2},
		{name: "SIGKILL", end: "kill", status: -1},
		{name: "exit", end: "exit", settings: ",dump-at-exit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prog := prog
			if c.race {
				prog = instrument(t, "window", "--all", "-race")
			}
			trace, counters, _ := runWindow(t, prog, c.end, last, c.settings, c.env, c.status)
			all, info := readWindow(t, trace)
			if info.From == 0 {
				t.Error("nothing was overwritten")
			}
			if info.Complete != (c.end == "exit") {
				t.Errorf("complete: %v", info.Complete)
			}
			// The end is that of the program, which on a busy machine waits for a processor after the last events.
			if strings.Contains(c.settings, "window=") && (info.Duration-info.From < 4900*time.Microsecond || info.Duration-info.From > 40*time.Millisecond) {
				t.Errorf("a window of 5 ms begins at %v of %v", info.From, info.Duration)
			}
			if g := all.goroutines[1]; strings.Contains(c.settings, "window=") {
				// On a busy machine goroutine 1 may wait longer than that between its last number and its end.
				if g != nil && g.count > 0 && g.last != last-1 {
					t.Errorf("goroutine 1: %+v; want that %d is the last number", g, last-1)
				}
			} else if g == nil || g.last != last-1 || g.in || g.count < 10 || info.Events < 1<<12 {
				t.Fatalf("goroutine 1: %+v in %d events; want all numbers up to %d", g, info.Events, last-1)
			}
			if c.end == "kill" {
				for id, g := range all.goroutines {
					if g.count == 0 {
						continue // it waited for a processor so long that all but a part of a number was overwritten
					}
					found := false
					for w := range 4 {
						done := count(t, counters, w)
						// The counter follows the exit.
						found = found || g.last+1 == done || g.last == done
					}
					if !found {
						t.Errorf("goroutine %d: ends with number %d, which no worker has just finished", id, g.last)
					}
				}
			}
			t.Logf("%d events from %v of %v", info.Events, info.From, info.Duration)
		})
	}
}

// Dump writes the window up to its call, without a gap, while others go on.
func TestDump(t *testing.T) {
	trace, _, out := runWindow(t, instrument(t, "window", "--all"), "dump", 100_000, ",buffers=64MiB", "", 0)
	if _, err := os.Stat(trace); err == nil {
		t.Error("there is a trace file, though nothing asked for one")
	}
	dumps := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); dumps++ {
		var path, failed string
		var last uint64
		if _, err := fmt.Sscan(lines.Text(), &path, &last, &failed); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if want := strings.TrimSuffix(trace, ".wmt") + fmt.Sprintf(".dump%d.wmt", dumps+1); path != want || failed != "<nil>" {
			t.Errorf("%s; want %s", lines.Text(), want)
		}
		all, info := readWindow(t, path)
		if g := all.goroutines[1]; g == nil || g.last != last {
			t.Errorf("%s: goroutine 1: %+v; want all numbers up to %d", path, g, last)
		}
		if !info.Complete || info.Events < 1<<12 {
			t.Errorf("%s is complete: %v, with %d events; want a complete one of many events", path, info.Complete, info.Events)
		}
	}
	if dumps != 3 {
		t.Errorf("%d dumps; the program printed %q", dumps, out)
	}
}

// runWindow runs the program in a folder of its own and returns the trace file, the
// file with the counters, and what it printed.
func runWindow(t *testing.T, prog, end string, last int, settings, env string, status int) (trace, counters string, out []byte) {
	t.Helper()
	dir := t.TempDir()
	trace, counters = filepath.Join(dir, "w.wmt"), filepath.Join(dir, "counters")
	if err := os.WriteFile(counters, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(prog, counters, end, fmt.Sprint(last))
	// The buffers hold some 100 ms. On a busy machine goroutine 1 may wait that long between its last
	// number and its end, while others overwrite what it did.
	cmd.Env = append(os.Environ(), env, "WAYMARK=record,overflow=ring,buffers=48MiB"+settings+",o="+trace)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ = cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("status %d, want %d\n%s", got, status, stderr.Bytes())
	}
	if strings.Contains(stderr.String(), "waymark:") {
		t.Errorf("stderr: %s", stderr.Bytes())
	}
	return trace, counters, out
}
