package budget

// Values of the same size cost more or less: those behind pointers are looked for, texts are copied.
// Writing some of them is measured, and the costs are scaled by that. All functions have one scale,
// but a function that has lost its values keeps the scale of that time. The values of others may be
// of another kind.

const (
	leastScale = 0.25
	mostScale  = 10

	// So many events that are as expensive as Costs says are taken to have been measured before the
	// first one.
	assumed = 16

	// unseen is how many times more values cost a program than was measured while they were written.
	// Stores go on afterwards, and take the place of the program's data in caches. In the suites of a
	// btree and of a Markdown parser the measured costs lacked a fifth of what tracing added.
	unseen = 1.2

	// Events that are measured count half after so many others.
	recentValues = 4096
)

// A scale is how many times more values cost than Costs says. The zero scale is 1.
type scale struct{ events, costs, measured float64 }

// measure takes in what was measured.
func (c *scale) measure(costs *Costs, s *Sample) {
	t := &s.Values
	if t.Events == 0 {
		return
	}
	if c.events == 0 {
		c.events, c.costs, c.measured = assumed, assumed*costs.Values, assumed*costs.Values
	}
	c.events += float64(t.Events)
	c.costs += float64(t.Events)*costs.Values + float64(t.Bytes)*costs.Byte
	c.measured += unseen * max(float64(t.Ticks)*s.Tick-float64(t.Events)*costs.Read, 0)
	for c.events > 2*recentValues {
		c.events /= 2
		c.costs /= 2
		c.measured /= 2
	}
}

// now returns the scale.
func (c *scale) now() float64 {
	if c.costs <= 0 {
		return 1
	}
	return max(min(c.measured/c.costs, mostScale), leastScale)
}

// values returns the cost of events with values of so many bytes, to be scaled. It also returns
// that of integers and of what is not measured. Costs are in ns.
func (c *Costs) values(events, bytes, ints uint64) (values, others float64) {
	return float64(events)*c.Values + float64(bytes)*c.Byte, float64(events)*c.Boxed + float64(ints)*c.Int
}
