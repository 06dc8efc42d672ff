package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
)

// sustained makes calls on all CPUs for the time given. Who started the program
// divides their events by its whole time, since it ends when all of them are in the
// file.
func sustained(rung string, long time.Duration) measure.Result {
	const calls = 100_000 // between two looks at the clock
	var all sync.WaitGroup
	made := make([]uint64, runtime.GOMAXPROCS(0))
	end := time.Now().Add(long)
	for p := range made {
		all.Go(func() {
			s := 0
			for time.Now().Before(end) {
				for i := range calls {
					s += traced.Leaf(i, factor)
				}
				made[p] += calls
			}
			runtime.KeepAlive(s)
		})
	}
	all.Wait()
	r := measure.Result{Rung: rung, Shape: "sustained"}
	for _, n := range made {
		r.Events += 2 * n
	}
	return r
}
