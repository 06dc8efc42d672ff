package measure

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Disturbed is how much longer a Quiet's work takes where something else has part of the machine, as a share.
const Disturbed = 0.05

// A Quiet tells whether a machine that is shared had its usual speed while something ran. Beside it, the same work is
// done and timed.
type Quiet struct {
	work  func() time.Duration
	least time.Duration // that it ever took
}

// NewQuiet returns a Quiet that has sorted numbers n times, 20 ms each. Processors that share a core or a cache slow
// that down, which they don't do with a chain of additions.
func NewQuiet(n int) *Quiet {
	list, numbers := make([]int, 300_000), rand.New(rand.NewPCG(1, 2))
	for i := range list {
		list[i] = numbers.Int()
	}
	again := make([]int, len(list))
	return newQuiet(n, func() time.Duration {
		copy(again, list)
		from := time.Now()
		slices.Sort(again)
		return time.Since(from)
	})
}

func newQuiet(n int, work func() time.Duration) *Quiet {
	q := &Quiet{work, work()}
	for range n - 1 {
		q.least = min(q.least, work())
	}
	return q
}

// During runs f. It returns how much longer the work took just before and after that than it ever took, as a share: the
// larger one.
func (q *Quiet) During(f func()) (slower float64) {
	before := q.work()
	f()
	after := q.work()
	q.least = min(q.least, before, after)
	return float64(max(before, after))/float64(q.least) - 1
}
