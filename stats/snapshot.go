package stats

import (
	"math"
	"slices"
	"time"

	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// Numbers are what was gathered of calls.
type Numbers struct {
	Calls  uint64 // that have begun
	Open   uint64 // calls in progress at the end
	Panics uint64 // calls that a panic ended, or that recovered one
	Errors uint64 // timed calls that returned an error, their last result

	// Without times they are 0. Calls in progress count until now.
	Total     time.Duration // of those that no other call of the function was around
	Self      time.Duration // without the calls that they made, of functions that are timed
	Min, Max  time.Duration
	Avg       time.Duration       // of all calls
	Durations histogram.Histogram // of those that have ended; empty unless it was wanted

	quantiles *Quantiles // if they were read
}

// Quantiles are the durations that so many of all calls don't exceed.
type Quantiles struct {
	P50  time.Duration `json:"p50_ns"`
	P90  time.Duration `json:"p90_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`
}

// Quantiles gives those of calls that have ended; nil if the distribution isn't known.
func (n *Numbers) Quantiles() *Quantiles {
	d := n.Durations
	if d.Count() == 0 {
		return n.quantiles
	}
	quantile := func(q float64) time.Duration { return min(max(d.Quantile(q), n.Min), n.Max) }
	return &Quantiles{quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999)}
}

// A Stat is what was gathered of a function's calls.
type Stat struct {
	Function
	Numbers

	site   uint32
	sample sample
}

// A Snapshot is what was gathered between two instants.
type Snapshot struct {
	From, To  time.Time
	Functions []Stat // with calls, in the order of packages' initialisation, then of the source

	// Goroutines counts those that have made timed calls, since the program began.
	Goroutines uint64

	unit  float64 // ns in a tick
	clock uint64  // at To
}

// Take gives what was gathered since Start, or since Reset. Of calls that begin or end
// meanwhile a part may be in it. The program stands still for as long as it takes to look at the calls in progress of all goroutines, some 30 us if
// there are few.
func Take() *Snapshot { return gathering.take() }

// Reset has what was gathered until now left out from then on.
func Reset() {
	s := &gathering
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		return
	}
	s.start, s.base = now(), make(map[uint32]sample)
	list, _ := openCalls()
	for site, open := range list {
		if x := read(uint32(site), open); x.Calls > 0 {
			s.base[uint32(site)] = x
		}
	}
}

func (s *state) take() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		return new(Snapshot)
	}
	end := s.first.after()
	open, clock := openCalls()
	snap := &Snapshot{From: s.start.wall, Goroutines: rt.TimedGoroutines(), unit: nsPerTick(s.first, end), clock: clock}
	// By the clock of calls, so that none is longer.
	snap.To = snap.From.Add(nanoseconds(more(clock, s.start.clock), snap.unit))
	for _, t := range switchboard.Default.Tables() {
		for i, f := range t.Funcs() {
			site := t.Base + uint32(i)
			if int(site) >= len(open) {
				continue // it has been loaded meanwhile
			}
			x := read(site, open[site])
			if x.Calls == 0 {
				continue
			}
			if x = x.since(s.base[site]); x.happened() {
				snap.Functions = append(snap.Functions, Stat{functionOf(f), x.in(snap.unit), site, x})
			}
		}
	}
	return snap
}

// Since gives what was gathered after another snapshot, which was taken before with no Reset between. The shortest and the
// longest call are as exact then as the distribution is; without one they are those since Start.
//
// Only Take returns snapshots that can be subtracted: if one of the two is zero, or was read from JSON, Since
// returns a copy of s.
func (s *Snapshot) Since(before *Snapshot) *Snapshot {
	if s.clock == 0 || before.clock == 0 {
		all := *s
		all.Functions = slices.Clone(s.Functions)
		return &all
	}
	old := make(map[uint32]sample)
	for i := range before.Functions {
		old[before.Functions[i].site] = before.Functions[i].sample
	}
	out := &Snapshot{To: s.To, Goroutines: s.Goroutines, unit: s.unit, clock: s.clock}
	// The rate of the clock is known better by now.
	out.From = s.To.Add(-nanoseconds(more(s.clock, before.clock), s.unit))
	for _, f := range s.Functions {
		if x := f.sample.since(old[f.site]); x.happened() {
			f.Numbers, f.sample = x.in(s.unit), x
			out.Functions = append(out.Functions, f)
		}
	}
	return out
}

