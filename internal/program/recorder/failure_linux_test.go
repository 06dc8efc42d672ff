//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// limitFiles has no file get larger than so many bytes, until the function that it returns is
// called.
func limitFiles(t *testing.T, size uint64) (restore func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	return func() { syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) }
}

// Whatever becomes of its files, a recording ends with one line on stderr. The file holds what it
// can, and the next recording is a good one.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		harm   func(f *fake, r *Recorder) (restore func())
		says   []string
		lost   bool // events are
		exists bool // the trace file does
		files  []string
	}{
		{
			name:   "no room for more",
			harm:   func(f *fake, r *Recorder) func() { return limitFiles(f.t, 50_000) },
			says:   []string{"file too large: the limit is 50000 bytes", "recording has stopped", "events are lost"},
			exists: true, lost: true, files: []string{"a.wmt"},
		},
		{
			name: "no room for the end either",
			harm: func(f *fake, r *Recorder) func() {
				fi, err := os.Stat(r.Path())
				if err != nil {
					f.t.Fatal(err)
				}
				return limitFiles(f.t, uint64(fi.Size())+1)
			},
			says:   []string{"file too large", "a.wmt.live hold what was recorded before"},
			exists: true, files: []string{"a.wmt", "a.wmt.live"},
		},
		{
			name: "trace file removed",
			harm: func(f *fake, r *Recorder) func() { os.Remove(r.Path()); return nil },
			says: []string{"a.wmt was removed by another program; recording has stopped", "events are lost"},
			lost: true,
		},
		{
			name:   "arena cut",
			harm:   func(f *fake, r *Recorder) func() { f.setBroken(); return nil },
			says:   []string{"a.wmt.live was cut or overwritten", "recording has stopped"},
			exists: true, lost: true, files: []string{"a.wmt"},
		},
		{
			name:   "arena overwritten",
			harm:   func(f *fake, r *Recorder) func() { clear(f.arena[:64]); return nil },
			says:   []string{"a.wmt.live was cut or overwritten"},
			exists: true, lost: true, files: []string{"a.wmt"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.pkg("p", 1)
			before := descriptors(t)
			r := f.start(c.config)
			f.call(0, 1, 1, 100)
			text := said(func() {
				if restore := c.harm(f, r); restore != nil {
					defer restore()
				}
				for i := 0; i < 1000 && !r.Ended(); i++ {
					f.call(0, 1, 1, 1000)
				}
				f.group.Wait()
			})
			if !r.Ended() {
				t.Error("it goes on")
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) || strings.Count(text, "\n") != 1 {
					t.Errorf("stderr is %q; want one line with %q", text, s)
				}
			}
			path := r.Path()
			// Close returns back what the recording holds, the next recording too if nobody has.
			if c.lost {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			next := f.start(Config{})
			if f.call(0, 1, 1, 7); next.Close() != nil {
				t.Error("the next one fails")
			}
			is(t, next.Path(), map[string]int{"p.Fa": 7})
			if got := names(t, path); !slices.Equal(got, c.files) {
				t.Errorf("files %v, want %v", got, c.files)
			}
			if c.exists {
				info := read(t, path).info
				if info.Stopped != tracefile.StoppedFailed || info.Lost > 0 != c.lost || info.Damaged != 0 {
					t.Errorf("%+v; want one that failed, undamaged, with lost events: %v", info, c.lost)
				}
			}
			if n := descriptors(t); n != before {
				t.Errorf("%d descriptors before, %d after", before, n)
			}
		})
	}
}

// A trace file that is cut to nothing, as logrotate does, begins anew.
func TestCut(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 2)
	r := f.start(Config{})
	f.call(0, 1, 1, 100_000)
	f.wait("blocks are written", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.out.written.events > 0 })
	text := said(func() {
		r.mu.Lock()
		err := os.Truncate(r.Path(), 0)
		r.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		f.call(0, 1, 2, 100_000)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if !strings.Contains(text, "a.wmt was cut to 0 bytes by another program") || !strings.Contains(text, "recording goes on") {
		t.Errorf("stderr is %q; want that it was cut and goes on", text)
	}
	c := read(t, r.Path())
	if !c.info.Complete || c.info.Damaged != 0 || c.calls["p.Fb"] != 100_000 || c.info.Events+c.info.Lost != 400_000 || c.info.Lost == 0 {
		t.Errorf("%+v with calls %v; want a complete one with 400,000 events, of which some are lost, and all of p.Fb", c.info, c.calls)
	}
}

// What is left when the file can't be completed is completed by its first reader, although the
// process lives.
func TestEndFails(t *testing.T) {
	for _, overflow := range []rt.Overflow{rt.Block, rt.Ring} {
		f := newFake(t)
		f.pkg("p", 1)
		r := f.start(Config{Overflow: overflow, DumpAtExit: overflow == rt.Ring})
		f.call(0, 1, 1, 100)
		fi, err := os.Stat(r.Path())
		if err != nil {
			t.Fatal(err)
		}
		restore := limitFiles(t, uint64(fi.Size())+1)
		text := said(f.exit)
		restore()
		if want := "complete " + r.Path(); !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("overflow %d: stderr is %q; want one line with %q", overflow, text, want)
		}
		if err := r.Close(); err != nil { // gives the lock back
			t.Error(err)
		}
		if c := read(t, r.Path()); c.calls["p.Fa"] != 100 || c.info.Recovered != 200 || c.info.Live {
			t.Errorf("overflow %d: %+v with calls %v; want 100 of p.Fa, recovered", overflow, c.info, c.calls)
		}
	}
}

