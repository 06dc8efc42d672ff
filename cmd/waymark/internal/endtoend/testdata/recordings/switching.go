package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

//go:noinline
func number(n int) int { return digit(n) }

//go:noinline
func digit(n int) int { return n }

// switching makes recordings while a thousand goroutines number their calls.
func switching() {
	var stop atomic.Bool
	var wg sync.WaitGroup
	for g := 0; g < 1000; g++ {
		wg.Add(1)
		go func() {
			for n := 0; !stop.Load(); n++ {
				if number(n); n%10 == 0 {
					runtime.Gosched()
				}
			}
			wg.Done()
		}()
	}
	for i := 0; i < 10; i++ {
		r := begin("block")
		time.Sleep(20 * time.Millisecond)
		end(r)
	}
	stop.Store(true)
	wg.Wait()
	printAll()
}