// A sample is what has been added up of a site's calls, in ticks.
type sample struct {
	rt.Sum
	open        uint64
	before      uint64              // of a difference: calls in progress when it begins, which Calls doesn't have
	histogram   histogram.Histogram // in ticks
	least, most uint64              // of calls in progress; ^0 and 0 if there are none
}

// openCalls returns what calls in progress have taken, by site, at an instant of the clock.
func openCalls() (open []rt.Open, clock uint64) {
	open = make([]rt.Open, rt.Sites())
	return open, rt.OpenCalls(open)
}

// read gives what all CPUs have added up, and calls in progress with it.
func read(site uint32, open rt.Open) sample {
	x := sample{Sum: open.Ended, least: ^open.Least, most: open.Most}
	if open.Least == 0 { // there are none
		x.Sum = rt.SumOf(site)
	}
	if x.Calls == 0 {
		return x
	}
	x.open = x.Calls - x.Ended
	x.histogram = distribution(site)
	x.Total += open.Total
	x.Inner += open.Inner
	x.Self += open.Self
	x.Panics += open.Panics
	return x
}

// distribution gives that of a site's calls, in ticks.
func distribution(site uint32) histogram.Histogram {
	return histogram.OfTicks(1, func(add func(from, width uint64, counts [32]uint64)) { rt.HistogramOf(site, add) })
}

// happened tells whether a call began or ended.
func (x sample) happened() bool { return x.Calls != 0 || x.Ended != 0 || x.open != 0 }

// since gives what was added after an older sample.
func (x sample) since(old sample) sample {
	x.Calls -= old.Calls
	x.Ended -= old.Ended
	x.Panics -= old.Panics
	x.Errors -= old.Errors
	x.Total = more(x.Total, old.Total)
	x.Inner = more(x.Inner, old.Inner)
	x.Self = more(x.Self, old.Self)
	x.before = old.open
	if old.Calls > 0 {
		if x.histogram = x.histogram.Sub(old.histogram); x.histogram.Count() > 0 {
			// A call that was shorter or longer than all before is known exactly.
			if x.Least >= old.Least {
				x.Least = max(x.Least, uint64(x.histogram.Quantile(0)))
			}
			if x.Most <= old.Most {
				x.Most = min(x.Most, uint64(x.histogram.Quantile(1)))
			}
		} else if x.Ended == 0 { // what there was is all of before
			x.Least, x.Most = math.MaxUint64, 0
		}
	}
	return x
}

// more gives how much more a sum of times is than before, also if it has wrapped. It may be less where calls in progress are in it and the clocks
// of CPUs differ: then it is 0.
func more(now, before uint64) uint64 { return uint64(max(int64(now-before), 0)) }

// in gives the numbers in ns.
func (x sample) in(unit float64) Numbers {
	ns := func(ticks uint64) time.Duration { return nanoseconds(ticks, unit) }
	n := Numbers{Calls: x.Calls, Open: x.open, Panics: x.Panics, Errors: x.Errors, Total: ns(x.Total), Self: ns(x.Self)}
	least, most := min(x.Least, x.least), max(x.Most, x.most)
	if least <= most { // else none was timed
		n.Min, n.Max = ns(least), ns(most)
		n.Durations = x.histogram.In(unit)
		if calls := x.Calls + x.before; calls > 0 {
			// Of calls that were in progress when a difference began only the rest is in the sums,
			// and Least and Most may be those of a histogram.
			n.Avg = min(max(ns((x.Total+x.Inner)/calls), n.Min), n.Max)
		}
	}
	return n
}

// nanoseconds makes a Duration of ticks, each so many ns long.
func nanoseconds(ticks uint64, unit float64) time.Duration {
	return time.Duration(float64(ticks) * unit)
}
