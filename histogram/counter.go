package histogram

import "time"

// A Counter counts durations. The zero Counter is empty and ready. Only one goroutine at a time may
// use a Counter.
//
// A Counter takes 480 bytes, and 256 bytes more for each power of two with durations in it.
type Counter struct{ lines [lines]*[line]uint64 }

// Add counts d. A duration below 0 counts as 0.
func (c *Counter) Add(d time.Duration) {
	class := classOf(uint64(max(d, 0)))
	l := c.lines[class>>lineShift]
	if l == nil {
		l = new([line]uint64)
		c.lines[class>>lineShift] = l
	}
	l[class&(line-1)]++
}

// AddTo adds what c has counted to sum.
func (c *Counter) AddTo(sum *Counter) {
	for i, l := range c.lines {
		if l == nil {
			continue
		}
		if sum.lines[i] == nil {
			sum.lines[i] = new([line]uint64)
		}
		for j, n := range l {
			sum.lines[i][j] += n
		}
	}
}

// Reset forgets what was counted. The Counter keeps its memory.
func (c *Counter) Reset() {
	for _, l := range c.lines {
		if l != nil {
			*l = [line]uint64{}
		}
	}
}

// Histogram returns what c has counted.
func (c *Counter) Histogram() Histogram {
	var h Histogram
	for i, l := range c.lines {
		if l == nil {
			continue
		}
		for j, n := range l {
			if n > 0 {
				h.classes = append(h.classes, class{i<<lineShift + j, n})
			}
		}
	}
	return h
}
