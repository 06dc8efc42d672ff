// Budget calls functions that nearly always return at once, millions of times, and now and then takes
// long in one of them: by computing, sleeping, waiting. It knows these calls: it prints when each of
// them began and ended, in ns since 1970, and how often each function was called.
//
//	long computing 1790000000000000000 1790000000000150000
//	calls computing 1234567
//
// The arguments are how many seconds it runs, and how many rounds of a loop each call takes.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"
)

// A worker calls one function on a goroutine of its own.
type worker struct {
	name  string
	call  func(w *worker, long time.Duration) // 0: not long
	calls uint64
	known []span
	seed  uint64

	mu      sync.Mutex
	ask     chan time.Duration // how long another goroutine is to keep the worker waiting
	answer  chan bool
	pipe, r *os.File
}

// A span is a part of a call: it took that long at least.
type span struct{ begin, end int64 }

func (w *worker) note(begin time.Time) {
	w.known = append(w.known, span{begin.UnixNano(), time.Now().UnixNano()})
}

// random returns a number from 0 to n-1.
func (w *worker) random(n int) int {
	w.seed = w.seed*6364136223846793005 + 1442695040888963407
	return int(w.seed>>33) % n
}

// leastLong and mostLong are how long long calls take, about.
const (
	leastLong = 110 * time.Microsecond
	mostLong  = 2 * time.Millisecond
)

// run makes calls until the time is over. Long ones are rare, so that they take less than half of it.
func (w *worker) run(until time.Time) {
	rare := min(1_000_000/rounds, 5000)
	for i := 1; ; i++ {
		long := time.Duration(0)
		if i%rare == 0 {
			if time.Now().After(until) {
				return
			}
			// Most are hardly longer than what counts as long.
			long = leastLong + time.Duration(w.random(100))*time.Microsecond
			if w.random(8) == 0 {
				long = leastLong + time.Duration(w.random(int(mostLong)))
			}
		}
		w.calls++
		w.call(w, long)
	}
}

var rounds int

// spin is what each call does first. It returns something only so that it isn't optimized away.
func spin() (x uint64) {
	for i := range rounds {
		x += uint64(i) ^ x>>3
	}
	return x
}

//go:noinline
func computing(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		return
	}
	begin := time.Now()
	for time.Since(begin) < long {
	}
	w.note(begin)
}

//go:noinline
func sleeping(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		return
	}
	begin := time.Now()
	time.Sleep(long)
	w.note(begin)
}

// locking waits for a mutex that another goroutine holds.
//
//go:noinline
func locking(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		w.mu.Lock()
		w.mu.Unlock()
		return
	}
	begin := time.Now()
	w.ask <- long
	<-w.answer
	w.mu.Lock()
	w.mu.Unlock()
	w.note(begin)
}

func (w *worker) hold() {
	for d := range w.ask {
		w.mu.Lock()
		w.answer <- true
		time.Sleep(d)
		w.mu.Unlock()
	}
}

// receiving waits for another goroutine.
//
//go:noinline
func receiving(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		select {
		case <-w.answer:
		default:
		}
		return
	}
	begin := time.Now()
	w.ask <- long
	<-w.answer
	w.note(begin)
}

func (w *worker) send() {
	for d := range w.ask {
		time.Sleep(d)
		w.answer <- true
	}
}

// reading waits in a system call.
//
//go:noinline
func reading(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		return
	}
	begin := time.Now()
	w.ask <- long
	if _, err := w.r.Read(make([]byte, 1)); err != nil {
		log.Fatal(err)
	}
	w.note(begin)
}

func (w *worker) write() {
	for d := range w.ask {
		time.Sleep(d)
		if _, err := w.pipe.Write([]byte{1}); err != nil {
			log.Fatal(err)
		}
	}
}

// recursive is long at the bottom, and so at each level; it knows the bottom's time only.
//
//go:noinline
func recursive(w *worker, long time.Duration) { w.deeper(long, 4) }

//go:noinline
func (w *worker) deeper(long time.Duration, depth int) {
	if depth > 0 {
		w.deeper(long, depth-1)
		return
	}
	spin()
	if long > 0 {
		begin := time.Now()
		time.Sleep(long)
		w.note(begin)
	}
}

// panicking ends a long call by a panic.
//
//go:noinline
func panicking(w *worker, long time.Duration) {
	spin()
	if long == 0 {
		return
	}
	begin := time.Now()
	time.Sleep(long)
	w.note(begin)
	panic("long")
}

//go:noinline
func recovering(w *worker, long time.Duration) {
	defer func() { recover() }()
	panicking(w, long)
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err == nil {
		rounds, err = strconv.Atoi(os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
	workers := []*worker{
		{name: "computing", call: computing}, {name: "sleeping", call: sleeping}, {name: "locking", call: locking},
		{name: "receiving", call: receiving}, {name: "reading", call: reading}, {name: "recursive", call: recursive},
		{name: "panicking", call: recovering},
	}
	until := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var wg sync.WaitGroup
	for i, w := range workers {
		w.seed, w.ask, w.answer = uint64(i), make(chan time.Duration), make(chan bool)
		switch w.name {
		case "locking":
			go w.hold()
		case "receiving":
			go w.send()
		case "reading":
			if w.r, w.pipe, err = os.Pipe(); err != nil {
				log.Fatal(err)
			}
			go w.write()
		}
		wg.Go(func() { w.run(until) })
	}
	wg.Wait()
	for _, w := range workers {
		fmt.Println("calls", w.name, w.calls)
		for _, s := range w.known {
			fmt.Println("long", w.name, s.begin, s.end)
		}
	}
}
