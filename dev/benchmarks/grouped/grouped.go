// Package grouped has functions in groups, to measure what monitors cost. Their code is that of
// package plain's.
package grouped

import "github.com/waymark-go/waymark"

var (
	Leafs  = waymark.NewGroup("bench.Leafs")
	Others = waymark.NewGroup("bench.Others")
	Third  = waymark.NewGroup("bench.Third")
	All    = waymark.NewGroup("bench.All", Leafs, Others, Third)
)

// Leaf is plain.Leaf: two arguments and a result, which monitors get.
//
//waymark:group Leafs
//go:noinline
func Leaf(a, n int) int {
	s := a * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

// Recurse is plain.Recurse.
//
//waymark:group Third
//go:noinline
func Recurse(n int) int {
	if n == 0 {
		return 0
	}
	return Recurse(n-1) + 1
}

//waymark:group Others
//go:noinline
func Other() {}
