package tracefile

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Level says how much of a function's calls a recording gets.
type Level uint8

const (
	Full        Level = format.LevelFull     // all
	Unvalued    Level = format.LevelUnvalued // all but values
	Counted     Level = format.LevelCounted  // their number, and a Long event for each that takes long
	CountedOnly Level = format.LevelOnly     // their number
	Sampled     Level = format.LevelSampled  // samples, of which their number is estimated; as of levels that only later versions know
)

var levelNames = [...]string{"full", "without values", "counted", "counted only", "sampled"}

// String returns "full", "without values", "counted", "counted only" or "sampled".
func (l Level) String() string { return levelNames[min(l, Sampled)] }

// A Demotion is a change of a function's Level. To keep to its budget, a program records less of
// the functions that cost most, and more again when there is room.
type Demotion struct {
	Clock uint64 // ticks of the program's clock
	Func  uint32 // id, see File.Func
	Level Level
	Calls uint64 // counted from then on, until the function's next Demotion; an estimate if Level is Sampled
}

// counts are the payload of a Counts block. It stays encoded, in a quarter of the memory: a program
// may write one each second.
type counts struct {
	clock   uint64
	payload []byte
}

// addCounts takes in a Counts block.
func (f *File) addCounts(payload []byte) error {
	clock, _, err := format.ParseCounts(payload)
	if err == nil {
		f.counts = append(f.counts, counts{clock, slices.Clone(payload)})
	}
	return err
}

// countsIn calls do for what Counts blocks say after a clock, 0 for all, and until another one, in the
// order of time. It looks at no other blocks: there are two for each test, and a test is one of many.
func (f *File) countsIn(after, until uint64, do func(clock uint64, c format.Count)) {
	f.sortCounts()
	blocks := f.countsOf
	blocks = blocks[:sort.Search(len(blocks), func(i int) bool { return blocks[i].clock > until })]
	if after > 0 {
		blocks = blocks[sort.Search(len(blocks), func(i int) bool { return blocks[i].clock > after }):]
	}
	for _, b := range blocks {
		_, list, _ := format.ParseCounts(b.payload) // without an error, as addCounts knows
		for _, c := range list {
			do(b.clock, c)
		}
	}
}

// sortCounts puts Counts blocks in the order of time.
func (f *File) sortCounts() {
	f.countsOnce.Do(func() {
		f.countsOf = slices.Clone(f.counts)
		slices.SortStableFunc(f.countsOf, func(a, b counts) int { return cmp.Compare(a.clock, b.clock) })
	})
}

// Demotions returns the changes of levels in the order of time. A function that is in none was at
// Full all the time. The Calls of a function's Demotions add up to those that the program counted
// and did not record. The result must not be changed.
func (f *File) Demotions() []Demotion {
	f.demotedOnce.Do(func() { f.demotions = f.findDemotions() })
	return f.demotions
}

func (f *File) findDemotions() (list []Demotion) {
	latest := make(map[uint32]int) // index in list
	f.countsIn(0, math.MaxUint64, func(clock uint64, c format.Count) {
		i, ok := latest[c.Site]
		if ok {
			list[i].Calls += c.Calls // while it was at the level before
		}
		level := min(Level(c.Level), Sampled)
		if ok && list[i].Level == level || !ok && level == Full && c.Calls == 0 {
			return
		}
		latest[c.Site] = len(list)
		d := Demotion{Clock: clock, Func: c.Site, Level: level}
		if !ok {
			d.Calls = c.Calls // the block before was lost, or is in an earlier part
		}
		list = append(list, d)
	})
	return list
}

// Counted returns how many calls in a range were counted and not recorded, by function. They
// include the calls that Long events report: a function was called as often as it has Enter events,
// and that.
//
// Programs read their counters when a level changes, and at the begin and at the end of tests that
// don't follow each other at once. They read them at the end of the recording, and else about once
// a second. Counted returns the calls between the last reading at From or before and the last at To
// or before.
func (f *File) Counted(r Range) map[uint32]uint64 {
	calls := make(map[uint32]uint64)
	f.countsIn(r.From, r.end(), func(clock uint64, c format.Count) {
		if c.Calls > 0 {
			calls[c.Site] += c.Calls
		}
	})
	return calls
}

// A Guess is how many calls of a function nobody counted: an estimate, by what was counted in windows at random
// moments.
//
//	Calls   uint64
//	Windows uint64  // in which calls were counted
//	Squares float64 // of the calls that each window stands for: their sum
//	Most    float64 // calls, if there were as many all the time as there ever were while they were counted
type Guess = estimate.Guess

// Guessed returns which of the calls that Counted returns are estimates, by function: those of functions that were
// Sampled at some time in the range.
func (f *File) Guessed(r Range) map[uint32]Guess {
	guessed, sampled := make(map[uint32]Guess), make(map[uint32]bool)
	f.countsIn(0, r.end(), func(clock uint64, c format.Count) {
		if sampled[c.Site] && clock > r.From {
			g := guessed[c.Site]
			g.Add(estimate.GuessOf(c))
			guessed[c.Site] = g
		}
		sampled[c.Site] = Level(c.Level) >= Sampled
	})
	for site, still := range sampled {
		if still {
			guessed[site] = guessed[site] // of which no more was said
		}
	}
	return guessed
}

// Readings returns the range between two readings of counters. The range begins at the last one at
// r.From or before, 0 if there is none. It ends at the first one at r.To or later, or the last one
// of all.
func (f *File) Readings(r Range) Range {
	f.sortCounts()
	list := f.countsOf
	if len(list) == 0 {
		return Range{}
	}
	var around Range
	if i := sort.Search(len(list), func(i int) bool { return list[i].clock > r.From }); i > 0 {
		around.From = list[i-1].clock
	}
	i := sort.Search(len(list), func(i int) bool { return list[i].clock >= r.end() })
	around.To = list[min(i, len(list)-1)].clock
	return around
}

// CountedUntil returns the clock when the program last read its counters, 0 if it never did. What a
// program that was killed counted later is lost.
func (f *File) CountedUntil() uint64 {
	last := uint64(0)
	for _, b := range f.counts {
		last = max(last, b.clock)
	}
	return last
}
