package stats

import (
	"cmp"
	"slices"
	"time"
)

// A Sum is the numbers of several functions: those of a package, or those in a group.
type Sum struct {
	Name   string // of the package or the group
	Calls  uint64
	Open   uint64
	Panics uint64
	Errors uint64
	Self   time.Duration // the sums of all packages are the self time of the program
}

// Packages returns the sums of packages, the greatest self time first.
func (s *Snapshot) Packages() []Sum {
	return s.sum(func(f *Stat) []string { return []string{f.Package} })
}

// Groups returns the sums of groups, the greatest self time first. Functions of a group that is in
// another group count for both.
func (s *Snapshot) Groups() []Sum {
	return s.sum(func(f *Stat) []string { return f.Groups })
}

// sum adds up the functions that have a name in common.
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
