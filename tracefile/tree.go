package tracefile

import (
	"math"
	"math/bits"
)

// never is the clock of a stream that has ended.
const never = math.MaxUint64

// A tree tells which of k streams has the earliest clock. It is a tournament,
// whose inner nodes keep the loser of their match (Knuth, TAOCP 3, 5.4.1).
// Putting in the winner's next clock takes one match on each level. Streams of
// programs that keep all CPUs busy take turns at random, so the outcomes of
// matches can't be predicted. They are computed without branches, which with 8
// streams takes half the time of a binary heap.
type tree struct {
	nodes []node // 0 is the winner; node n's children are 2n and 2n+1, the streams are the leaves from k on
}

type node struct {
	clock  uint64
	stream uint64
}

// newTree makes the tree of streams with the given clocks, of which there is at least one.
func newTree(clocks []uint64) tree {
	k := len(clocks)
	winners := make([]node, 2*k)
	for i, c := range clocks {
		winners[k+i] = node{c, uint64(i)}
	}
	t := tree{make([]node, k)}
	for n := k - 1; n > 0; n-- {
		winners[n], t.nodes[n] = match(winners[2*n], winners[2*n+1])
	}
	t.nodes[0] = winners[1]
	return t
}

// match returns the earlier of a and b, or b if they are equal, and the other.
func match(a, b node) (winner, loser node) {
	_, less := bits.Sub64(a.clock, b.clock, 0)
	clock, stream := (a.clock^b.clock)&-less, (a.stream^b.stream)&-less
	return node{b.clock ^ clock, b.stream ^ stream}, node{a.clock ^ clock, a.stream ^ stream}
}

// winner returns the stream with the earliest clock.
func (t *tree) winner() node { return t.nodes[0] }

// replace puts in the winner's next clock. It gives the new winner, and the
// clock up to which it stays the winner.
func (t *tree) replace(clock uint64) (w node, limit uint64) {
	nodes := t.nodes
	w = node{clock, nodes[0].stream}
	for n := (len(nodes) + int(w.stream)) / 2; n > 0; n /= 2 {
		w, nodes[n] = match(nodes[n], w)
	}
	nodes[0] = w
	limit = never
	for n := (len(nodes) + int(w.stream)) / 2; n > 0; n /= 2 {
		limit = min(limit, nodes[n].clock)
	}
	return w, limit
}
