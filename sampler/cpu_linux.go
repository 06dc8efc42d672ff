package sampler

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of the calling thread.
func cpuTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD, which package syscall lacks
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return elapsed()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
