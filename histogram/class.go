package histogram

import (
	"math"
	"math/bits"
	"time"
)

// Classes are numbered from 0. Those of a line of 32 lie beside each other: the durations below 32 ns, those below 64 ns, and
// from then on each power of two.
const (
	lineShift = 5
	line      = 1 << lineShift
	lines     = 64 - lineShift + 1 // of 64-bit numbers
)

// classOf gives the class of a duration in ns.
func classOf(ns uint64) int {
	shift := bits.Len64(ns|(2*line-1)) - lineShift - 1
	return shift<<lineShift + int(ns>>shift)
}

// bounds gives the shortest duration of a class, and how many there are in it.
func bounds(class int) (from, width uint64) {
	shift := max(class>>lineShift-1, 0)
	return uint64(class-shift<<lineShift) << shift, 1 << shift
}

// duration makes a Duration of ns, which may be more than one can hold.
func duration(ns uint64) time.Duration { return time.Duration(min(ns, math.MaxInt64)) }

// Class gives the bounds of the class that a duration is counted in: from the first one up to, and without, the second.
func Class(d time.Duration) (from, below time.Duration) {
	first, width := bounds(classOf(uint64(max(d, 0))))
	return duration(first), duration(first + width)
}
