// Package runtime, as waymark adds to it: traces that took longer than most of their root.
//
// Root calls that end leave samples of what they took. The library finds in these how long a call of each root
// must take to be one of the slowest, and says so.

package runtime

import "internal/runtime/atomic"

const (
	wmTailSamples = 1024 // that wait for the library; later ones take the place of the oldest
	wmTailRoots   = 1024 // functions; calls of others are kept for other reasons only
	wmTailTries   = 8

	// A sample is the id of a site, and ticks. wmTailTicks is the most that a root call has taken.
	wmTailShift = 64 - wmSiteBits
	wmTailTicks = 1<<wmTailShift - 1
)

// wmTailsOf are those of the gatherers, where the garbage collector does not look.
var wmTailsOf [WMGatherers]wmTails

// wmTails are the samples of a gatherer, and what the library has found.
type wmTails struct {
	on      atomic.Uint32
	next    atomic.Uint32
	samples [wmTailSamples]atomic.Uint64 // 0: none

	roots [wmTailRoots]struct { // by a hash of the id
		site   atomic.Uint32 // 0: none
		longer atomic.Uint64 // ticks
	}
}

// exceeded leaves a sample of a root call that took so many ticks, and reports whether that is more than most
// calls of its site take.
func (w *wmTails) exceeded(site uint32, took uint64) bool {
	w.samples[w.next.Add(1)%wmTailSamples].Store(uint64(site)<<wmTailShift | min(took, wmTailTicks))
	at := w.find(site)
	return at >= 0 && w.roots[at].site.Load() == site && took > w.roots[at].longer.Load()
}

// find returns the place of a site, or that for it, -1 if there is none.
func (w *wmTails) find(site uint32) int {
	for i := uint32(0); i < wmTailTries; i++ {
		at := (site*0x9e3779b1 + i) % wmTailRoots
		if s := w.roots[at].site.Load(); s == site || s == 0 {
			return int(at)
		}
	}
	return -1
}

// WMTails has a gatherer also keep traces that exceed what WMSetTail says, or no longer. It forgets what that said.
func WMTails(number int, on bool) {
	w := &wmTailsOf[number]
	w.on.Store(0)
	for i := range w.roots {
		w.roots[i].site.Store(0)
	}
	for i := range w.samples {
		w.samples[i].Store(0)
	}
	if on {
		w.on.Store(1)
	}
}

// WMTailSamples calls f for the samples since it was last called. One goroutine at a time may call it and WMSetTail
// for a gatherer.
func WMTailSamples(number int, f func(site uint32, ticks uint64)) {
	w := &wmTailsOf[number]
	for i := range w.samples {
		if s := w.samples[i].Swap(0); s != 0 {
			f(uint32(s>>wmTailShift), s&wmTailTicks)
		}
	}
}

// WMSetTail has traces kept whose root call, of that site, takes more ticks.
func WMSetTail(number int, site uint32, ticks uint64) {
	w := &wmTailsOf[number]
	if at := w.find(site); at >= 0 {
		w.roots[at].longer.Store(ticks)
		w.roots[at].site.Store(site)
	}
}
