package recorder

import (
	"time"

	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// rate returns the clock's rate, in ticks per second, measured from start on for
// 200 us if it isn't known: good to about a thousandth. It serves files that end
// before a second pair of clocks is read.
func rate(h Hooks, c clock.Clock, start format.ClockPair) uint64 {
	for c.Hz == 0 {
		now := pair(h)
		if d := now.MonoNano - start.MonoNano; d > 200e3 {
			c.Hz = uint64(float64(now.Clock-start.Clock) * 1e9 / float64(d))
		}
	}
	return c.Hz
}

// pair reads the clocks together: of a few tries the one that took the least time.
func pair(h Hooks) format.ClockPair {
	awaitStep(h)
	var best format.ClockPair
	least := ^uint64(0)
	for i := 0; i < 5; i++ {
		before, _ := h.Clock()
		wall := time.Now().UnixNano()
		after, mono := h.Clock()
		if d := after - before; d < least {
			least = d
			best = format.ClockPair{Clock: before + d/2, UnixNano: wall, MonoNano: mono}
		}
	}
	return best
}

// ticks returns how many ticks of the events' clock d takes. start is a pair that was
// read before.
func ticks(h Hooks, d time.Duration, start format.ClockPair) uint64 {
	now := pair(h)
	if now.MonoNano <= start.MonoNano {
		return uint64(d)
	}
	return uint64(float64(d) * float64(now.Clock-start.Clock) / float64(now.MonoNano-start.MonoNano))
}
