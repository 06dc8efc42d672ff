package stats

import (
	"time"

	"github.com/waymark-go/waymark/internal/rt"
)

// An instant is a reading of the clock of calls, and of others.
type instant struct {
	clock uint64 // ticks
	mono  int64  // ns
	wall  time.Time
}

func now() instant {
	clock, mono := rt.Clock()
	return instant{clock, mono, time.Now()}
}

// shortest is how far readings must be apart at least to tell the clock's rate: to a thousandth, as reading takes 100 ns or so.
const shortest = 200 * time.Microsecond

// after gives a later instant, that far away.
func (i instant) after() instant {
	for {
		if n := now(); n.mono-i.mono >= int64(shortest) {
			return n
		}
	}
}

// nsPerTick gives the length of a tick between two readings.
func nsPerTick(from, to instant) float64 {
	if to.clock <= from.clock {
		return 1
	}
	return float64(to.mono-from.mono) / float64(to.clock-from.clock)
}
