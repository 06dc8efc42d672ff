//go:build !linux

package clock

// sources gives nothing: no system but Linux has such a list.
func sources() string { return "" }
