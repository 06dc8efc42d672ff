package gather

import (
	"time"

	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// tails finds how long calls of each root take of which only a share takes longer.
type tails struct {
	share float64 // of calls that take no longer, as 0.99
	roots map[uint32]*tail
}

// A tail has what calls of a root took, in ticks: in the latest time, and before.
type tail struct {
	now, before histogram.Counter
	n, old      uint64 // durations in each
	fresh       bool   // there are some that were not looked at
}

// Bounds of tails.
const (
	tailLook   = 100 * time.Millisecond // for samples
	tailTurn   = 30 * time.Second       // what is older than two turns counts no more
	leastCalls = 100                    // of a root, before any of its calls is one of the slowest
)

// add takes a sample.
func (t *tails) add(site uint32, ticks uint64) {
	r := t.roots[site]
	if r == nil {
		r = new(tail)
		t.roots[site] = r
	}
	r.now.Add(time.Duration(ticks))
	r.n++
	r.fresh = true
}

// look calls set for each root about which there is news.
func (t *tails) look(set func(site uint32, ticks uint64)) {
	for site, r := range t.roots {
		if !r.fresh || r.n+r.old < leastCalls {
			continue
		}
		r.fresh = false
		// All of the class: what takes some 3 % more may do so by chance, if calls take nearly the same.
		_, below := histogram.Class(r.now.Histogram().Merge(r.before.Histogram()).Quantile(t.share))
		set(site, uint64(below-1))
	}
}

// turn forgets the oldest samples, of roots that have enough later ones.
func (t *tails) turn() {
	for site, r := range t.roots {
		switch {
		case r.n == 0:
			delete(t.roots, site)
			continue
		case r.n < leastCalls:
			continue // too few to say something without those before
		}
		r.before.Reset()
		r.now.AddTo(&r.before)
		r.now.Reset()
		r.old, r.n = r.n, 0
	}
}

// watchTails tells the runtime which root calls are among the slowest until the gatherer stops.
func (g *Gatherer) watchTails(share float64) {
	t := tails{share, make(map[uint32]*tail)}
	turned := time.Now()
	for g.over.Wait(0, tailLook) {
		g.mu.Lock()
		if g.last == nil { // else the number may be another Gatherer's
			rt.TailSamples(g.number, t.add)
			t.look(func(site uint32, ticks uint64) { rt.SetTail(g.number, site, ticks) })
		}
		g.mu.Unlock()
		if time.Since(turned) >= tailTurn {
			turned = time.Now()
			t.turn()
		}
	}
}
