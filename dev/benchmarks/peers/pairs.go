package main

import (
	"context"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// pairRungs are what people write by hand: the time before and after, appended to a
// slice. Nothing is known of goroutines, panics lose the call, and nothing is written.
func pairRungs() []goRung {
	return []goRung{{"to memory", func(t measure.Turns, rung string) ([]measure.Result, error) {
		list := calls{ns: 90, leaf: pairLeaf, recurse: pairRecurse}.measure(context.Background(), t, rung)
		for i := range list {
			list[i].Bytes = list[i].Events / 2 * pairSize
		}
		return list, nil
	}}}
}

type pair struct{ start, end time.Time }

const (
	pairSize = 48      // bytes of a pair
	pairsMax = 1 << 20 // the slice begins anew then
)

var pairList []pair

func addPair(start time.Time) {
	if len(pairList) == pairsMax {
		pairList = pairList[:0]
	}
	pairList = append(pairList, pair{start, time.Now()})
}

//go:noinline
func pairLeaf(_ context.Context, a, n int) int {
	start := time.Now()
	r := work(a, n)
	addPair(start)
	return r
}

//go:noinline
func pairRecurse(ctx context.Context, n int) int {
	start := time.Now()
	r := 0
	if n > 0 {
		r = pairRecurse(ctx, n-1) + 1
	}
	addPair(start)
	return r
}
