package main

import (
	"sync"

	"github.com/waymark-go/waymark/recordings/truth"
)

type point struct{ X, Y int }

// leaf is called with integers, and inside with a struct.
func leaf(n int) int {
	began := truth.Enter("leaf")
	inside(point{n, -n}, "text")
	truth.Exit("leaf", began)
	return n + 1
}

//go:noinline
func inside(p point, s string) *point {
	began := truth.Enter("inside")
	defer truth.Exit("inside", began)
	return &p
}

// A step is a moment at which a goroutine waits for main.
type step struct{ reached, next chan bool }

func newStep() step { return step{make(chan bool), make(chan bool)} }

func (s step) wait() {
	began := truth.Enter("step.wait")
	s.reached <- true
	<-s.next
	truth.Exit("step.wait", began)
}

// run runs f until it waits.
func (s step) run(f func()) {
	began := truth.Enter("step.run")
	go f()
	<-s.reached
	truth.Exit("step.run", began)
}

// turn lets the goroutine go on until it waits again, or ends.
func (s step) turn() {
	began := truth.Enter("step.turn")
	s.next <- true
	<-s.reached
	truth.Exit("step.turn", began)
}

// hold is open while its goroutine waits.
func hold(s step, n int) {
	began := truth.Enter("hold")
	leaf(n)
	s.wait()
	leaf(n)
	truth.Exit("hold", began)
}

// nest is open at three depths, and waits at each before it returns.
func nest(s step, depth int) {
	began := truth.Enter("nest")
	if depth > 1 {
		nest(s, depth-1)
	}
	s.wait()
	leaf(depth)
	truth.Exit("nest", began)
}

// guard recovers from a panic in a call that began in an earlier recording than the panic.
func guard(s step) {
	began := truth.Enter("guard")
	protect(s)
	s.wait()
	truth.Exit("guard", began)
}

func protect(s step) {
	began := truth.Enter("protect")
	defer func() {
		if recover() != any(point{1, 2}) {
			panic("another panic")
		}
		truth.Exit("protect", began)
	}()
	risky(s)
}

func risky(s step) {
	began := truth.Enter("risky")
	s.wait()
	leaf(1)
	truth.Unwound("risky", began)
	panic(point{1, 2})
}

// leaves makes calls on several goroutines.
func leaves(n int) {
	began := truth.Enter("leaves")
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func() {
			for i := 0; i < n; i++ {
				leaf(i)
			}
			wg.Done()
		}()
	}
	wg.Wait()
	truth.Exit("leaves", began)
}

// open makes three recordings. Calls are open at the beginning and at the end of each.
func open(overflow string) {
	a, b, c, d, e, f, nested, guarded := newStep(), newStep(), newStep(), newStep(), newStep(), newStep(), newStep(), newStep()
	holder := func(s step, n int) func() {
		return func() {
			hold(s, n)
			s.reached <- true
		}
	}

	n := 1000
	if overflow == "drop" {
		n = 100 // for which there is room: nothing is dropped
	}
	r := begin(overflow)
	a.run(holder(a, 1))
	b.run(holder(b, 2))
	c.run(holder(c, 3))
	nested.run(func() {
		nest(nested, 3)
		nested.reached <- true
	})
	guarded.run(func() {
		guard(guarded)
		guarded.reached <- true
	})
	leaves(n)
	dump(r)
	end(r)

	a.turn() // its end is in no recording

	r = begin(overflow)
	b.turn()
	d.run(holder(d, 4))
	e.run(holder(e, 5))
	nested.turn() // the innermost call ends
	guarded.turn()
	leaves(2 * n)
	dump(r)
	end(r)

	d.turn()

	r = begin(overflow)
	c.turn()
	e.turn()
	f.run(holder(f, 6))
	nested.turn()
	nested.turn()
	guarded.turn()
	leaves(3 * n)
	dump(r)
	end(r)
	printAll()
}
