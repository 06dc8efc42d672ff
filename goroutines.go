package waymark

import (
	"sync"

	"github.com/waymark-go/waymark/internal/rt"
)

// perGoroutine keeps a T for each goroutine that is in a monitored call. What is of one
// goroutine is touched by no other one.
type perGoroutine[T any] struct {
	shards [64]struct {
		mu   sync.Mutex
		list map[uint64]*T
	}
}

// get gives the calling goroutine's T, a new one if there is none and it is to be made.
func (p *perGoroutine[T]) get(create bool) *T {
	id := GoroutineID()
	s := &p.shards[id%uint64(len(p.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.list[id]
	if t == nil && create {
		if s.list == nil {
			s.list = make(map[uint64]*T)
		}
		t = new(T)
		s.list[id] = t
	}
	return t
}

// drop forgets the calling goroutine's T.
func (p *perGoroutine[T]) drop() {
	id := GoroutineID()
	s := &p.shards[id%uint64(len(p.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.list, id)
}

// clear forgets all.
func (p *perGoroutine[T]) clear() {
	for i := range p.shards {
		s := &p.shards[i]
		s.mu.Lock()
		s.list = nil
		s.mu.Unlock()
	}
}

// GoroutineID gives the id of the calling goroutine, as stack traces have it, for monitors that keep something for
// each. It is 0 in a program that wasn't built by waymark.
func GoroutineID() uint64 {
	if !rt.Enabled {
		return 0
	}
	return rt.Goroutine()
}
