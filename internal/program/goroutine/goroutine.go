// Package goroutine knows the calling goroutine, and keeps something for each.
package goroutine

import (
	"sync"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// ID returns the id of the calling goroutine, as stack traces have it; 0 in a program that plain Go
// has built.
func ID() uint64 {
	if !rt.Enabled {
		return 0
	}
	return rt.Goroutine()
}

// A Local keeps a T for each goroutine that is in an observed call. What is of one goroutine is
// touched by no other one.
type Local[T any] struct {
	shards [64]struct {
		mu    sync.Mutex
		list  map[uint64]*T
		spare *T // an empty one: to make one for each outermost call would cost two allocations
	}
}

// Get returns the calling goroutine's T, a new one if there is none and create is set.
func (l *Local[T]) Get(create bool) *T {
	id := ID()
	s := &l.shards[id%uint64(len(l.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.list[id]
	if t == nil && create {
		if s.list == nil {
			s.list = make(map[uint64]*T)
		}
		if t, s.spare = s.spare, nil; t == nil {
			t = new(T)
		}
		s.list[id] = t
	}
	return t
}

// Drop takes the calling goroutine's T away, which is empty: it may become another goroutine's.
func (l *Local[T]) Drop() {
	id := ID()
	s := &l.shards[id%uint64(len(l.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.list[id]; t != nil {
		s.spare = t
		delete(s.list, id)
	}
}

// Clear forgets all.
func (l *Local[T]) Clear() {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		s.list = nil
		s.mu.Unlock()
	}
}
