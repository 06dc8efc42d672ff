// Package fork tells a process from its copies: raw fork system calls of a program copy locks that others hold for ever.
package fork

import "os"

// A Process is one that began something.
type Process int

// This returns the running process.
func This() Process {
	p := Process(os.Getpid())
	remember(p)
	return p
}

// Running reports whether it is the running process, and not a copy of it. Where the kernel wipes a page for copies
// that takes no system call: tests ask a million times.
func (p Process) Running() bool {
	if known := remembered(); known != 0 {
		return known == p
	}
	return int(p) == os.Getpid()
}
