package main

import (
	"bytes"
	"runtime"
	"sync"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
)

const (
	factor = 0x9E37
	name   = "a name of 24 characters."
	depth  = 10                    // of recursions: MooBench's
	nap    = 50 * time.Microsecond // asked for: operating systems make up to a millisecond of it
)

// Arguments that lie in the heap.
var (
	content     = bytes.Repeat([]byte("0123456789abcdef"), 16)
	plainOrder  = &plain.Order{ID: 1, Name: name, Amount: 9.99, Open: true}
	tracedOrder = &traced.Order{ID: 1, Name: name, Amount: 9.99, Open: true}
)

// shapes returns all shapes of calls on a rung, in the order of the tables.
func shapes(rung string) []measure.Shape {
	plainLeaf := loop(func(i int) int { return plain.Leaf(i, factor) })
	list := []measure.Shape{
		{Name: "empty", NS: 20, Plain: loop(plain.Empty), Traced: loop(traced.Empty)},
		{Name: "leaf", NS: 20, Plain: plainLeaf, Traced: loop(func(i int) int { return traced.Leaf(i, factor) })},
		{Name: "recursion 10", NS: 20, Per: depth, Plain: recursions(plain.Recurse), Traced: recursions(traced.Recurse)},
	}
	if rung == "off" {
		// Isn't traced: what of leaf's row can't be avoided.
		list = append(list, measure.Shape{Name: "a frame alone", NS: 20, Plain: plainLeaf, Traced: loop(func(i int) int { return framed(i, factor) })})
	}
	if rung == "waiting" {
		list = append(list, measure.Shape{Name: "ring of 10000", NS: 500, Multi: 10_000, Per: 10_000 * lots, Plain: ring(10_000, plain.Receive), Traced: ring(10_000, traced.Receive)})
	}
	perStep := stepNS()
	for _, b := range []struct {
		name string
		ns   float64
	}{
		{"50 ns", 50}, // to file: 30 million events per second
		{"100 ns", 100}, {"1 us", 1e3}, {"500 us", 500e3},
	} {
		steps := max(int(b.ns/perStep), 1)
		list = append(list, measure.Shape{Name: b.name, NS: b.ns + 20,
			Plain:  chain(func(s int) int { return plain.Busy(steps, s) }),
			Traced: chain(func(s int) int { return traced.Busy(steps, s) })})
	}
	list = append(list,
		measure.Shape{Name: "two ints", NS: 25,
			Plain:  loop(func(i int) int { return plain.Ints(i, factor) }),
			Traced: loop(func(i int) int { return traced.Ints(i, factor) })},
		measure.Shape{Name: "string and int", NS: 80,
			Plain:  loop(func(int) int { return plain.Text(name, factor) }),
			Traced: loop(func(int) int { return traced.Text(name, factor) })},
		measure.Shape{Name: "struct", NS: 150,
			Plain:  loop(func(i int) int { return plain.Struct(plain.Order{ID: i, Name: name, Amount: 9.99, Open: true}) }),
			Traced: loop(func(i int) int { return traced.Struct(traced.Order{ID: i, Name: name, Amount: 9.99, Open: true}) })},
		measure.Shape{Name: "pointer to struct", NS: 150,
			Plain:  loop(func(int) int { return plain.Pointer(plainOrder) }),
			Traced: loop(func(int) int { return traced.Pointer(tracedOrder) })},
		measure.Shape{Name: "slice of 256 bytes", NS: 150,
			Plain:  loop(func(int) int { return plain.Bytes(content) }),
			Traced: loop(func(int) int { return traced.Bytes(content) })},
	)
	for _, g := range []struct {
		name string
		n    int
	}{{"1 goroutine", 1}, {"2 goroutines", 2}, {"4 goroutines", 4}, {"64 goroutines", 64}, {"10000 goroutines", 10_000}} {
		list = append(list, measure.Shape{Name: g.name, NS: 20, Multi: g.n, Per: g.n * lot * lots,
			Plain:  goroutines(g.n, func(i int) int { return plain.Leaf(i, factor) }),
			Traced: goroutines(g.n, func(i int) int { return traced.Leaf(i, factor) })})
	}
	return append(list,
		measure.Shape{Name: "panic, recovered", NS: 150, Per: 2, Plain: panics(plain.Catch), Traced: panics(traced.Catch)},
		measure.Shape{Name: "parks: channel", NS: 300, Plain: receives(plain.Receive), Traced: receives(traced.Receive)},
		measure.Shape{Name: "parks: sleep", NS: 1e6, Plain: sleeps(plain.Sleep), Traced: sleeps(traced.Sleep)},
	)
}

