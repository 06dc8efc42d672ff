// Cost measures its own calls: for each line that it reads, a number, it makes so many calls of functions and prints how
// long each took, ns: of one that is called in a loop, of one that calls itself, of one that has a text, and of one that has
// a struct of four fields.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		n, _ := strconv.Atoi(in.Text())
		if n == 0 {
			return
		}
		begin := time.Now()
		for i := range n {
			kept += Leaf(i, kept)
		}
		leaf := time.Since(begin)
		begin = time.Now()
		for i := range n / 25 {
			kept += Recursion(24, i)
		}
		recursion := time.Since(begin)
		begin = time.Now()
		for i := range n {
			kept += Text(i, "/path/to/it")
		}
		text := time.Since(begin)
		begin = time.Now()
		for i := range n {
			kept += Struct(Order{ID: i, Customer: "somebody", Sum: 1.5, Paid: true})
		}
		each := func(d time.Duration) float64 { return float64(d) / float64(n) }
		fmt.Printf("took %.3f %.3f %.3f %.3f\n", each(leaf), float64(recursion)/float64(n/25*25), each(text), each(time.Since(begin)))
	}
}

var kept int

// Leaf is a call, and does little.
//
//go:noinline
func Leaf(a, b int) int {
	for i := range a & 3 {
		b = b*31 ^ i
	}
	if b == 1<<62 { // @Leaf
		fmt.Println("never")
	}
	return b
}

// Recursion calls itself so many times.
//
//go:noinline
func Recursion(n, v int) int {
	if n == 0 { // @Recursion
		return v
	}
	return Recursion(n-1, v^n) + 1
}

// Text has a number and a text.
//
//go:noinline
func Text(a int, s string) int {
	if a == -1 { // @Text
		fmt.Println("never")
	}
	return a + len(s)
}

// An Order has four fields.
type Order struct {
	ID       int
	Customer string
	Sum      float64
	Paid     bool
}

// Struct has a struct.
//
//go:noinline
func Struct(o Order) int {
	if o.ID == -1 { // @Struct
		fmt.Println("never")
	}
	return o.ID + len(o.Customer)
}
