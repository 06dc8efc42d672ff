package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/tracefile"
)

// Writing fails after a while, of whatever cause. It may succeed again later: recording
// has ended, and the file with it.
func (f *faultTest) disk(t *testing.T) {
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EFBIG, syscall.EROFS} {
		t.Run(unix.ErrnoName(e), func(t *testing.T) {
			r := faultRun{faultTest: f, calls: 1_000_000}
			r.Refuse = []refusal{{unix.SYS_PWRITE64, e, offset, 500_000}}
			// What has to be written at the end is refused as well: the arena is left, and
			// nothing is lost.
			r.env = []string{"GOMAXPROCS=1"}
			r.run(t)
			info, calls := r.read(t, r.trace)
			if calls == 0 || calls >= 1_000_000 || info.Complete || info.Stopped != tracefile.StoppedFailed || info.Recovered == 0 || info.Lost != 0 {
				t.Errorf("%d calls, %+v", calls, info)
			}
		})
	}
	t.Run("first write", func(t *testing.T) {
		r := faultRun{faultTest: f}
		r.Refuse = []refusal{{Call: unix.SYS_PWRITE64, Errno: syscall.EIO}}
		r.untraced(t, "input/output error")
	})
	t.Run("reserving", func(t *testing.T) {
		for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
			r := faultRun{faultTest: f}
			r.Refuse = []refusal{{Call: unix.SYS_FALLOCATE, Errno: e}}
			r.untraced(t, e.Error())
		}
	})
	t.Run("file size", func(t *testing.T) {
		// The kernel would send SIGXFSZ, too.
		r := faultRun{faultTest: f, calls: 1_000_000, settings: ",buffers=4MiB"}
		r.Limits = map[int]uint64{unix.RLIMIT_FSIZE: 500_000}
		r.untraced(t, "ulimit -f")
		limit := uint64(4*runtime.NumCPU()+70) << 16 // enough for the smallest buffers
		r = faultRun{faultTest: f, calls: int(limit / 3), settings: ",buffers=2MiB"}
		r.Limits = map[int]uint64{unix.RLIMIT_FSIZE: limit}
		r.stopped(t, "ulimit -f")
	})
	t.Run("space again", func(t *testing.T) {
		dir := mountSmall(t, "4m")
		ballast := filepath.Join(dir, "ballast")
		// Of a given size a recording takes the last of the disk, too.
		r := faultRun{faultTest: f, trace: filepath.Join(dir, "f.wmt"), calls: 4_000_000, settings: ",max-size=1GB"}
		r.pause = func(*exec.Cmd) {
			os.WriteFile(ballast, make([]byte, 4<<20), 0o666)
			t.Cleanup(func() { os.Remove(ballast) })
		}
		r.stopped(t, "no space left on device")
	})
	t.Run("parts", func(t *testing.T) {
		r := faultRun{faultTest: f, calls: 500_000, settings: ",max-size=1MB,rotate=3"}
		r.Refuse = []refusal{{Call: sysRename, Errno: syscall.EIO}}
		r.stopped(t, "input/output error")
	})
	t.Run("dumps", func(t *testing.T) {
		// Dump returns the error, and leaves no file.
		said := filepath.Join(t.TempDir(), "said")
		r := faultRun{faultTest: f, calls: 400_000, settings: ",overflow=ring,buffers=6MiB", thing: "dump " + said}
		r.Refuse = []refusal{{unix.SYS_PWRITE64, syscall.ENOSPC, offset, 100_000}}
		r.run(t)
		b, err := os.ReadFile(said)
		if err != nil || strings.Count(string(b), `"" write `) != 3 || strings.Count(string(b), "no space left on device") != 3 || r.said != "" {
			t.Errorf("Dump said %s, %v; on stderr is %q", b, err, r.said)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(r.trace), "*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}
