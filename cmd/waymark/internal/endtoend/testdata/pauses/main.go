// Command pauses prints how much CPU time the program has taken while waymark paused for a millisecond, the median of
// many pauses, ns. A goroutine is always busy, on the only P. Then it ends pauses that would take longer than any test.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
)

const (
	pauses = 101
	rings  = 10_000
)

func main() {
	runtime.GOMAXPROCS(1)
	took := make(chan []int64)
	rt.Go(func() {
		var list []int64
		for range pauses {
			before := cpu()
			if !rt.Pause(1e6, nil, 0) {
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
			ring()
			return
		default:
			busy(n)
		}
	}
}

// ring ends a pause again and again, often just when it begins.
func ring() {
	var word uint32
	ended := make(chan bool)
	rt.Go(func() {
		for n := range uint32(rings) {
			for atomic.LoadUint32(&word) == n {
				rt.Pause(int64(time.Hour), &word, n)
			}
			ended <- true
		}
	})
	for n := range rings {
		for range n % 10 {
			runtime.Gosched()
		}
		atomic.AddUint32(&word, 1)
		rt.Unpause(&word)
		<-ended
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
