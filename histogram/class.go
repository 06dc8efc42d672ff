package histogram

import (
	"math"
	"math/bits"
	"time"
)

// Classes are numbered from 0. The 32 classes of a line lie beside each other. The first line has
// the durations below 32 ns, the second those below 64 ns, and so on by powers of two.
const (
	lineShift = 5
	line      = 1 << lineShift
	lines     = 64 - lineShift + 1 // of 64-bit numbers
)

// classOf returns the class of a duration in ns.
func classOf(ns uint64) int {
	shift := bits.Len64(ns|(2*line-1)) - lineShift - 1
	return shift<<lineShift + int(ns>>shift)
}

// bounds returns the shortest duration of a class, and how many durations are in the class, in ns.
func bounds(class int) (from, width uint64) {
	shift := max(class>>lineShift-1, 0)
	return uint64(class-shift<<lineShift) << shift, 1 << shift
}

// duration converts ns to a Duration. What is more than a Duration can hold becomes the greatest.
func duration(ns uint64) time.Duration { return time.Duration(min(ns, math.MaxInt64)) }

// Class returns the bounds of the class that counts d: from is in the class, below is not.
func Class(d time.Duration) (from, below time.Duration) {
	first, width := bounds(classOf(uint64(max(d, 0))))
	return duration(first), duration(first + width)
}
