package endtoend

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// System calls that the recorder makes are refused, as in a sandbox: each alone, then all.
func (f *faultTest) calls(t *testing.T) {
	all := []struct {
		name   string
		call   uintptr
		needed bool // to record
	}{
		{"openat", unix.SYS_OPENAT, true},
		{"flock", unix.SYS_FLOCK, true},
		{"ftruncate", unix.SYS_FTRUNCATE, true},
		{"fstat", unix.SYS_FSTAT, true},
		{"pwrite64", unix.SYS_PWRITE64, true},
		{"fallocate", unix.SYS_FALLOCATE, false},
		{"fstatfs", unix.SYS_FSTATFS, false},
		{"madvise", unix.SYS_MADVISE, false},
		{"mincore", unix.SYS_MINCORE, false},
		{"fcntl", unix.SYS_FCNTL, false},
		{"linkat", unix.SYS_LINKAT, false},
		{"getdents64", unix.SYS_GETDENTS64, false},
		{"readlinkat", unix.SYS_READLINKAT, false},
		{"prlimit64", unix.SYS_PRLIMIT64, false},
		{"ppoll", unix.SYS_PPOLL, false},
		{"uname", unix.SYS_UNAME, false},
	}
	everything := faultRun{faultTest: f}
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOSYS} {
		for _, c := range all {
			t.Run(c.name+" "+unix.ErrnoName(errno), func(t *testing.T) {
				no := refusal{Call: c.call, Errno: errno}
				if c.name == "fcntl" {
					no.Arg, no.From = 1, unix.F_DUPFD_CLOEXEC // the runtime itself needs others
				}
				everything.Refuse = append(everything.Refuse, no)
				r := faultRun{faultTest: f}
				r.Refuse = []refusal{no}
				if c.needed {
					r.untraced(t, errno.Error())
				} else {
					r.complete(t)
				}
			})
		}
	}
	t.Run("unlinkat", func(t *testing.T) {
		// The arena is left, and the first reader removes it.
		r := faultRun{faultTest: f}
		r.Refuse = []refusal{{Call: unix.SYS_UNLINKAT, Errno: syscall.EPERM}}
		r.complete(t)
	})
	t.Run("all", func(t *testing.T) { everything.untraced(t, "not permitted") })
}
