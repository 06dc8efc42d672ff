package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Places where no trace file can be. A trace file is written at offsets and completed
// by others after a kill, so it is a regular file, or nothing is recorded.
func (f *faultTest) output(t *testing.T) {
	dir := openDir(t)
	for _, c := range []struct {
		name, why string
		make      func(path string) error
	}{
		{"fifo", "not a regular file", func(path string) error { return syscall.Mkfifo(path, 0o666) }},
		{"folder", "not a regular file", func(path string) error { return os.Mkdir(path, 0o777) }},
		{"link", "not a regular file", func(path string) error { return os.Symlink("nowhere", path) }},
		{"none/f.wmt", "no such file or directory", nil},
		{strings.Repeat("long", 64), "file name too long", nil},
		{strings.Repeat("long", 63), "file name too long", nil}, // with .live
	} {
		t.Run(c.name[:4], func(t *testing.T) {
			r := faultRun{faultTest: f, trace: filepath.Join(dir, c.name)}
			if c.make == nil {
				r.untraced(t, c.why)
				return
			}
			if err := c.make(r.trace); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(r.trace)
			r.run(t)
			if !strings.Contains(r.said, c.why) {
				t.Errorf("waymark said %q; want it to name %q", r.said, c.why)
			}
			if now, err := os.Lstat(r.trace); err != nil || !os.SameFile(now, before) {
				t.Errorf("it was replaced: %v", err)
			}
			if left, _ := filepath.Glob(r.trace + "*"); len(left) != 1 {
				t.Errorf("left: %v", left)
			}
		})
	}
	t.Run("full device", func(t *testing.T) {
		needRoot(t) // else it is not permitted
		r := faultRun{faultTest: f, trace: "/dev/full"}
		r.run(t)
		if !strings.Contains(r.said, "not a regular file") {
			t.Errorf("waymark said %q", r.said)
		}
	})
	t.Run("not permitted", func(t *testing.T) {
		needRoot(t)
		r := faultRun{faultTest: f, trace: filepath.Join(t.TempDir(), "f.wmt")}
		r.User = 65534
		r.untraced(t, "permission denied")
	})
	t.Run("read-only", func(t *testing.T) {
		needRoot(t)
		r := faultRun{faultTest: f, trace: filepath.Join(dir, "read-only.wmt")}
		r.ReadOnly = []string{dir}
		r.untraced(t, "read-only file system")
	})
	failing := []refusal{{unix.SYS_PWRITE64, syscall.EIO, offset, 100_000}}
	t.Run("nobody reads stderr", func(t *testing.T) {
		// Package os would end the program by SIGPIPE.
		r := faultRun{faultTest: f, calls: 300_000, thing: "quiet", deaf: true}
		r.Refuse = failing
		r.run(t)
		r.read(t, r.trace)
	})
	t.Run("stderr is another file", func(t *testing.T) {
		own := filepath.Join(dir, "own")
		r := faultRun{faultTest: f, calls: 300_000, thing: "daemon " + own}
		r.Refuse = failing
		r.run(t)
		if b, err := os.ReadFile(own); err != nil || string(b) != "faults: done\n" {
			t.Errorf("the program's file has %q: %v", b, err)
		}
	})
}
