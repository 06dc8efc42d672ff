// Package work has the functions whose calls are gathered. Root begins traces.
package work

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"time"
)

// Root calls f.
func Root(f func()) { f() }

// Fails calls f and returns an error.
func Fails(f func()) error {
	f()
	return errors.New("failed")
}

// Recovers calls f, and recovers what it panics with.
func Recovers(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// RootRecovers is Recovers, and a root.
func RootRecovers(f func()) {
	defer func() { recover() }()
	f()
}

// RootDefers calls f, and then later.
func RootDefers(f, later func()) {
	defer later()
	f()
}

// Add adds.
func Add(a, b int) int { return a + b }

// Join joins.
func Join(a, b string) string { return a + b }

// Inner calls f.
func Inner(f func()) { f() }

// Leaf does next to nothing.
func Leaf() {}

// Many calls Leaf n times.
func Many(n int) {
	for range n {
		Leaf()
	}
}

// Recurse calls itself depth times.
func Recurse(depth int) {
	if depth > 0 {
		Recurse(depth - 1)
	}
}

// Grow does the same with large frames, so that the stack moves.
func Grow(depth int) (n int) {
	var room [512]byte
	room[depth%len(room)] = byte(depth)
	if depth > 0 {
		n = Grow(depth - 1)
	}
	return n + int(room[depth%len(room)])
}

// Raise panics.
func Raise() { panic("raised") }

// Exit ends the goroutine.
func Exit() { runtime.Goexit() }

// Sleep sleeps.
func Sleep(d time.Duration) { time.Sleep(d) }

// Go runs f on n goroutines and waits for them.
func Go(n int, f func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f()
		}()
	}
	wg.Wait()
}

// Group does the same by WaitGroup.Go.
func Group(n int, f func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(f)
	}
	wg.Wait()
}

// Timer has a timer call f after d.
func Timer(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

// Reset sets the timer anew.
func Reset(t *time.Timer, d time.Duration) { t.Reset(d) }

// Cancel has f called because a context is cancelled, and waits for it.
func Cancel(f func()) {
	ctx, cancel := context.WithCancel(context.Background())
	Await(ctx, f, cancel)
}

// Deadline has f called because of a context's deadline, and waits for it.
func Deadline(f func()) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	Await(ctx, f, func() {})
}

// Await has f called when ctx is over, calls cancel, and waits until f has returned.
func Await(ctx context.Context, f, cancel func()) {
	over := make(chan bool)
	context.AfterFunc(ctx, func() { defer close(over); f() })
	cancel()
	<-over
}

// Submit has f called by send, and waits until done.
func Submit(send func(f func()), f func()) {
	over := make(chan bool)
	send(func() { defer close(over); f() })
	<-over
}

// Pull takes n numbers from an iterator that runs as a coroutine.
func Pull(n int) (sum int) {
	next, stop := iter.Pull(numbers(n))
	defer stop()
	for {
		i, ok := next()
		if !ok {
			return sum
		}
		sum += i
	}
}

func numbers(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			Inner(Leaf)
			if !yield(i) {
				return
			}
		}
	}
}
