package sampler

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A load is a program with functions whose shares are known.

var sink [16]struct {
	n uint64
	_ [120]byte
}

// spin computes for about n/2 ns without calling anything.
func spin(worker, n int) {
	x := sink[worker].n
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink[worker].n = x
}

const unit = 2000 // of spinning: most of it is in one of the functions below, not between them

//go:noinline
func five40(w int) { spin(w, 40*unit) }

//go:noinline
func five28(w int) { spin(w, 28*unit) }

//go:noinline
func five17(w int) { spin(w, 17*unit) }

//go:noinline
func five10(w int) { spin(w, 10*unit) }

//go:noinline
func five05(w int) { spin(w, 5*unit) }

// compute runs the five until stop is closed.
//
//go:noinline
func compute(worker int, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		five40(worker)
		half(worker)
		five05(worker)
	}
}

//go:noinline
func half(w int) {
	five28(w)
	five17(w)
	five10(w)
}

// start runs f on n goroutines; the function that it returns ends them.
func start(n int, f func(worker int, stop chan struct{})) (end func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i, stop)
		}()
	}
	return func() {
		close(stop)
		wg.Wait()
	}
}

// Waiting functions add up how long they took.
type waits struct {
	sleep, receive, lock time.Duration
	random               *rand.Rand
}

//go:noinline
func (w *waits) doSleep(d time.Duration) {
	begin := time.Now()
	time.Sleep(d)
	w.sleep += time.Since(begin)
}

//go:noinline
func (w *waits) doReceive(d time.Duration) {
	begin := time.Now()
	<-time.After(d)
	w.receive += time.Since(begin)
}

//go:noinline
func (w *waits) doLock(d time.Duration) {
	begin := time.Now()
	var mu sync.Mutex
	mu.Lock()
	time.AfterFunc(d, mu.Unlock)
	mu.Lock()
	w.lock += time.Since(begin)
}

//go:noinline
func (w *waits) run(_ int, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		// Of random lengths, so that the program and the sampler don't go in step.
		ms := func(n float64) time.Duration { return time.Duration(n * (0.5 + w.random.Float64()) * 1e6) }
		w.doSleep(ms(5))
		w.doReceive(ms(3))
		w.doLock(ms(2))
	}
}

// arrived counts the goroutines that are deepest in nest.
var arrived atomic.Int64

// await waits until n more goroutines than before have arrived.
func await(before int64, n int) {
	for arrived.Load() < before+int64(n) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond) // until they wait
}

//go:noinline
func nest(depth int, block chan struct{}) {
	if depth == 0 {
		arrived.Add(1)
		<-block
		return
	}
	nest(depth-1, block)
	runtime.KeepAlive(depth)
}

//go:noinline
func many(_ int, block chan struct{}) { nest(8, block) }

//go:noinline
func few(_ int, block chan struct{}) { nest(2, block) }
