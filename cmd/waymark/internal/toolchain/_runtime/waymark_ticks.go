// Package runtime, as waymark adds to it: ticks, for calls of which only the long ones are
// recorded.
//
// While there are ticks, a thread notes the clock every wmTickMicro, or somewhat later. A call that
// begins notes the latest tick and not the clock; if that is still the latest one when the call
// ends, the call was short, and the clock isn't read at all. Else it is read, and the call has
// taken what lies between the tick and now, at most a tick too much.
//
// That misses a call of 100 us or more only where two ticks lie further apart, as the thread got no
// CPU. It counts that time, and stops for a while: then calls read the clock, as they do without
// ticks.
//
// A wake-up takes some microseconds of CPU time, and 27 were measured in a virtual machine, where
// timers are dear. So ticks pay only where there are millions of such calls per second, and are
// left to others to want.

package runtime

// wmTicked is what the assembly reads, apart from what others write.
var wmTicked struct {
	_   [64]byte
	now uint64 // clock of the latest tick; 0: there are none
	_   [64]byte
}
