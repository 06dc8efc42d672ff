// Clients works on some goroutines. For each line that it reads it prints how many goroutines and
// bytes of heap there are, and how many calls of work have ended.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

var calls atomic.Int64

var errOdd = errors.New("odd")

func work(n int, name string) (int, error) {
	sum := 0
	for i := range 3 {
		sum += leaf(i + n)
	}
	if n%7 == 0 {
		caught(name)
	}
	calls.Add(1)
	if n%2 == 1 {
		return sum, errOdd
	}
	return sum, nil
}

func leaf(n int) int { return n * n }

func caught(name string) {
	defer func() { recover() }()
	panic(name)
}

func main() {
	for g := range 4 {
		go func() {
			for n := 0; ; n++ {
				work(n, fmt.Sprint("worker ", g))
				time.Sleep(20 * time.Microsecond)
			}
		}()
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(runtime.NumGoroutine(), m.HeapAlloc, calls.Load())
	}
}