// The program has closed all descriptors, as a daemon does.
func TestDescriptorsClosed(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{})
	r.mu.Lock()
	syscall.Close(r.out.file.fd)
	syscall.Close(r.arena.file.fd)
	r.mu.Unlock()
	f.call(0, 1, 1, 50_000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	is(t, r.Path(), map[string]int{"p.Fa": 50_000})

	r = f.start(Config{})
	r.mu.Lock()
	syscall.Close(r.out.file.fd)
	err := os.Rename(r.Path(), r.Path()+".old")
	if err == nil {
		err = os.WriteFile(r.Path(), []byte("mine"), 0o600)
	}
	var closed error
	text := said(func() {
		r.mu.Unlock() // the writer could not open the file again before
		f.call(0, 1, 1, 50_000)
		closed = r.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	// Close finds it itself on a machine so busy that the background goroutine has not run yet.
	if told := text + fmt.Sprint(closed); !strings.Contains(told, "another file is there now") {
		t.Errorf("stderr is %q, Close returns %v; want that another file is there", text, closed)
	}
	if b, err := os.ReadFile(r.Path()); string(b) != "mine" {
		t.Errorf("%q, %v; want mine", b, err)
	}
}

// Of two programs that record to one file the second gets a file of its own.
func TestBusy(t *testing.T) {
	f, g := newFake(t), newFake(t)
	f.pkg("p", 1)
	g.pkg("q", 1)
	r := f.start(Config{})
	s := g.start(Config{Path: r.Path()})
	if want := format.OfProcess(r.Path(), os.Getpid(), 1); s.Path() != want {
		t.Errorf("the second records to %s, want %s", s.Path(), want)
	}
	f.call(0, 1, 1, 1)
	g.call(0, 1, 1, 2)
	r.Close()
	s.Close()
	is(t, r.Path(), map[string]int{"p.Fa": 1})
	is(t, s.Path(), map[string]int{"q.Fa": 2})
}

// The arena of a process that is dead is replaced, another file isn't.
func TestStaleArena(t *testing.T) {
	f := newFake(t)
	path := filepath.Join(t.TempDir(), "a.wmt")
	control := make([]byte, format.ChunkSize)
	format.PutControl(control, format.Control{PID: 1})
	temporary := fmt.Sprintf("%s%s.%d", path, arenaSuffix, os.Getpid())
	for _, name := range []string{path + arenaSuffix, temporary} {
		if err := os.WriteFile(name, control, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := f.start(Config{Path: path})
	if r.Path() != path {
		t.Errorf("it records to %s, want %s", r.Path(), path)
	}
	r.Close()
	if got, want := names(t, path), []string{"a.wmt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if err := os.WriteFile(path+arenaSuffix, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	if r, err := f.try(Config{Path: path}); err == nil || !strings.Contains(err.Error(), "not an arena of waymark's") {
		t.Errorf("%v, %v; want an error: it is another file", r, err)
	}
	if n := descriptors(t); n != before {
		t.Errorf("%d descriptors before, %d after", before, n)
	}
}

// While the program is dying, memory stays: a signal's handler may write there.
func TestDying(t *testing.T) {
	f := newFake(t)
	r := f.start(Config{})
	mem := r.arena.mem
	f.dying = true
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	mem[0]++ // would be fatal
}

// A limit of file sizes that the buffers exceed is an error, not a signal.
func TestNoRoomForBuffers(t *testing.T) {
	f := newFake(t)
	path := filepath.Join(t.TempDir(), "a.wmt")
	before := descriptors(t)
	restore := limitFiles(t, 1<<20)
	r, err := f.try(Config{Path: path})
	restore()
	if err == nil || !strings.Contains(err.Error(), "buffers: write") || !strings.Contains(err.Error(), "the limit is 1048576 bytes") {
		t.Errorf("%v, %v; want an error with the limit", r, err)
	}
	if got := names(t, path); len(got) > 0 {
		t.Errorf("files %v are left, want none", got)
	}
	if n := descriptors(t); n != before {
		t.Errorf("%d descriptors before, %d after", before, n)
	}
}
