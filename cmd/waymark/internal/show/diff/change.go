package diff

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/paths"
	"github.com/waymark-go/waymark/internal/calls"
)

// A Verdict says what the samples tell of a number.
type Verdict int

const (
	Same    Verdict = iota // in all samples of both sides
	Changed                // beyond noise
	Noise                  // samples differ, as those of one side do
	Unknown                // there are too few samples to tell
	Partial                // the times are not of all calls
)

// String returns the verdict's name in JSON.
func (v Verdict) String() string {
	return [...]string{"same", "changed", "noise", "unknown", "partial"}[v]
}

// A Change is a number before and after: the medians of the samples.
type Change struct {
	Before, After int64
	Verdict       Verdict
	P             float64 // that noise differs as much; 1 if there are too few samples to ask
}

// Share returns by which share the number has changed: 0.1 is 10 % more. ok is false if it was 0.
func (c *Change) Share() (share float64, ok bool) {
	if c.Before == 0 {
		return 0, false
	}
	return float64(c.After-c.Before) / float64(c.Before), true
}

// series are the numbers of a function or a path: by side, one of each sample.
type series [2][]calls.Numbers

func (s *series) add(side, sample int, n calls.Numbers) {
	for len(s[side]) <= sample {
		s[side] = append(s[side], calls.Numbers{})
	}
	n.Off = nil // which is not compared
	s[side][sample].Add(&n)
}

func (s *series) empty() bool { return len(s[Before]) == 0 && len(s[After]) == 0 }

// of returns a measure of all samples of a side.
func (s *series) of(side, measure, samples int) []int64 {
	list := make([]int64, samples)
	for i := range s[side] {
		list[i] = paths.Measures[measure].Of(&s[side][i])
	}
	return list
}

// compare compares the numbers of so many samples of each side.
func (s *series) compare(samples [2]int, alpha float64, demoted bool) (calls, total, self Change) {
	get := func(measure int) (a, b []int64) {
		return s.of(Before, measure, samples[Before]), s.of(After, measure, samples[After])
	}
	calls, total, self = change(get, paths.Calls, alpha), change(get, paths.Total, alpha), change(get, paths.Self, alpha)
	if demoted {
		total.Verdict, self.Verdict = Partial, Partial
	}
	return calls, total, self
}

// change compares a measure. Calls that are the same in all samples of a side are compared exactly.
func change(get func(measure int) (a, b []int64), measure int, alpha float64) Change {
	a, b := get(measure)
	c := Change{Before: median(a), After: median(b), P: 1}
	steady := slices.Min(a) == slices.Max(a) && slices.Min(b) == slices.Max(b)
	switch {
	case steady && a[0] == b[0]:
	case steady && measure == paths.Calls:
		c.Verdict, c.P = Changed, 0
	case smallest(len(a), len(b)) > alpha:
		c.Verdict = Unknown
	default:
		c.Verdict = Noise
		if c.P = probability(a, b); c.P <= alpha {
			c.Verdict = Changed
		}
	}
	return c
}

func median(list []int64) int64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	low, high := sorted[n/2-1], sorted[n/2]
	return low + (high-low)/2
}
