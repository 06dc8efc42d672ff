package gather

import (
	"sync"
	"time"
)

// An id tells root calls apart.
type id struct{ goroutine, clock uint64 }

// told has the starts of traces that List has returned. A start is reckoned from two clocks, each
// time a bit differently. A trace keeps the start that was told, because it is known by that.
type told struct {
	mu             sync.Mutex
	latest, before map[id]time.Time // of the latest List, and the one before: what was in progress then may not be delivered yet
}

// list sets the starts that were told before, and notes the others.
func (t *told) list(list []Active) []Active {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := make(map[id]time.Time, len(list))
	for i := range list {
		a := &list[i]
		a.Start = t.find(a.id, a.Start)
		now[a.id] = a.Start
	}
	t.latest, t.before = now, t.latest
	return list
}

// start returns the start of a trace: the one that was told, else s.
func (t *told) start(of id, s time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(of, s)
}

func (t *told) find(of id, s time.Time) time.Time {
	if at, ok := t.latest[of]; ok {
		return at
	}
	if at, ok := t.before[of]; ok {
		return at
	}
	return s
}
