package recorder

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A gap is what a test lacks.
type gap struct {
	bound    uint64 // clock of the last failure before
	from, to uint64
	events   uint64
	lows     map[uint64]format.Low
	said     uint64 // of events, how many the file says
}

func (k *keeping) bound(clock uint64) {
	if n := len(k.bounds); n == 0 || k.bounds[n-1] < clock {
		k.bounds = append(k.bounds, clock)
	}
}

// boundAt returns the clock of the last failure until a clock, 0 if there was none.
func (k *keeping) boundAt(clock uint64) uint64 {
	i, ok := slices.BinarySearch(k.bounds, clock)
	if ok {
		return k.bounds[i]
	}
	if i == 0 {
		return 0
	}
	return k.bounds[i-1]
}

// mostLows bounds the goroutines of which is told how far they unwound.
const mostLows = 1 << 18

// lacks notes that a region of the test's time is given back.
func (t *testRun) lacks(g *region, bound uint64) {
	var to *gap
	for _, one := range t.gaps {
		if one.bound == bound {
			to = one
		}
	}
	if to == nil {
		to = &gap{bound: bound, from: g.from, lows: make(map[uint64]format.Low)}
		t.gaps = append(t.gaps, to)
	}
	to.to, to.events = max(to.to, g.to), to.events+g.events
	for _, l := range g.lows {
		if old, ok := to.lows[l.Goroutine]; ok {
			to.lows[l.Goroutine] = old.Lower(l)
		} else if len(to.lows) < mostLows {
			to.lows[l.Goroutine] = l
		}
	}
	for _, id := range g.ended {
		delete(to.lows, id)
	}
}

// recentFailed is how many of the tests that failed last are looked at for what they lack.
const recentFailed = 1000

// unsaid returns what the file does not say yet of what tests lack. The tests are those that run
// and that failed last, or at the end of the recording all. A gap that grows is said again only
// when it has doubled: a test that runs for hours should not make the file grow.
func (k *keeping) unsaid(all bool) (list []format.Gap) {
	last := k.boundAt(never)
	say := func(t *testRun) {
		for _, g := range t.gaps {
			grows := !all && t.end == never && g.bound == last
			if g.events == g.said || grows && g.events < 2*g.said {
				continue
			}
			g.said = g.events
			one := format.Gap{Test: t.begin, From: g.from, To: g.to, Events: g.events}
			for _, l := range g.lows {
				one.Lows = append(one.Lows, l)
			}
			slices.SortFunc(one.Lows, func(a, b format.Low) int { return cmp.Compare(a.Goroutine, b.Goroutine) })
			list = append(list, one)
		}
	}
	for _, t := range k.running {
		say(t)
	}
	for i := len(k.failed) - 1; i >= 0 && (all || i >= len(k.failed)-recentFailed); i-- {
		say(k.failed[i])
	}
	if k.given >= 2*k.said && k.given > 0 || all && k.given > k.said {
		k.said = k.given
		list = append(list, format.Gap{Events: k.given})
	}
	return list
}
