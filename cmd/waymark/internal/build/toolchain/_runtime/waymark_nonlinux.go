//go:build !linux

package runtime

// wmPID tells nothing where the arena isn't shared with copies of the process.
func wmPID() int { return 0 }

// wmOnFault is for the arena that is a file, which it is on Linux only.
func wmOnFault(addr uintptr) bool { return false }

// wmMapped tells whether the page at p can be read, if that is known.
func wmMapped(p uintptr) bool { return false }
