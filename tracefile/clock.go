package tracefile

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A timeline turns ticks into nanoseconds: ns = ticks * scale / 2^shift. The scale has as many
// bits as fit, so that it is good to a nanosecond for any number of ticks. It costs a
// multiplication instead of a division.
type timeline struct {
	start uint64 // ticks
	scale uint64
	shift uint
}

// newTimeline makes the timeline on which ticks, counted from start, take ns.
func newTimeline(start, ticks, ns uint64) timeline {
	// The largest shift for which ns<<shift / ticks is below 2^64.
	shift := uint(63)
	for shift > 0 && ns>>(64-shift) >= ticks {
		shift--
	}
	scale, rest := bits.Div64(ns>>(64-shift), ns<<shift, ticks)
	if rest > 0 && scale < math.MaxUint64 {
		scale++ // else the last of the ticks would come out 1 ns early
	}
	return timeline{start, scale, shift}
}

func (t *timeline) nanos(clock uint64) int64 {
	if clock < t.start {
		return -t.span(t.start - clock)
	}
	return t.span(clock - t.start)
}

// span returns the ns that ticks take, at most what an int64 holds.
func (t *timeline) span(ticks uint64) int64 {
	hi, lo := bits.Mul64(ticks, t.scale)
	if hi>>t.shift != 0 {
		return math.MaxInt64
	}
	return int64(min(hi<<(64-t.shift)|lo>>t.shift, math.MaxInt64))
}

// Nanos returns the time of a clock reading, such as Event.Clock, in ns
// since the start of the recording. It is negative for what was before, and
// never decreases as clock increases.
//
// The first and the last Clock block of the file give the scale. A file that was cut off early has
// only one. Then the scale is the program's own estimate of its clock's rate, good to about a
// thousandth.
func (f *File) Nanos(clock uint64) int64 { return f.time.nanos(clock) }

// ClockAt returns the first clock reading that is at t since the start of the recording, or later.
func (f *File) ClockAt(t time.Duration) uint64 {
	low, high := uint64(0), uint64(1)<<63
	for low < high {
		if mid := low + (high-low)/2; f.Nanos(mid) < int64(t) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// setTimeline makes the timeline from what the index found. first is the earliest clock of an
// Events block, for files that have lost their Clock blocks.
func (f *File) setTimeline(first uint64) {
	if len(f.pairs) == 0 {
		f.time = newTimeline(first, f.hz(), 1e9)
		return
	}
	a, b := f.pairs[0], f.pairs[len(f.pairs)-1]
	if b.Clock > a.Clock && b.MonoNano > a.MonoNano {
		f.time = newTimeline(a.Clock, b.Clock-a.Clock, uint64(b.MonoNano)-uint64(a.MonoNano))
	} else {
		f.time = newTimeline(a.Clock, f.hz(), 1e9)
	}
}

// hz returns the estimated rate of the program's clock, ticks per second. Without
// one a tick counts as a nanosecond.
func (f *File) hz() uint64 {
	if hz, err := strconv.ParseUint(f.meta[format.MetaHz], 10, 64); err == nil && hz > 0 {
		return hz
	}
	return 1e9
}
