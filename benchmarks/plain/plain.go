// Package plain holds what package traced does, not instrumented.
package plain

// Leaf takes about 2 to 3 ns. It has no loop: how a short loop is aligned would
// make more of a difference than what is measured.
//
//go:noinline
func Leaf(a, n int) int {
	s := a * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

// Recurse calls itself n levels deep, with nothing else to do.
//
//go:noinline
func Recurse(n int) int {
	if n == 0 {
		return 0
	}
	return Recurse(n-1) + 1
}
