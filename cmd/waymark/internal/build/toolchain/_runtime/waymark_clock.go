// Package runtime, as waymark adds to it: the clock of events and of timed calls.

package runtime

import "unsafe"

// WMSetClock chooses the clock of events and of timed calls, once, before the first of them: the processor's counter, else
// the monotonic clock.
func WMSetClock(counter bool) { wm.counter = counter }

// WMClock reads the clock of the events, in ticks, and the monotonic clock, in ns.
func WMClock() (clock uint64, mono int64) { return wmClock(), nanotime() }

// WMCounter describes the processor's counter. name is empty if there is no
// counter. constant says that the counter counts at a constant rate, as the
// processor says. hz is the rate in ticks per second, 0 if the processor doesn't
// say it.
func WMCounter() (name string, constant bool, hz uint64) { return wmCounter() }

func wmClock() uint64 {
	if wm.counter {
		return wmTicks()
	}
	return uint64(nanotime())
}

// wmRate returns the ticks per second of the clock, which has been chosen. It may wait for some ms.
func wmRate() uint64 {
	if !wm.counter {
		return 1e9
	}
	if _, _, rate := wmCounter(); rate != 0 {
		return rate
	}
	return uint64(ticksPerSecond()) // of the counter, where the processor doesn't say
}

// wmPair notes both clocks in the control chunk, for readers of the arena.
func wmPair() {
	*(*uint64)(unsafe.Pointer(wm.base + wmArenaClock)) = wmClock()
	*(*uint64)(unsafe.Pointer(wm.base + wmArenaMono)) = uint64(nanotime())
}
