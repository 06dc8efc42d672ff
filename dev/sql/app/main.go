// App is recorded for the queries of docs/scale.md. It has requests on goroutines that wait for
// each other, a recursion, and a panic that is caught high up.
package main

import (
	"os"
	"sync"
	"time"
)

const requests = 8

func main() {
	slow := time.Duration(len(os.Args)) * time.Millisecond
	var running sync.WaitGroup
	for i := range requests {
		running.Add(1)
		go func() {
			defer running.Done()
			handle(i, slow)
		}()
	}
	running.Wait()
}

var stock sync.Mutex

//go:noinline
func handle(i int, slow time.Duration) {
	defer func() { recover() }()
	done := make(chan int)
	go query(i, done)
	take(slow)
	count(<-done) //lint:ignore SA4017 it is recorded
	if i%3 == 0 {
		fail(3)
	}
}

//go:noinline
func take(slow time.Duration) {
	stock.Lock()
	defer stock.Unlock()
	time.Sleep(slow)
}

//go:noinline
func query(i int, done chan<- int) {
	time.Sleep(time.Duration(i) * time.Millisecond)
	done <- 4 + count(i)
}

//go:noinline
func count(n int) int {
	if n < 2 {
		return n
	}
	return count(n-1) + count(n-2)
}

//go:noinline
func fail(n int) {
	if n == 0 {
		panic("out of stock")
	}
	fail(n - 1)
}
