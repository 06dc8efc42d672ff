// Phases computes on one goroutine. For a second it calls functions that take microseconds, then
// for one and a half functions that take nanoseconds, and then the first ones again. A recording
// with a budget shows how waymark reacts to that: see `make bench-phases`.
package main

import (
	"fmt"
	"time"
)

func main() {
	s := new(state)
	s.few(time.Second)
	s.many(1500 * time.Millisecond)
	s.few(1500 * time.Millisecond)
	fmt.Println(s.sum)
}

type state struct {
	cells [256]uint64
	sum   uint64
}

// few is a phase of some 500,000 calls per second.
func (s *state) few(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 100 {
			s.row()
		}
	}
}

//go:noinline
func (s *state) row() {
	for range 4 {
		for i := range s.cells {
			s.cells[i] = s.cells[i]*6364136223846793005 + uint64(i)
			s.sum ^= s.cells[i]
		}
	}
}

// many is a phase of some 50,000,000 calls per second.
func (s *state) many(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for i := range 10_000 {
			s.cell(i)
		}
	}
}

//go:noinline
func (s *state) cell(i int) {
	c := &s.cells[i%len(s.cells)]
	for range 5 {
		*c = *c*6364136223846793005 + uint64(i)
	}
	s.sum ^= *c
}
