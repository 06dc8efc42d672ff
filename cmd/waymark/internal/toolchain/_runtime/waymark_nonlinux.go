//go:build !linux

package runtime

// wmMapped tells whether the page at p can be read, if that is known.
func wmMapped(p uintptr) bool { return false }
