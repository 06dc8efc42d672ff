package budget

// Costs of this machine come from the time of two reads of the clock, which docs/performance.md
// measures recorded and timed calls in. In programs that do something between calls, a call was
// measured to cost 1.2 to 2.3 times as much as in a loop of calls. Its code and its words are not
// in the cache there.
//
// What counting costs depends on the program more than on the machine. A loop of counted calls takes
// 0.6 ns for each, see crowded, an interpreter 1.4 (decision 206), and the suite of a Markdown parser some 3, as
// the code of many functions is in the cache no more.
const (
	perCall  = 2.2  // of a recorded or timed call, in reads of two clocks
	perWrite = 0.6  // of what is done with its two events in the background, until that is measured
	perLong  = 1.4  // of a call that is recorded if it takes long
	perCount = 2.0  // of a call that is counted, ns
	perBox   = 1.0  // of asking whether anybody wants the values, ns
	perValue = 15.0 // of an event with values, until that is measured, ns
	perByte  = 0.7  // and of each byte of them, ns
	perBoxed = 4.0  // of an event with values, before they are written: it is not measured, ns
	perInt   = 5.0  // of an integer, ns
)

// crowded returns what share of perCount a call takes where so many are counted in a ns of CPU time: the less other
// code there is, the more of the counting is hidden behind it, and all of it is in the cache.
func crowded(rate float64) float64 { return max(1-rate, 0.3) }

// Calibrate returns what tracing costs. floor reads the clock twice, n times; now is a clock in ns.
func Calibrate(floor func(n int) uint64, now func() int64) Costs {
	const n = 500
	least := int64(1 << 62)
	for i := 0; i < 8; i++ { // 100 us in all; other work may come in between
		from := now()
		floor(n)
		least = min(least, now()-from)
	}
	reads := max(float64(least)/n, 1)
	return Costs{
		Call: perCall * reads, Write: perWrite * reads, Read: reads / 2,
		Values: perValue, Byte: perByte, Boxed: perBoxed, Int: perInt,
		Long: perLong*reads + perCount, Counted: perCount, Unread: perBox,
	}
}
