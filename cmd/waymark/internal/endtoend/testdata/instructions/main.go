// Instructions calls the function that its argument names, again and again, and a mark before each call.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

type Item struct {
	ID    int
	Name  string
	Price float64
	Sold  bool
}

//go:noinline
func Leaf(a, b int) int { return a*b + 3 }

//go:noinline
func Text(s string, n int) int { return len(s) + n }

//go:noinline
func Struct(i Item) int { return i.ID + len(i.Name) }

// mark is in assembly: nothing instruments it.
func mark()

// Whoever counts instructions looks at the first thread only.
func init() { runtime.LockOSThread() }

func main() {
	debug.SetGCPercent(-1)
	n := 1
	switch os.Args[1] {
	case "Leaf":
		for {
			mark()
			n = Leaf(n, 3)
		}
	case "Text":
		for {
			mark()
			n = Text("some text", n)
		}
	case "Struct":
		for {
			mark()
			n = Struct(Item{n, "some text", 1.5, true})
		}
	}
}
