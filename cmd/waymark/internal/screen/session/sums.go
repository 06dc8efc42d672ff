package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/internal/program/control"
)

// sums are the numbers of functions, by name.
type sums map[string]*counted

// A counted function has numbers of what was on before, and of what is on.
type counted struct{ before, now control.Numbers }

// tell takes in what the program says. The program says nothing of functions that were not called.
// If there are many functions, it says only those with the most time. For others, what it has said
// before holds.
func (s sums) tell(list []control.Numbers) {
	told := make(map[string]control.Numbers)
	for _, n := range list {
		before, again := told[n.Function] // a package that was compiled for tests, too
		if again {
			n = added(before, n)
		}
		told[n.Function] = n
	}
	for name, n := range told {
		c := s[name]
		if c == nil {
			c = &counted{before: control.Numbers{Function: name}}
			s[name] = c
		}
		c.now = n
	}
}

// keep says that counting begins anew.
func (s sums) keep() {
	for name, c := range s {
		c.before, c.now = added(c.before, c.now), control.Numbers{Function: name}
		c.before.Open = 0
	}
}

// list returns all numbers, the greatest total first.
func (s sums) list() []control.Numbers {
	list := make([]control.Numbers, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		list = append(list, added(s[name].before, s[name].now))
	}
	slices.SortStableFunc(list, func(a, b control.Numbers) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
	return list
}

// added returns the numbers of all calls of a function.
func added(a, b control.Numbers) control.Numbers {
	switch {
	case a.Calls == 0 && a.Open == 0:
		return b
	case b.Calls == 0 && b.Open == 0:
		return a
	}
	sum := b
	if calls := a.Calls + b.Calls; calls > 0 {
		sum.AvgNS = int64((float64(a.AvgNS)*float64(a.Calls) + float64(b.AvgNS)*float64(b.Calls)) / float64(calls))
	}
	sum.Calls += a.Calls
	sum.Returned += a.Returned
	sum.Panics += a.Panics
	sum.Errors += a.Errors
	sum.Open += a.Open
	sum.TotalNS += a.TotalNS
	sum.SelfNS += a.SelfNS
	sum.MinNS, sum.MaxNS = min(a.MinNS, b.MinNS), max(a.MaxNS, b.MaxNS)
	sum.Parts = nil
	if a.Parts != nil || b.Parts != nil {
		sum.Parts = new(control.Parts)
		for _, p := range []*control.Parts{a.Parts, b.Parts} {
			if p != nil {
				sum.RunningNS += p.RunningNS
				sum.RunnableNS += p.RunnableNS
				sum.WaitingNS += p.WaitingNS
			}
		}
	}
	return sum
}
