// Package work has the functions whose levels are changed: they take short or long, in all ways.
package work

import (
	"runtime"
	"sync"
	"syscall"
	"time"
)

// A Log has the calls of a goroutine, in the order in which they end, with what they took at least.
type Log struct{ Calls []Call }

// A Call is one that ends.
type Call struct {
	Func       string
	Began, End time.Time // a little later than it begins, and a little earlier than it ends
}

func (l *Log) end(f string, began time.Time) {
	l.Calls = append(l.Calls, Call{f, began, time.Now()})
}

// Tiny is inlined, and a leaf.
func Tiny(i int) int { return i + 1 }

// Leaf is no more than a leaf.
//
//go:noinline
func Leaf(i, j int) int { return i*j + 1 }

// Spin computes for d.
//
//go:noinline
func Spin(l *Log, d time.Duration) {
	began := time.Now()
	for time.Since(began) < d {
	}
	l.end("Spin", began)
}

// Sleep sleeps.
//
//go:noinline
func Sleep(l *Log, d time.Duration) {
	began := time.Now()
	time.Sleep(d)
	l.end("Sleep", began)
}

// Kernel waits in a system call.
//
//go:noinline
func Kernel(l *Log, d time.Duration) {
	began := time.Now()
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
	l.end("Kernel", began)
}

// Receive waits for a channel.
//
//go:noinline
func Receive(l *Log, c chan int) int {
	began := time.Now()
	n := <-c
	l.end("Receive", began)
	return n
}

// Lock waits for a lock, and gives it back.
//
//go:noinline
func Lock(l *Log, mu *sync.Mutex) {
	began := time.Now()
	mu.Lock()
	defer func() { l.end("Lock", began) }()
	mu.Unlock()
}

// Allocate makes garbage, and helps the collector.
//
//go:noinline
func Allocate(l *Log, n int) (list [][]byte) {
	began := time.Now()
	for range n {
		list = append(list, make([]byte, 4096))
	}
	l.end("Allocate", began)
	return list
}

// Recurse calls itself, and spins in the innermost call.
//
//go:noinline
func Recurse(l *Log, depth int, d time.Duration) {
	began := time.Now()
	if depth > 0 {
		Recurse(l, depth-1, d)
	} else {
		for n := 0; time.Since(began) < d; {
			n = Tiny(n)
		}
	}
	l.end("Recurse", began)
}

// Panic spins, and panics.
//
//go:noinline
func Panic(l *Log, d time.Duration) {
	began := time.Now()
	for time.Since(began) < d {
	}
	l.end("Panic", began)
	panic("on purpose")
}

// Recover calls Panic through Between, and goes on.
//
//go:noinline
func Recover(l *Log, d time.Duration) {
	began := time.Now()
	defer l.end("Recover", began)
	defer func() { recover() }()
	Between(l, d)
}

// Between is left by the panic.
//
//go:noinline
func Between(l *Log, d time.Duration) {
	Panic(l, d)
	panic("not reached")
}

// Exit spins, and ends the goroutine.
//
//go:noinline
func Exit(l *Log, d time.Duration) {
	began := time.Now()
	for time.Since(began) < d {
	}
	l.end("Exit", began)
	runtime.Goexit()
}

// Open waits until c is closed. It has two ways out, one of them deferred.
//
//go:noinline
func Open(c chan int, deeper int) {
	if deeper > 0 {
		defer Tiny(1)
		Open(c, deeper-1)
		return
	}
	<-c
}
