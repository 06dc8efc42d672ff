// Cost measures its own calls: for each line that it reads, a number, it makes so many calls of functions and prints how
// long each took, ns: of one that is called in a loop, and of one that calls another one.
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
		fmt.Printf("took %.3f %.3f\n", float64(leaf)/float64(n), float64(time.Since(begin))/float64(n/25*25))
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
	if b == 1<<62 {
		fmt.Println("never")
	}
	return b
}

// Recursion calls itself so many times.
//
//go:noinline
func Recursion(n, v int) int {
	if n == 0 {
		return v
	}
	return Recursion(n-1, v^n) + 1
}
