// Sampled has a goroutine that runs, one that waits for it, and one in a system call. With the
// argument "threads" its goroutines run on threads that come and go, with "many" there are 10,000
// more, "past" ones have ended. It ends when its input does.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var stop atomic.Bool

//go:noinline
func leaf(n uint64) uint64 { return n*6364136223846793005 + 1 }

//go:noinline
func spin() (n uint64) {
	for !stop.Load() {
		n = leaf(n)
	}
	return n
}

//go:noinline
func burn() uint64 { return spin() + 1 }

//go:noinline
func wait(wg *sync.WaitGroup) { wg.Wait() }

// visit runs for a moment on a thread that ends with it, and has another one follow.
func visit() {
	runtime.LockOSThread()
	for n := range uint64(1000) {
		leaf(n)
	}
	if !stop.Load() {
		go visit()
	}
}

// many starts goroutines that wait at a gate.
func many(gate chan bool) {
	for range 10_000 {
		go func() { <-gate }()
	}
}

func main() {
	switch strings.Join(os.Args[1:], "") {
	case "threads":
		for range 8 {
			go visit()
		}
	case "many":
		many(make(chan bool))
	case "past":
		gate := make(chan bool)
		many(gate)
		close(gate)
		for runtime.NumGoroutine() > 1 {
			time.Sleep(time.Millisecond)
		}
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fmt.Fprintln(io.Discard, burn())
	}()
	ended := make(chan bool)
	go func() {
		wait(&wg)
		close(ended)
	}()
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	stop.Store(true)
	<-ended
	fmt.Println("ended")
}
