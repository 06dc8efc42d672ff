package runtime

import "unsafe"

// wmPID tells processes that are copies of each other apart.
func wmPID() int { return getpid() }

// wmMapped tells whether the page at p can be read.
func wmMapped(p uintptr) bool {
	var residence byte
	return mincore(unsafe.Pointer(p), physPageSize, (*byte)(noescape(unsafe.Pointer(&residence)))) == 0
}
