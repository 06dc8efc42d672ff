package endtoend

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Few descriptors, few threads.
func (f *faultTest) limits(t *testing.T) {
	t.Run("few descriptors", func(t *testing.T) {
		for _, limit := range []uint64{6, 201} {
			r := faultRun{faultTest: f, thing: "few"}
			r.Limits = map[int]uint64{unix.RLIMIT_NOFILE: limit}
			r.untraced(t, "ulimit -n")
		}
		r := faultRun{faultTest: f, thing: "few"}
		r.Limits = map[int]uint64{unix.RLIMIT_NOFILE: 202} // the recorder has two from 200 on
		r.complete(t)
	})
	t.Run("all descriptors used", func(t *testing.T) {
		r := faultRun{faultTest: f, thing: "descriptors"}
		r.Limits = map[int]uint64{unix.RLIMIT_NOFILE: 300}
		r.complete(t)
		r = faultRun{faultTest: f, thing: "descriptors", calls: 500_000, settings: ",max-size=1MB,rotate=3"}
		r.Limits = map[int]uint64{unix.RLIMIT_NOFILE: 300}
		r.stopped(t, "too many open files")
	})
	t.Run("buffers stay small", func(t *testing.T) {
		r := faultRun{faultTest: f, goroutines: 30, calls: 10_000}
		r.Refuse = []refusal{{unix.SYS_FALLOCATE, syscall.ENOSPC, 2, 3 << 20}} // its offset
		r.complete(t)
	})
	t.Run("threads", func(t *testing.T) {
		needRoot(t)
		r := faultRun{faultTest: f, goroutines: 30, settings: ",buffers=2MiB", calls: 30_000, env: []string{"GOMAXPROCS=2"}}
		r.Limits = map[int]uint64{unix.RLIMIT_NPROC: 8}
		r.User = 54321 // who has no other processes
		r.complete(t)
	})
}
