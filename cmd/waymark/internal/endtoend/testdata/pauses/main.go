// Command pauses has goroutines of waymark's pause.
//
//	pauses busy       beside a goroutine that has the only P: prints how much CPU time the program takes
//	                  while waymark pauses for a millisecond, ns, the median of many pauses
//	pauses works      a goroutine of waymark's works for many slices of time, beside many that are busy: prints how
//	                  many times as much CPU time the program takes meanwhile as if it were alone
//	pauses calls      the same with calls of the system that take 30 ms each: prints how much CPU time the program takes
//	                  for each, ns, the median
//	pauses allocates  beside many goroutines that do nothing else a goroutine of waymark's allocates memory: prints how
//	                  often the program takes more than 100 ms of CPU time meanwhile
//	pauses wakes      the program wakes a goroutine of waymark's, and many others: prints how much CPU time it takes
//	                  until waymark's runs, ns, the median
//	pauses watches    a goroutine of waymark's measures CPU time and lets others run meanwhile: prints how often it takes
//	                  more than a millisecond for its own
//	pauses spins      two goroutines of waymark's wait for the program without letting it have the only P
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

	"github.com/waymark-go/waymark/internal/program/cputime"
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
		beside20()
		fmt.Println(work() / alone)
	case "calls":
		beside20()
		fmt.Println(calls())
	case "allocates":
		fmt.Println(allocates())
	case "watches":
		beside20()
		fmt.Println(watches())
	case "wakes":
		fmt.Println(wakes())
	case "spins":
		var said atomic.Bool
		heard := make(chan bool)
		for range 2 {
			rt.Go(func() {
				heard <- true
				for !said.Load() {
				}
				heard <- true
			})
		}
		<-heard
		<-heard
		for n := range 5 { // some slices of time
			busy(n)
		}
		said.Store(true)
		<-heard
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
			return median(list)
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

// calls returns how much CPU time the program takes while a goroutine of waymark's is in a call of the system for 30 ms
// and comes back, ns, the median.
func calls() int64 {
	const calls = 5
	took := make(chan int64)
	rt.Go(func() {
		var list []int64
		for range calls {
			before := cpu()
			syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 30_000})
			list = append(list, cpu()-before)
		}
		took <- median(list)
	})
	return <-took
}

func median(list []int64) int64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// allocates returns how often the program takes more than 100 ms of CPU time while a goroutine of waymark's allocates
// 16 KB. Beside it twenty others allocate memory and keep some.
func allocates() int {
	const pieces, long = 100_000, 100e6
	took := make(chan int)
	for range 20 {
		go func() {
			var kept [256][]*int
			for n := 0; ; n++ {
				piece := make([]*int, 1<<10)
				for i := range piece {
					piece[i] = new(int)
				}
				kept[n%len(kept)] = piece
			}
		}()
	}
	rt.Go(func() {
		n := 0
		for range pieces {
			before := cpu()
			if memory = make([]byte, 16<<10); cpu()-before > long {
				n++
			}
		}
		took <- n
	})
	return <-took
}

var memory []byte

// watches returns how often others' CPU time is taken for that of a goroutine of waymark's.
func watches() int {
	const watches = 20
	took := make(chan int)
	rt.Go(func() {
		n := 0
		for range watches {
			w := cputime.Begin()
			runtime.Gosched()
			if ns, ok := w.End(); ok && ns > 1e6 {
				n++
			}
		}
		took <- n
	})
	return <-took
}

// wakes returns how much CPU time the program takes from when it wakes a goroutine of waymark's until that runs, ns, the
// median. Many others were woken before, and another one is woken then, which is the next to run but for waymark's.
func wakes() int64 {
	const wakes, many = 5, 20 // each time some 200 ms
	wake, took := make(chan int64), make(chan int64)
	rt.Go(func() {
		var list []int64
		for range wakes {
			before := <-wake
			list = append(list, cpu()-before)
		}
		took <- median(list)
	})
	var others [many + 1]chan bool
	for i := range others {
		others[i] = make(chan bool)
		go func() {
			for range others[i] {
				busy(i)
			}
		}()
	}
	for range wakes {
		for _, other := range others[:many] {
			other <- true
		}
		wake <- cpu()
		others[many] <- true
	}
	return <-took
}

// beside20 has twenty goroutines busy.
func beside20() {
	for range 20 {
		go func() {
			for n := 0; ; n++ {
				busy(n)
			}
		}()
	}
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
