package stats

import (
	"cmp"
	"slices"
	"time"
)

// A Sum adds up the calls of several functions.
type Sum struct {
	Name   string
	Calls  uint64
	Open   uint64
	Panics uint64
	Errors uint64
	Self   time.Duration // in these functions, so that the sums of all packages are the whole
}

// Packages adds up functions by package, in the order of self time.
func (s *Snapshot) Packages() []Sum {
	return s.sum(func(f *Stat) []string { return []string{f.Package} })
}

// Groups adds up functions by group, in the order of self time. Those of a group in another one count for both.
func (s *Snapshot) Groups() []Sum {
	return s.sum(func(f *Stat) []string { return f.Function.Groups })
}

// sum adds up functions by names that they have.
func (s *Snapshot) sum(names func(*Stat) []string) []Sum {
	index := make(map[string]int)
	var list []Sum
	for i := range s.Functions {
		f := &s.Functions[i]
		for _, name := range names(f) {
			at, ok := index[name]
			if !ok {
				at = len(list)
				index[name] = at
				list = append(list, Sum{Name: name})
			}
			to := &list[at]
			to.Calls += f.Calls
			to.Open += f.Open
			to.Panics += f.Panics
			to.Errors += f.Errors
			to.Self += f.Self
		}
	}
	slices.SortFunc(list, func(a, b Sum) int {
		if c := cmp.Compare(b.Self, a.Self); c != 0 {
			return c
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return list
}
