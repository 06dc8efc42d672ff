package histogram

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// A Histogram is a distribution of durations, exact to 1.6 %. The zero Histogram has no durations.
type Histogram struct {
	classes []class // with durations in them, in ascending order
	unit    float64 // ns in what the classes count; 0 is 1
}

type class struct {
	number int
	n      uint64
}

// OfTicks returns a Histogram of what was counted in other units than ns, such as ticks of a clock.
// ns is the length of a unit. lines calls add for each line of 32 classes with durations in it, in
// ascending order. counts[i] durations were from + i*width units or more, and less than width more.
func OfTicks(ns float64, lines func(add func(from, width uint64, counts [line]uint64))) Histogram {
	h := Histogram{unit: ns}
	lines(func(from, _ uint64, counts [line]uint64) {
		for i, n := range counts {
			if n > 0 {
				h.classes = append(h.classes, class{classOf(from) + i, n})
			}
		}
	})
	return h
}

// In returns h with units that are ns long.
func (h Histogram) In(ns float64) Histogram { return Histogram{h.classes, ns} }

// Count returns the number of durations.
func (h Histogram) Count() uint64 {
	n := uint64(0)
	for _, c := range h.classes {
		n += c.n
	}
	return n
}

// Quantile returns the duration that a share q of all durations does not exceed. q is 0 to 1; 0.5
// is the median. Quantile returns 0 if there are no durations.
func (h Histogram) Quantile(q float64) time.Duration {
	all := h.Count()
	rank := uint64(math.Ceil(min(max(q, 0), 1) * float64(all)))
	n := uint64(0)
	for _, c := range h.classes {
		if n += c.n; n >= rank {
			return h.middle(c)
		}
	}
	return 0
}

// middle returns the duration that is nearest to all durations of the class, in proportion.
func (h Histogram) middle(c class) time.Duration {
	from, width := bounds(c.number)
	first, last := float64(from), float64(from+width-1)
	if last == 0 {
		return 0
	}
	return h.scaled(2 * first * last / (first + last))
}

// scaled converts a number of units to a Duration.
func (h Histogram) scaled(units float64) time.Duration {
	if h.unit > 0 {
		units *= h.unit
	}
	if units = math.Round(units); units < math.MaxInt64 {
		return time.Duration(units)
	}
	return math.MaxInt64
}

// Each calls f for each class with durations in it, in ascending order: n durations were from or
// more, and less than below.
func (h Histogram) Each(f func(from, below time.Duration, n uint64)) {
	for _, c := range h.classes {
		from, width := bounds(c.number)
		if h.unit > 0 {
			f(h.scaled(float64(from)), h.scaled(float64(from)+float64(width)), c.n)
		} else {
			f(duration(from), duration(from+width), c.n)
		}
	}
}

// Merge returns the distribution of the durations of h and o. The units of h and o must be the
// same.
func (h Histogram) Merge(o Histogram) Histogram {
	return h.combine(o, func(a, b uint64) uint64 { return a + b })
}

// Sub returns the distribution of the durations of h that are not in o, where o is an earlier
// Histogram of the same Counter. Counts may have run over in between.
func (h Histogram) Sub(o Histogram) Histogram {
	return h.combine(o, func(a, b uint64) uint64 { return a - b })
}

// combine returns the classes of h and o with the counts that f returns.
func (h Histogram) combine(o Histogram, f func(a, b uint64) uint64) Histogram {
	out := Histogram{unit: max(h.unit, o.unit)}
	a, b := h.classes, o.classes
	for len(a) > 0 || len(b) > 0 {
		var c class
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].number < b[0].number:
			c = class{a[0].number, f(a[0].n, 0)}
			a = a[1:]
		case len(a) == 0 || b[0].number < a[0].number:
			c = class{b[0].number, f(0, b[0].n)}
			b = b[1:]
		default:
			c = class{a[0].number, f(a[0].n, b[0].n)}
			a, b = a[1:], b[1:]
		}
		if c.n > 0 {
			out.classes = append(out.classes, c)
		}
	}
	return out
}

// A jsonClass is a class with durations in it, as JSON.
type jsonClass struct {
	From  int64  `json:"from_ns"`
	Below int64  `json:"below_ns"`
	N     uint64 `json:"n"`
}

// MarshalJSON writes a list of the classes with durations in them: from_ns, below_ns and n of each.
func (h Histogram) MarshalJSON() ([]byte, error) {
	list := []jsonClass{}
	h.Each(func(from, below time.Duration, n uint64) {
		list = append(list, jsonClass{int64(from), int64(below), n})
	})
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON has written. A Histogram that was counted in ns is the same
// again. A class of other units becomes the class of ns that its middle is in. An error names the
// first class that is not above the class before it.
func (h *Histogram) UnmarshalJSON(b []byte) error {
	var list []jsonClass
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	var out Histogram
	for i, c := range list {
		if c.From < 0 || c.Below < c.From || i > 0 && c.From < list[i-1].Below {
			return fmt.Errorf("histogram: class %d is from %d to %d ns: want ascending classes, from 0 on", i, c.From, c.Below)
		}
		// Below may be From where ticks are shorter than 1 ns.
		number := classOf(uint64(c.From + max(c.Below-1-c.From, 0)/2))
		if last := len(out.classes) - 1; last >= 0 && out.classes[last].number == number {
			out.classes[last].n += c.N
		} else {
			out.classes = append(out.classes, class{number, c.N})
		}
	}
	*h = out
	return nil
}
