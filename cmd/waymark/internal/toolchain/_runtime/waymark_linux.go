package runtime

import "unsafe"

// wmMapped tells whether the page at p can be read.
func wmMapped(p uintptr) bool {
	var residence byte
	return mincore(unsafe.Pointer(p), physPageSize, (*byte)(noescape(unsafe.Pointer(&residence)))) == 0
}
