// Command pauses has goroutines of waymark's pause.
//
//	pauses busy       beside a goroutine that has the only P: prints how much CPU time the program takes
//	                  while waymark pauses for a millisecond, ns, the median of many pauses
//	pauses works      a goroutine of waymark's works for many slices of time, beside many that are busy: prints how
//	                  many times as much CPU time the program takes meanwhile as if it were alone
//	pauses spins      a goroutine of waymark's waits for the program without letting it have the only P
//	pauses ring       pauses that would take longer than any test are ended, alone and beside it
//	pauses awaited    the program waits for what comes after a pause
//	pauses deadlock   it waits for nothing, while waymark pauses
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/waymark-go/waymark/internal/program/rt"
)

const pauses = 101

func main() {
	runtime.GOMAXPROCS(1)
	switch os.Args[1] {
	case "busy":
		fmt.Println(late())
	case "works":
		alone := work()
		for range 20 {
			go func() {
				for n := 0; ; n++ {
					busy(n)
				}
			}()
		}
		fmt.Println(work() / alone)
	case "spins":
		var said atomic.Bool
		heard := make(chan bool)
		rt.Go(func() {
			heard <- true
			for !said.Load() {
			}
			heard <- true
		})
		<-heard
		said.Store(true)
		<-heard
	case "ring":
		ring(10_000)
		go func() {
			for n := 0; ; n++ {
				busy(n)
			}
		}()
		ring(20)
	case "awaited", "deadlock":
		after := make(chan bool)
		rt.Go(func() {
			rt.Pause(50e6, nil, 0, os.Args[1] == "awaited")
			after <- true
		})
		<-after
	}
}

// late returns how much CPU time is taken in a pause of a millisecond, ns.
func late() int64 {
	took := make(chan []int64)
	rt.Go(func() {
		var list []int64
		for range pauses {
			before := cpu()
			if !rt.Pause(1e6, nil, 0, false) {
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
			return list[pauses/2]
		default:
			busy(n)
		}
	}
}

// work returns how much CPU time the program takes while a goroutine of waymark's works for some 200 ms, ns.
func work() int64 {
	took := make(chan int64)
	rt.Go(func() {
		before := cpu()
		for n := range 50 {
			busy(n)
		}
		took <- cpu() - before
	})
	return <-took
}

// ring ends a pause again and again, often just when it begins.
func ring(rings int) {
	var word uint32
	ended := make(chan bool)
	rt.Go(func() {
		for n := range uint32(rings) {
			for atomic.LoadUint32(&word) == n {
				rt.Pause(math.MaxInt64, &word, n, false)
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