// framed is plain.Leaf with a call that is never made. So it has a frame, and that's
// what tracing costs a small function at least, when it is off.
//
//go:noinline
func framed(a, n int) int {
	if n == 0 {
		never()
	}
	s := a * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

//go:noinline
func never() {}

// stepNS returns what a step of Busy takes.
func stepNS() float64 {
	const steps = 100_000
	best := time.Hour
	for range 10 {
		start := time.Now()
		runtime.KeepAlive(plain.Busy(steps, 1))
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / steps
}

// loop calls f n times.
func loop(f func(i int) int) func(n int) {
	return func(n int) {
		s := 0
		for i := range n {
			s += f(i)
		}
		runtime.KeepAlive(s)
	}
}

// chain calls f n times, each time with what it has returned. Else the processor would
// begin with a call while it still computes the one before, for a lot of both.
func chain(f func(s int) int) func(n int) {
	return func(n int) {
		s := 1
		for range n {
			s = f(s)
		}
		runtime.KeepAlive(s)
	}
}

func recursions(f func(n int) int) func(n int) {
	return func(n int) {
		s := 0
		for range n / depth {
			s += f(depth - 1)
		}
		runtime.KeepAlive(s)
	}
}

// goroutines makes the calls on g of them, which take turns after every lot if there are
// more than can run at the same time.
func goroutines(g int, f func(i int) int) func(n int) {
	return func(n int) {
		var all sync.WaitGroup
		turns := g > runtime.GOMAXPROCS(0)
		for range g {
			all.Go(func() {
				s := 0
				for range n / g / lot {
					for i := range lot {
						s += f(i)
					}
					if turns {
						runtime.Gosched()
					}
				}
				runtime.KeepAlive(s)
			})
		}
		all.Wait()
	}
}

// lot is how many calls a goroutine makes before another has its turn.
const lot = 50

// lots is how many turns a goroutine has at least, so that calls are measured and not the making of
// goroutines.
const lots = 20

// panics makes pairs of calls: one panics, its caller recovers.
func panics(catch func(any) any) func(n int) {
	var v any = "a panic"
	return func(n int) {
		for range n / 2 {
			catch(v)
		}
	}
}

// receives has each call park until another goroutine sends.
func receives(f func(<-chan int) int) func(n int) {
	return func(n int) {
		c := make(chan int)
		go func() {
			for i := range n {
				c <- i
			}
		}()
		for range n {
			f(c)
		}
	}
}

// ring has g goroutines hand values on, so that they switch all the time: each waits in a call for
// the one before.
func ring(g int, f func(<-chan int) int) func(n int) {
	return func(n int) {
		var all sync.WaitGroup
		links := make([]chan int, g)
		for i := range links {
			links[i] = make(chan int, 1)
		}
		for i, in := range links {
			out := links[(i+1)%g]
			all.Go(func() {
				for range n / g {
					v := f(in)
					out <- v
				}
			})
		}
		for i := 0; i < g; i += 2 {
			links[i] <- i
		}
		all.Wait()
	}
}

func sleeps(f func(time.Duration)) func(n int) {
	return func(n int) {
		for range n {
			f(nap)
		}
	}
}
