package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// counters names the processor's counter, for architectures that waymark reads it on.
var counters = map[string]string{"amd64": "tsc", "arm64": "cntvct"}

// Each clock that the machine has, when forced, is that of the recording.
func TestClocks(t *testing.T) {
	prog := instrument(t, "storm", "--all", "--closures")
	clocks := []string{"nanotime"}
	if c, ok := counters[runtime.GOARCH]; ok {
		clocks = append(clocks, c)
	}
	for _, clock := range clocks {
		t.Run(clock, func(t *testing.T) {
			if got := storm(t, exec.Command(prog, "100"), "", "WAYMARKCLOCK="+clock); got != clock {
				t.Errorf("recorded with %s", got)
			}
		})
	}
	// One that it hasn't is said, and another one is used.
	trace := filepath.Join(t.TempDir(), "other.wmt")
	cmd := exec.Command(prog, "1")
	cmd.Env = append(os.Environ(), "WAYMARKCLOCK=sundial", "WAYMARK=record,o="+trace)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	used := f.Info().Clock
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "waymark: WAYMARKCLOCK=sundial: this machine has ") || !strings.HasSuffix(got, "; the clock is "+used+"\n") {
		t.Errorf("stderr is %q, the clock %s", got, used)
	}
}

// Programs for other architectures run on an emulator where the processor can't
// run them. Recordings hold every call, also of a program that was killed. The
// clock is the processor's counter where waymark reads it.
func TestArchitectures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs linux, for which the programs are built")
	}
	for _, m := range []struct {
		goarch, emulator string
		arena            bool // survives the program
	}{
		{"arm64", "qemu-aarch64", true},
		{"riscv64", "qemu-riscv64", true},
		{"386", "qemu-i386", false},
	} {
		if m.goarch == runtime.GOARCH {
			continue // that's what all other tests are for
		}
		t.Run(m.goarch, func(t *testing.T) {
			if m.goarch != "arm64" && !*cross {
				t.Skip("not asked for: make test-cross")
			}
			run := func(prog string) func(args ...string) *exec.Cmd {
				if m.goarch == "386" && runtime.GOARCH == "amd64" {
					return func(args ...string) *exec.Cmd { return exec.Command(prog, args...) }
				}
				if _, err := exec.LookPath(m.emulator); err != nil {
					t.Skipf("SKIPPED: needs %s, of the Debian package qemu-user", m.emulator)
				}
				return func(args ...string) *exec.Cmd { return exec.Command(m.emulator, append([]string{prog}, args...)...) }
			}
			start := run(instrumentFor(t, m.goarch, "storm", "--all", "--closures"))
			want := "nanotime"
			if c, ok := counters[m.goarch]; ok {
				want = c
				if got := storm(t, start("50"), "", "WAYMARKCLOCK=nanotime"); got != "nanotime" {
					t.Errorf("recorded with %s, not nanotime as forced", got)
				}
			}
			if got := storm(t, start("50"), ""); got != want {
				t.Errorf("recorded with %s, not %s", got, want)
			}
			if m.arena {
				kill(t, 3, run(instrumentFor(t, m.goarch, "kill", "--all")))
			}
		})
	}
}
