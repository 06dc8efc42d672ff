package endtoend

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// Signals that stop the program, or end the command that started it.
func (f *faultTest) signals(t *testing.T) {
	t.Run("stop and continue", func(t *testing.T) {
		r := faultRun{faultTest: f, goroutines: 4, calls: 200_000}
		random := seed.Rand(t, rand.Uint64())
		r.disturb = func(cmd *exec.Cmd) {
			for range 10 {
				time.Sleep(time.Duration(random.Intn(10e6)))
				cmd.Process.Signal(syscall.SIGSTOP)
				time.Sleep(10 * time.Millisecond)
				cmd.Process.Signal(syscall.SIGCONT)
			}
		}
		r.complete(t)
	})
	t.Run("command killed", func(t *testing.T) {
		// As with go run: the program goes on.
		trace := filepath.Join(t.TempDir(), "f.wmt")
		r := faultRun{faultTest: f, goroutines: 1, calls: 100_000}
		cmd := exec.Command(f.tool, "record", "-o", trace, f.traced, "1", "100000", "7", "pause")
		in, e1 := cmd.StdinPipe()
		out, e2 := cmd.StdoutPipe()
		if err := errors.Join(e1, e2, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 100)
		if n, err := out.Read(b); string(b[:n]) != "half\n" {
			t.Fatalf("%q, %v", b[:n], err)
		}
		cmd.Process.Kill()
		cmd.Process.Wait()
		in.Write([]byte("\n"))
		if n, err := out.Read(b); n == 0 {
			t.Fatalf("the program does not go on: %v", err)
		}
		for { // until the program has ended
			if _, err := out.Read(b); err != nil {
				break
			}
		}
		if info, calls := r.read(t, trace); calls != 100_000 || !info.Complete {
			t.Errorf("%d calls, %+v", calls, info)
		}
	})
}

// Clocks that begin elsewhere, and time that passes while the program stands still.
func (f *faultTest) time(t *testing.T) {
	t.Run("namespace", func(t *testing.T) {
		unshare, err := exec.LookPath("unshare")
		if err == nil {
			err = exec.Command(unshare, "--time", "--monotonic", "1000000", "true").Run()
		}
		if err != nil {
			t.Skipf("SKIPPED: needs the right to make a time namespace: %v", err)
		}
		for _, clock := range []string{"", "nanotime"} {
			r := faultRun{faultTest: f, wrap: []string{unshare, "--time", "--monotonic", "1000000", "--boottime", "2000000"}, env: []string{"WAYMARKCLOCK=" + clock}}
			r.complete(t)
			if info, _ := r.read(t, r.trace); info.Duration <= 0 || info.Duration > time.Minute || time.Since(info.Start) > time.Hour {
				t.Errorf("%+v", info)
			}
		}
	})
	t.Run("standstill", func(t *testing.T) {
		const pause = 300 * time.Millisecond
		for _, clock := range []string{"", "nanotime"} {
			r := faultRun{faultTest: f, env: []string{"WAYMARKCLOCK=" + clock}}
			r.pause = func(cmd *exec.Cmd) {
				cmd.Process.Signal(syscall.SIGSTOP)
				time.Sleep(pause)
				cmd.Process.Signal(syscall.SIGCONT)
			}
			began := time.Now()
			r.complete(t)
			most := time.Since(began)
			if info, _ := r.read(t, r.trace); info.Duration < pause || info.Duration > most {
				t.Errorf("a duration of %v; the program stood still for %v", info.Duration, pause)
			}
		}
	})
}

// The same program, to the same file, many times at once: each has a file of its own.
func (f *faultTest) atOnce(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for range 20 {
		cmd := exec.Command(f.traced, "2", "20000", "7", "quiet")
		cmd.Env = append(os.Environ(), "WAYMARK=record,o="+filepath.Join(dir, "f.wmt"))
		cmd.Stderr = new(strings.Builder)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		cmd.Wait()
		if said := cmd.Stderr.(*strings.Builder).String(); said != "" || cmd.ProcessState.ExitCode() != faultStatus {
			t.Errorf("%v: %s", cmd.ProcessState, said)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	// One that ended before another began has been replaced, as any recording.
	if len(files) == 0 || len(files) > len(cmds) {
		t.Errorf("%d files", len(files))
	}
	r := faultRun{faultTest: f, goroutines: 2, calls: 20000}
	for _, file := range files {
		if info, calls := r.read(t, file); calls != 40000 || !info.Complete || info.Lost > 0 {
			t.Errorf("%s: %d calls, %+v", file, calls, info)
		}
	}
}
