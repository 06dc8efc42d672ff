package testtrace

import (
	"cmp"
	"slices"
	"sort"
)

// A timeline knows when exactly one test was running. A test with a running subtest
// waits for it, so that it doesn't count.
type timeline []span

// A span lasts until the next one begins.
type span struct {
	from uint64 // clock
	n    int    // tests that were running
	only *Test  // if n is 1
}

func newTimeline(tests []*Test) timeline {
	type change struct {
		clock uint64
		test  *Test
		runs  bool
	}
	var changes []change
	for _, t := range tests {
		changes = append(changes, change{t.Begin, t, true})
		if t.waitFrom < t.waitTo {
			changes = append(changes, change{t.waitFrom, t, false})
			if t.waitTo <= t.End && t.waitTo != never {
				changes = append(changes, change{t.waitTo, t, true})
			}
		}
		if t.End != never {
			changes = append(changes, change{t.End + 1, t, false})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.clock, b.clock) })

	running := make(map[*Test]bool)
	subtests := make(map[*Test]int) // that are running
	leaves := make(map[*Test]bool)  // running, and no subtest is
	update := func(t *Test) {
		if running[t] && subtests[t] == 0 {
			leaves[t] = true
		} else {
			delete(leaves, t)
		}
	}
	var line timeline
	for _, c := range changes {
		if running[c.test] == c.runs {
			continue
		}
		if running[c.test] = c.runs; c.runs {
			subtests[c.test.parent]++
		} else {
			subtests[c.test.parent]--
		}
		update(c.test)
		update(c.test.parent)
		s := span{from: c.clock, n: len(leaves)}
		if s.n == 1 {
			for s.only = range leaves {
			}
		}
		line = append(line, s)
	}
	return line
}

// at returns the test that runs at the given clock; it is not ok if there are several.
func (l timeline) at(clock uint64) (only *Test, ok bool) {
	i := sort.Search(len(l), func(i int) bool { return l[i].from > clock })
	if i == 0 {
		return nil, true
	}
	return l[i-1].only, l[i-1].n < 2
}
