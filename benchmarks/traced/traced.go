// Package traced holds the functions whose calls are measured. Package plain
// holds the same ones; waymark instruments these only.
package traced

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

// An Order is a struct that is passed by value.
type Order struct {
	ID     int
	Name   string
	Amount float64
	Open   bool
}

// Ints, Text and Struct are Leaf with other parameters, which are recorded.
//
//go:noinline
func Ints(a, n int) int {
	s := a * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

//go:noinline
func Text(name string, n int) int {
	s := len(name) * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

//go:noinline
func Struct(o Order) int {
	s := o.ID * 0x9E37
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ len(o.Name)
}
