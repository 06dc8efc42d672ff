//go:build !linux

package clock

// sources returns "": no system but Linux has the list.
func sources() string { return "" }
