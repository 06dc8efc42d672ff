//go:build linux && amd64

package patch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A worker is a process of testdata/work.
type worker struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// built returns the path of testdata/work, built with these flags.
func built(t *testing.T, env []string, flags ...string) string {
	t.Helper()
	return builtOf(t, "work", env, flags...)
}

// builtOf returns the path of a program of testdata, built with these flags.
func builtOf(t *testing.T, program string, env []string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), program)
	cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), "main.go")...)
	cmd.Dir, cmd.Env = filepath.Join("testdata", program), append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %v: %v\n%s", flags, err, b)
	}
	return out
}

func start(t *testing.T, program string, env ...string) *worker {
	t.Helper()
	return startWith(t, program, nil, env...)
}

func startWith(t *testing.T, program string, args []string, env ...string) *worker {
	t.Helper()
	w := &worker{t: t, cmd: exec.Command(program, args...)}
	w.cmd.Env, w.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewScanner(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill(); w.cmd.Wait() })
	if !w.out.Scan() || !strings.HasPrefix(w.out.Text(), "ready") {
		t.Fatalf("the program says %q", w.out.Text())
	}
	return w
}

// work has the program make calls, and returns how many of which function.
func (w *worker) work(rounds int) map[string]int64 {
	fmt.Fprintln(w.in, "go", rounds)
	return w.counts()
}

func (w *worker) counts() map[string]int64 {
	w.t.Helper()
	counts := make(map[string]int64)
	for w.out.Scan() {
		var name string
		var n int64
		if w.out.Text() == "done" {
			return counts
		}
		if _, err := fmt.Sscan(w.out.Text(), new(string), &name, &n); err == nil {
			counts[name] = n
		}
	}
	w.t.Fatalf("the program has ended: %v", w.cmd.Wait())
	return nil
}

func (w *worker) end() {
	w.t.Helper()
	fmt.Fprintln(w.in, "end")
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("the program ended with %v", err)
	}
}

// attach attaches to the program, if that may be.
func (w *worker) attach() *Target {
	w.t.Helper()
	target, err := Attach(w.cmd.Process.Pid, false)
	if errors.Is(err, fs.ErrPermission) {
		w.t.Skipf("nothing may be traced here: %v", err)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return target
}

// followed has the program make calls, and a follower tell them all. It returns what the program has counted.
func (w *worker) followed(target *Target, f *Follower, rounds int) (made map[string]int64) {
	fmt.Fprintln(w.in, "go", rounds)
	done := make(chan map[string]int64)
	go func() { done <- w.counts() }()
	for {
		select {
		case made = <-done:
		default:
		}
		now, _ := Clock()
		some, until := target.Drain(true, now, f.Add)
		if f.Tell(until); made != nil && !some {
			return made
		}
	}
}

// undone closes a target, and checks that the program's code is as in its file.
func (w *worker) undone(target *Target) {
	w.t.Helper()
	if err := target.Close(); err != nil {
		w.t.Error(err)
	}
	again := w.attach()
	defer again.Close()
	if n, err := again.Differences(); n != 0 || err != nil {
		w.t.Errorf("%d bytes differ from the file, %v", n, err)
	}
}

// tally counts events by site.
type tally struct {
	begins, ends map[uint32]int64
	codes        map[uint64]int64
}

func newTally() *tally {
	return &tally{make(map[uint32]int64), make(map[uint32]int64), make(map[uint64]int64)}
}

func (c *tally) add(p *Part) {
	list := p.Records()
	for i := 0; i < len(list); i += 1 + follows(list, i) {
		r := list[i]
		site := uint32(r.Word >> format.SiteShift)
		switch code, _, ok := codeOf(r); {
		case ok:
			c.codes[code]++
		case r.Word&format.ExitBit != 0:
			c.ends[site&format.SiteMask]++
		default:
			c.begins[site]++
		}
	}
}

// drained drains until stop is closed, and then what is left.
func drained(target *Target, add func(*Part), stop chan struct{}) {
	for {
		select {
		case <-stop:
			for some := true; some; some, _ = target.Drain(true, 0, add) {
			}
			return
		default:
			if some, _ := target.Drain(false, 0, add); !some {
				time.Sleep(200 * time.Microsecond)
			}
		}
	}
}

func ofMain(im *image.Image) (list []Wanted) {
	for _, f := range im.Funcs {
		if strings.HasPrefix(f.Name, "main.") && f.Name != "main.main" {
			list = append(list, Wanted{Func: f})
		}
	}
	return list
}
