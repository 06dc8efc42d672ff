// Subject calls work about a million times a second, and prints every 20 ms how often it has, until its
// input ends: see `make bench-live`.
package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

var (
	calls atomic.Int64
	cells [256]uint64
)

//go:noinline
func work(n, mod int) {
	for i := range cells { // takes about a microsecond with what follows
		cells[i] = cells[i]*6364136223846793005 + uint64(n)
	}
	for i := range cells {
		cells[i] ^= cells[(i+mod)%len(cells)] >> 7
	}
}

func main() {
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			fmt.Println(time.Now().UnixNano(), calls.Load())
		}
	}()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for n := 0; ; n++ {
		work(n, n%100_000)
		calls.Add(1)
	}
}
