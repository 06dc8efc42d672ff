package trace

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A watched is the tree of a root call that is watched.
type watched struct {
	root  *Call
	over  atomic.Bool // the root call has ended
	calls atomic.Int64
	lost  atomic.Uint64

	mu sync.Mutex // guards what branches hand on
}

// A branch is the part of a tree that an outermost call makes on its goroutine. That is the root
// call or, on other goroutines, calls below a call of another branch. Only its goroutine uses it
// until it is over.
type branch struct {
	tree  *watched
	above *spot // nil: it is the root call's
	at    *Call
	out   int // calls in progress that are left out
	depth int // of at

	// Guarded by the tree's lock.
	ended  *Call // the outermost call, when it has ended
	given  bool  // the program has it
	handed []leg // branches below that have ended, while this one goes on
}

// A leg is the outermost call of a branch, and the call that it is below.
type leg struct{ above, call *Call }

// A spot is a call of a branch that is in progress: what goroutines are below that it starts, or hands work
// to. The goroutine holds the latest one, which leads to the others, also those of other watchers.
type spot struct {
	watcher   *Watcher
	branch    *branch
	call      *Call
	depth     int
	goroutine uint64 // of the call; 0: it was handed
	handed    bool
	over      bool  // the call has ended; only its goroutine knows
	next      *spot // made before
}

// of returns the latest spot of a watcher, nil if there is none. The caller is the goroutine.
func (s *spot) of(w *Watcher, goroutine uint64) *spot {
	for ; s != nil; s = s.next {
		if s.watcher == w && (s.goroutine != goroutine || !s.over) {
			return s
		}
	}
	return nil
}

// live returns the spots whose trees go on, for a goroutine that has none of its own. So a line of
// goroutines each of which starts the next one does not hold all their trees.
func (s *spot) live() *spot { return s.filter(func(s *spot) {}) }

// hand returns the same for a goroutine that work is handed to.
func (s *spot) hand() *spot { return s.filter(func(s *spot) { s.goroutine, s.handed = 0, true }) }

func (s *spot) filter(change func(*spot)) (first *spot) {
	last := &first
	for ; s != nil; s = s.next {
		if s.branch.tree.over.Load() {
			continue
		}
		c := &spot{watcher: s.watcher, branch: s.branch, call: s.call, depth: s.depth, goroutine: s.goroutine, handed: s.handed}
		change(c)
		*last, last = c, &c.next
	}
	return first
}

// push notes that a call of the branch is in progress, and returns what the goroutine has to hold.
func (b *branch) push(w *Watcher, goroutine uint64, held *spot) *spot {
	if held != nil && held.goroutine != goroutine {
		held = held.live()
	}
	return &spot{watcher: w, branch: b, call: b.at, depth: b.depth, goroutine: goroutine, next: held}
}

// pop notes that the call has ended, and returns what the goroutine has to hold.
func (b *branch) pop(c *Call, goroutine uint64, held *spot) *spot {
	for s := held; s != nil && s.goroutine == goroutine; s = s.next {
		if s.call == c {
			s.over = true
			break
		}
	}
	for held != nil && held.goroutine == goroutine && held.over {
		held = held.next
	}
	return held
}

// end ends the branch, whose outermost call is c. It returns whether the program is to get c: else c is below
// a call that it gets later.
func (b *branch) end(c *Call) (give bool) {
	t := b.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	b.ended = c
	for _, l := range b.handed {
		l.above.take(l.call)
	}
	b.handed = nil
	if b.above == nil {
		t.over.Store(true)
		c.Lost = t.lost.Load()
		b.given = true
		return true
	}
	switch up := b.above.branch; {
	case up.ended == nil:
		up.handed = append(up.handed, leg{b.above.call, c})
	case up.has():
		b.given = true
	default:
		b.above.call.take(c)
	}
	return b.given
}

// has reports whether the program has the branch, which has ended.
func (b *branch) has() bool {
	for !b.given && b.above != nil && b.above.branch.ended != nil {
		b = b.above.branch
	}
	return b.given
}

// take puts the outermost call of another goroutine below c, in the order in which calls began.
func (c *Call) take(below *Call) {
	at, _ := slices.BinarySearchFunc(c.Calls, below, func(a, b *Call) int {
		if a.Start.After(b.Start) {
			return 1
		}
		return -1
	})
	c.Calls = slices.Insert(c.Calls, at, below)
}
