//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package cputime

import "syscall"

// Process returns the CPU time that the process has taken, in ns; 0 if the kernel does not say.
func Process() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func ofThread() (thread int, ns int64) { return 0, 0 }

const canBringUp = false

func bringUp(thread uint64) {}
