// Command pauses prints how much CPU time the program has taken while waymark paused for a millisecond, the median of
// many pauses, ns. A goroutine is always busy, on the only P.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/waymark-go/waymark/internal/program/rt"
)

const pauses = 101

func main() {
	runtime.GOMAXPROCS(1)
	took := make(chan []int64)
	rt.Go(func() {
		var list []int64
		for range pauses {
			before := cpu()
			if !rt.Pause(1e6) {
				fmt.Println("no pause")
				os.Exit(1)
			}
			list = append(list, cpu()-before)
		}
		took <- list
	})
	for n := 0; ; n++ {
		select {
		case list := <-took:
			slices.Sort(list)
			fmt.Println(list[pauses/2])
			return
		default:
			busy(n)
		}
	}
}

// cpu returns the CPU time of the process, ns.
func cpu() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

var sink int

// busy takes some milliseconds, and calls nothing.
//
//go:noinline
func busy(n int) {
	for i := range 10_000_000 {
		sink += i ^ n
	}
}
