//go:build unix

package sampler

import (
	"syscall"
	"time"
)

// processTime returns the CPU time of the process.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return elapsed()
	}
	return time.Duration(u.Utime.Nano())
}

// systemCall returns a function that is in a system call until end is called.
func systemCall() (f, end func()) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	return func() {
		syscall.Read(fds[0], make([]byte, 1))
		syscall.Close(fds[0])
	}, func() { syscall.Close(fds[1]) }
}
