package calltree

import "math/bits"

// A Scale says how long a tick is: Ticks of them last Nanos nanoseconds. The zero
// value stands for a clock that counts nanoseconds.
type Scale struct {
	Ticks, Nanos uint64
}

// Nanoseconds turns a duration from ticks to nanoseconds, rounded to the nearest.
func (s Scale) Nanoseconds(ticks uint64) int64 {
	if s.Ticks == 0 || s.Ticks == s.Nanos {
		return int64(min(ticks, 1<<63-1))
	}
	hi, lo := bits.Mul64(ticks, s.Nanos)
	lo, carry := bits.Add64(lo, s.Ticks/2, 0)
	hi += carry
	if hi >= s.Ticks {
		return 1<<63 - 1
	}
	ns, _ := bits.Div64(hi, lo, s.Ticks)
	return int64(min(ns, 1<<63-1))
}

// TicksOf returns the fewest ticks that last at least ns nanoseconds.
func (s Scale) TicksOf(ns int64) uint64 {
	if ns <= 0 {
		return 0
	}
	if s.Nanos == 0 || s.Ticks == s.Nanos {
		return uint64(ns)
	}
	hi, lo := bits.Mul64(uint64(ns), s.Ticks)
	lo, carry := bits.Add64(lo, s.Nanos-1, 0)
	hi += carry
	if hi >= s.Nanos {
		return 1<<64 - 1
	}
	ticks, _ := bits.Div64(hi, lo, s.Nanos)
	return ticks
}
