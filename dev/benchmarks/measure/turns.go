package measure

import (
	"runtime"
	"time"
)

// A Shape is a kind of calls.
type Shape struct {
	Name   string
	NS     float64     // about what a traced call takes, to choose their number
	Multi  int         // goroutines that make the calls; 0 is one
	Per    int         // calls are made in lots of so many; 0 is one at a time
	Plain  func(n int) // makes n calls
	Traced func(n int)
}

// Turns says how long a round takes.
type Turns struct {
	Count  int           // turns of each of floor, plain and traced, besides one to warm up
	Length time.Duration // of one, about
	// Apart: all plain turns come first, then the traced ones without a pause between
	// them. So a tracer that writes in the background can't catch up in plain turns.
	// Else they alternate.
	Apart bool
}

// calls returns the number of calls of s in a turn.
func (t Turns) calls(s Shape) int {
	per := max(s.Per, 1)
	return max(int(float64(t.Length.Nanoseconds())/s.NS)/per, 1) * per
}

// Round measures calls of the shape.
func (t Turns) Round(rung string, s Shape) Result {
	n := t.calls(s)
	reads := int(float64(t.Length.Nanoseconds()) / 16)
	var floor, plain, traced, over []float64
	// Goroutines on several Ps use several CPUs: the figure is the time of a CPU.
	cpus := float64(min(max(s.Multi, 1), runtime.GOMAXPROCS(0)))
	run := func(f func(int), n int) float64 {
		start := time.Now()
		f(n)
		return float64(time.Since(start).Nanoseconds()) * cpus / float64(n)
	}
	runFloor := func() float64 { return run(Floor, reads) / cpus }

	run(s.Plain, n)
	allocs := -mallocs(s.Plain, n)
	allocs += mallocs(s.Traced, n)
	if t.Apart {
		for range t.Count {
			floor = append(floor, runFloor())
			plain = append(plain, run(s.Plain, n))
		}
		for range t.Count {
			traced = append(traced, run(s.Traced, n))
		}
	} else {
		for range t.Count {
			floor = append(floor, runFloor())
			plain = append(plain, run(s.Plain, n))
			traced = append(traced, run(s.Traced, n))
		}
	}
	for i := range plain {
		over = append(over, traced[i]-plain[i])
	}
	allocs = max(allocs, 0) / float64(n)
	return Result{
		Rung: rung, Shape: s.Name,
		Floor: Median(floor), Plain: Median(plain), Traced: Median(traced), Over: Median(over),
		Allocs: &allocs,
		Events: uint64(2 * n * (t.Count + 1)),
	}
}

// mallocs returns the allocations of the whole process while f makes n calls.
func mallocs(f func(int), n int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f(n)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}
