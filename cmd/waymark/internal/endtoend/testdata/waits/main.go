// Waits does what goroutines wait for, and writes a trace of package runtime/trace to its argument.
package main

import (
	"io"
	"iter"
	"net"
	"os"
	"runtime"
	rtrace "runtime/trace"
	"sync"
	"syscall"
	"time"
)

var sink [][]byte

func compute(n int) (x int) {
	for i := 0; i < n*1000; i++ {
		x = x*31 + i
	}
	return x
}

func channel() {
	c, d := make(chan int), make(chan int)
	go func() {
		for v := range c {
			compute(v)
			d <- v
		}
		close(d)
	}()
	for i := 0; i < 200; i++ {
		c <- 20
		<-d
	}
	close(c)
}

func lock() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); locked(&mu) }()
	}
	wg.Wait()
}

func locked(mu *sync.Mutex) {
	for i := 0; i < 3; i++ {
		mu.Lock()
		time.Sleep(time.Millisecond)
		mu.Unlock()
	}
}

func selects() {
	a, b := make(chan int), make(chan int)
	go func() { time.Sleep(30 * time.Millisecond); a <- 1 }()
	select {
	case <-a:
	case <-b:
	}
}

func sleep() { time.Sleep(50 * time.Millisecond); compute(1000) }

func timer() { <-time.After(20 * time.Millisecond) }

func network() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go serve(l)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 4)
	for i := 0; i < 10; i++ {
		c.Write([]byte("ping"))
		io.ReadFull(c, buf)
	}
	c.Close()
}

func serve(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	buf := make([]byte, 4)
	for {
		if _, err := io.ReadFull(c, buf); err != nil {
			return
		}
		time.Sleep(3 * time.Millisecond)
		c.Write(buf)
	}
}

func system() {
	for i := 0; i < 5; i++ {
		t := syscall.NsecToTimespec(int64(8 * time.Millisecond))
		syscall.Nanosleep(&t, nil)
	}
	for i := 0; i < 1000; i++ {
		os.Getwd()
		syscall.Getppid()
		os.Stat("/")
	}
}

func collect() {
	for i := 0; i < 2000; i++ {
		sink = append(sink, make([]byte, 16<<10))
		if len(sink) > 500 {
			sink = sink[:0]
		}
	}
	runtime.GC()
}

func pull() (sum int) {
	next, stop := iter.Pull(numbers())
	defer stop()
	for v, ok := next(); ok; v, ok = next() {
		sum += v
	}
	return
}

func numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < 300; i++ {
			if !yield(compute(5)) {
				return
			}
		}
	}
}

func thread() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	channel()
}

func busy() {
	var wg sync.WaitGroup
	for i := 0; i < 2*runtime.GOMAXPROCS(0)+2; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); spin() }()
	}
	wg.Wait()
}

func spin() { compute(60000) }

func forever(c chan int) { <-c }

func all() {
	channel()
	lock()
	selects()
	sleep()
	timer()
	network()
	system()
	cgo()
	collect()
	pull()
	thread()
	busy()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err == nil {
		err = rtrace.Start(f)
	}
	if err != nil {
		panic(err)
	}
	defer rtrace.Stop()
	go forever(make(chan int))
	all()
}
