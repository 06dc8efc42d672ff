// Package plain holds what package traced does, not instrumented.
package plain

// Leaf takes about 2 to 3 ns.
//
//go:noinline
func Leaf(a, n int) int {
	s := a
	for i := 0; i < n; i++ {
		s += i ^ a
	}
	return s
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
