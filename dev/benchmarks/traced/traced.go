// Package traced holds the functions whose calls are measured. Package plain
// holds the same ones; waymark instruments these only.
package traced

import "time"

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

// Ints, Text, Struct, Pointer and Bytes are Leaf with other parameters, which are recorded.
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

//go:noinline
func Pointer(o *Order) int {
	s := o.ID * 0x9E37
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ len(o.Name)
}

//go:noinline
func Bytes(b []byte) int {
	s := len(b) * 0x9E37
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ int(b[0])
}

// Empty has nothing to do.
//
//go:noinline
func Empty(a int) int { return a }

// Busy does n steps from s, each of which needs the result of the one before: how the
// loop is aligned makes no difference then.
//
//go:noinline
func Busy(n, s int) int {
	for range n {
		s = s*0x9E37 + 1
	}
	return s
}

// Catch recovers from what Throw panics with.
//
//go:noinline
func Catch(v any) (r any) {
	defer func() { r = recover() }()
	Throw(v)
	return nil
}

// Throw panics.
//
//go:noinline
func Throw(v any) { panic(v) }

// Request calls f: the root of a trace.
//
//go:noinline
func Request(f func()) { f() }

// Receive parks the goroutine until there is something to receive.
//
//go:noinline
func Receive(c <-chan int) int { return <-c }

// Sleep parks the goroutine for a time.
//
//go:noinline
func Sleep(d time.Duration) { time.Sleep(d) }

// What Make and MakeTiny make lies in the heap because it is here.
var (
	//lint:ignore U1000 Nobody reads it.
	made *Order
	//lint:ignore U1000 Nobody reads it.
	tiny *byte
)

// Make makes n objects of 40 bytes.
//
//go:noinline
func Make(n int) {
	for range n {
		made = new(Order)
	}
}

// MakeTiny makes n objects of a byte, 16 of which share a place in the heap.
//
//go:noinline
func MakeTiny(n int) {
	for range n {
		tiny = new(byte)
	}
}
