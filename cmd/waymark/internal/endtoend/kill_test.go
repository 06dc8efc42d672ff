package endtoend

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// A program that is killed at any moment leaves a recording of every call that it had finished.
// The program counts its calls in shared memory, after each one.
func TestKill(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("needs the recorder's shared memory, which is for linux")
	}
	prog := instrument(t, "kill", "--all")
	kill(t, 10, func(args ...string) *exec.Cmd { return exec.Command(prog, args...) })
}

// kill runs the program so many times, kills it and checks what it leaves.
func kill(t *testing.T, times int, command func(args ...string) *exec.Cmd) {
	t.Helper()
	dir, r := t.TempDir(), seed.Rand(t, rand.Uint64())
	const workers = 4
	for i := range times {
		counters, trace := filepath.Join(dir, "counters"), filepath.Join(dir, "kill.wmt")
		runAndKill(t, command(counters), "record,o="+trace, counters, time.Duration(r.Intn(300e6)), func() bool { return true })

		f, err := tracefile.Open(trace)
		if err != nil {
			t.Fatal(err)
		}
		var enters, exits [workers]uint64
		events := f.Events()
		for ev := (tracefile.Event{}); events.Next(&ev); {
			if ev.Kind != tracefile.Enter && ev.Kind != tracefile.Exit {
				continue
			}
			site, ok := f.Func(ev.Site)
			if !ok {
				t.Fatalf("event of unknown site %d", ev.Site)
			}
			if w := strings.IndexByte("0123", site.Name[len(site.Name)-1]); w >= 0 && strings.Contains(site.Name, ".leaf") {
				if ev.Kind == tracefile.Enter {
					enters[w]++
				} else {
					exits[w]++
				}
			}
		}
		if err := events.Err(); err != nil {
			t.Error(err)
		}
		info := f.Info()
		if info.Complete || info.Damaged != 0 || info.Lost != 0 || info.RecoveryErr != nil {
			t.Errorf("kill %d: info %+v; want an incomplete, undamaged recording", i, info)
		}
		f.Close()
		for w := range workers {
			done := count(t, counters, w)
			// The counter follows the exit: the one call in between may be there.
			if exits[w] < done || exits[w] > done+1 || enters[w] < exits[w] || enters[w] > exits[w]+1 {
				t.Errorf("kill %d, worker %d: %d calls were finished; the recording has %d enters, %d exits", i, w, done, enters[w], exits[w])
			}
		}
		t.Logf("kill %d: %d events, %d recovered", i, info.Events, info.Recovered)
		if _, err := os.Stat(trace + ".live"); err == nil {
			t.Error("the arena is still there after the first read")
		}
	}
}

func count(t *testing.T, path string, worker int) uint64 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[worker*64:])
}

// runAndKill runs the program of testdata/kill, which counts its calls in the file counters, with
// the given settings. It kills the program some time after its first call and after ready returns
// true.
func runAndKill(t *testing.T, cmd *exec.Cmd, settings, counters string, after time.Duration, ready func() bool) {
	t.Helper()
	if err := os.WriteFile(counters, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "WAYMARK="+settings)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // if the test ends here
	for start := time.Now(); count(t, counters, 0) == 0 || !ready(); time.Sleep(time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatal("the program does not begin")
		}
	}
	time.Sleep(after)
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}
