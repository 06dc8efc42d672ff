package trace

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// A store holds the traces that are kept, in bounded memory.
type store struct {
	slowest int // most traces in slow
	most    int // traces in others
	bytes   int64

	slow   byDuration // those whose slow is set
	others []*Trace   // those whose other is set, the oldest first
	used   int64      // bytes of all

	kept, displaced uint64
}

// byDuration is a heap whose first element is the fastest.
type byDuration []*Trace

func (h byDuration) Len() int           { return len(h) }
func (h byDuration) Less(i, j int) bool { return h[i].Duration < h[j].Duration }
func (h byDuration) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byDuration) Push(t any)        { *h = append(*h, t.(*Trace)) }

func (h *byDuration) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}

// threshold returns the duration that traces must exceed to be among the slowest; 0: any is.
func (s *store) threshold() time.Duration {
	if len(s.slow) == 0 || len(s.slow) < s.slowest {
		return 0
	}
	return s.slow[0].Duration
}

// add keeps a trace if it is among the slowest, or if other says so, and reports whether it does.
func (s *store) add(t *Trace, other bool) bool {
	known := t.slow || t.other
	if other && !t.other {
		t.other = true
		s.others = append(s.others, t)
	}
	if !t.slow && s.slowest > 0 && (len(s.slow) < s.slowest || t.Duration > s.slow[0].Duration) {
		t.slow = true
		heap.Push(&s.slow, t)
	}
	if !t.slow && !t.other {
		return false
	}
	if !known {
		s.kept++
		s.used += t.bytes
	}
	for len(s.slow) > s.slowest {
		s.fastest()
	}
	for len(s.others) > s.most {
		s.oldest()
	}
	for s.used > s.bytes && len(s.others) > 0 {
		s.oldest()
	}
	for s.used > s.bytes && len(s.slow) > 0 {
		s.fastest()
	}
	if t.slow || t.other {
		return true
	}
	if !known { // there is no room for it
		s.kept--
		s.displaced--
	}
	return false
}

// turn has slowest count anew. It returns the slowest traces until now in the order of time, without those that are
// kept for another reason. They stay like these.
func (s *store) turn() (list []*Trace) {
	for _, t := range s.slow {
		if t.slow = false; !t.other {
			t.other = true
			list = append(list, t)
		}
	}
	s.slow = nil
	slices.SortFunc(list, func(a, b *Trace) int { return cmp.Compare(a.after, b.after) })
	s.others = append(s.others, list...)
	for len(s.others) > s.most {
		s.oldest()
	}
	return list
}

// oldest gives up the oldest trace of the others.
func (s *store) oldest() {
	t := s.others[0]
	s.others[0] = nil
	s.others = s.others[1:]
	t.other = false
	s.forget(t)
}

// fastest gives up the fastest of the slowest traces.
func (s *store) fastest() {
	t := heap.Pop(&s.slow).(*Trace)
	t.slow = false
	s.forget(t)
}

func (s *store) forget(t *Trace) {
	if !t.slow && !t.other {
		s.used -= t.bytes
		s.displaced++
	}
}

// list returns the traces, the slowest first.
func (s *store) list() []*Trace {
	list := make([]*Trace, 0, len(s.slow)+len(s.others))
	list = append(list, s.slow...)
	for _, t := range s.others {
		if !t.slow {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *Trace) int {
		if c := cmp.Compare(b.Duration, a.Duration); c != 0 {
			return c
		}
		if c := cmp.Compare(a.after, b.after); c != 0 {
			return c
		}
		return cmp.Compare(a.Goroutine, b.Goroutine)
	})
	return list
}
