// Storm makes calls in all the ways that end calls on many goroutines at once,
// and prints how often it called each function.
package main

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var counts sync.Map // name to *atomic.Int64

func count(name string) {
	n, _ := counts.LoadOrStore(name, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	var wg sync.WaitGroup
	for i := range goroutines {
		wg.Add(1)
		go worker(&wg, i)
	}
	wg.Wait()
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched() // a worker's call ends after Done
	}
	var lines []string
	counts.Range(func(k, v any) bool {
		lines = append(lines, fmt.Sprint("main.", k, " ", v.(*atomic.Int64).Load()))
		return true
	})
	sort.Strings(lines)
	for _, l := range lines {
		fmt.Println(l)
	}
}

func worker(wg *sync.WaitGroup, seed int) {
	count("worker")
	defer wg.Done()
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	for range 200 {
		switch rng.IntN(9) {
		case 0:
			recovering(rng.IntN(5))
		case 1:
			nested()
		case 2:
			exiting()
		case 3:
			recurse(rng.IntN(200))
		case 4:
			handOver()
		case 5:
			runtime.Gosched()
			leaf(3)
		case 6:
			pulled()
		case 7:
			time.Sleep(time.Microsecond)
			sort.Slice(make([]int, 8), func(i, j int) bool { leaf(i); return false })
		case 8:
			deferring(rng.IntN(3))
		}
	}
}

func leaf(n int) int {
	count("leaf")
	for i := range n {
		n ^= i
	}
	return n
}

func recovering(n int) (err error) {
	count("recovering")
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
			leaf(n)
		}
	}()
	thrower(n)
	return nil
}

func thrower(n int) {
	count("thrower")
	if n == 0 {
		panic(errors.New("boom"))
	}
	if n == 3 {
		var m map[string]int
		m["x"] = leaf(n)
	}
	thrower(n - 1)
}

func nested() {
	count("nested")
	defer func() { recover() }()
	defer func() {
		defer func() { recover() }()
		thrower(1)
	}()
	defer leaf(2)
	thrower(2)
}

func exiting() {
	count("exiting")
	done := make(chan bool)
	go exiter(done)
	<-done
}

func exiter(done chan bool) {
	count("exiter")
	defer close(done)
	defer leaf(1)
	func() { runtime.Goexit() }()
}

func recurse(n int) int {
	count("recurse")
	var pad [128]byte
	if n > 0 {
		pad[n%128] = byte(recurse(n - 1))
	}
	return int(pad[n%128]) + 1
}

func handOver() {
	count("handOver")
	c := make(chan int)
	go func() { c <- leaf(5) }()
	leaf(<-c)
}

func numbers() iter.Seq[int] {
	count("numbers")
	return func(yield func(int) bool) {
		for i := range 10 {
			if !yield(leaf(i)) {
				return
			}
		}
	}
}

func pulled() {
	count("pulled")
	next, stop := iter.Pull(numbers())
	defer stop()
	for range 5 {
		next()
		leaf(1)
	}
	for x := range numbers() {
		if x == 3 {
			return
		}
	}
}

func deferring(n int) int {
	count("deferring")
	for i := range n {
		defer leaf(i)
	}
	return leaf(n)
}
