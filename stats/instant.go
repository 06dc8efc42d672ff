package stats

import "time"

// An instant is a reading of three clocks at the same time: the clock of calls, and two others.
type instant struct {
	clock uint64 // ticks
	mono  int64  // ns
	wall  time.Time
}

func now(rt sums) instant {
	clock, mono := rt.Clock()
	return instant{clock, mono, time.Now()}
}

// shortest is how far two readings are apart at least, so that they give the clock's rate to a
// thousandth. A reading takes some 100 ns.
const shortest = 200 * time.Microsecond

// after returns an instant that is shortest or more after i.
func (i instant) after(rt sums) instant {
	for {
		if n := now(rt); n.mono-i.mono >= int64(shortest) {
			return n
		}
	}
}

// nsPerTick returns the length of a tick between two readings, in ns.
func nsPerTick(from, to instant) float64 {
	if to.clock <= from.clock {
		return 1
	}
	return float64(to.mono-from.mono) / float64(to.clock-from.clock)
}
