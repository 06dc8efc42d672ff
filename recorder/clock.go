package recorder

import (
	"strings"
	"time"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/rt"
)

// nanotime is the name of the runtime's monotonic clock, which every machine has.
const nanotime = "nanotime"

// A clock is what events carry the time of.
type clock struct {
	name string
	hz   uint64 // ticks per second; 0 if that has to be measured
}

// Clocks lists the clocks that this machine has, for Config.Clock. The first is the
// one to use: the processor's counter where it is constant and the same on all
// CPUs, else the runtime's monotonic clock, which costs more to read.
func Clocks() []string {
	switch name, constant, _ := rt.Counter(); {
	case name == "":
		return []string{nanotime}
	case constant && trusted(name):
		return []string{name, nanotime}
	default:
		return []string{nanotime, name}
	}
}

// chooseClock gives the clock of that name, which is one of Clocks.
func chooseClock(name string) clock {
	if counter, _, hz := rt.Counter(); name == counter {
		return clock{name, hz}
	}
	return clock{nanotime, 1e9}
}

// counter tells whether the clock is the processor's counter.
func (c clock) counter() bool { return c.name != nanotime }

// clockSources is where Linux lists the clocks that it found good.
const clockSources = "/sys/devices/system/clocksource/clocksource0/available_clocksource"

// trusted tells whether the kernel thinks the counter good. CPUID tells that a
// time stamp counter is constant, but not that those of all CPUs agree; the kernel
// compares them and strikes tsc from its list when they don't. Where there is no
// list the processor's word has to do.
func trusted(counter string) bool {
	b := make([]byte, 4096)
	n, err := head(clockSources, b)
	return err != nil || listed(string(b[:n]), counter)
}

// listed tells whether the kernel's list of clocks doesn't speak against a counter.
// Of others than the time stamp counter it says nothing.
func listed(sources, counter string) bool {
	if counter != "tsc" || sources == "" {
		return true
	}
	for _, s := range strings.Fields(sources) {
		if s == counter {
			return true
		}
	}
	return false
}

// rate gives the clock's rate, in ticks per second, measured from start on for
// 200 us if it isn't known: good to about a thousandth. It serves files that end
// before a second pair of clocks is read.
func (c clock) rate(start format.ClockPair) uint64 {
	for c.hz == 0 {
		now := pair()
		if d := now.MonoNano - start.MonoNano; d > 200e3 {
			c.hz = uint64(float64(now.Clock-start.Clock) * 1e9 / float64(d))
		}
	}
	return c.hz
}

// pair reads the clocks together: of a few tries the one that took the least time.
func pair() format.ClockPair {
	awaitStep()
	var best format.ClockPair
	least := ^uint64(0)
	for i := 0; i < 5; i++ {
		before, _ := rt.Clock()
		wall := time.Now().UnixNano()
		after, mono := rt.Clock()
		if d := after - before; d < least {
			least = d
			best = format.ClockPair{Clock: before + d/2, UnixNano: wall, MonoNano: mono}
		}
	}
	return best
}

// ticks gives how many ticks of the events' clock d takes. start is a pair that was
// read before.
func ticks(d time.Duration, start format.ClockPair) uint64 {
	now := pair()
	if now.MonoNano <= start.MonoNano {
		return uint64(d)
	}
	return uint64(float64(d) * float64(now.Clock-start.Clock) / float64(now.MonoNano-start.MonoNano))
}
