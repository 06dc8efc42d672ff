package stats

import (
	"math"
	"slices"
	"time"

	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Numbers are what was gathered of calls. Calls are counted only with Options.CallsOnly, and while their
// function costs more than the budget in the variable WAYMARK allows. With CallsOnly they have no times.
// With a budget times, Panics and Errors are estimated from samples, see Estimate; Calls are exact. Min
// and Max are those of the calls that were timed.
type Numbers struct {
	Calls  uint64 // calls that have begun
	Open   uint64 // calls in progress when the snapshot was taken
	Panics uint64 // calls that a panic ended, or that recovered a panic
	Errors uint64 // timed calls whose last result was an error

	Untimed uint64 // of Calls, those that were counted only

	Estimate *Estimate // nil: all is exact, but for what Untimed calls lack

	Objects uint64 // heap objects that these calls made themselves; 0 without Options.Objects
	Bytes   uint64 // of these objects, as in Made

	// Calls in progress count in all times until the snapshot was taken.
	Total     time.Duration       // of outermost calls: a recursion counts once
	Self      time.Duration       // of all calls, without the timed calls that they made
	Min, Max  time.Duration       // the shortest and the longest call
	Mean      time.Duration       // of all calls
	Histogram histogram.Histogram // of calls that have ended; empty without Options.Histograms

	// In parts of Total and of Self the goroutines did not run: they were ready and had no processor, or
	// they waited for something. In what is left they ran. These are 0 without Options.Waiting, and lack
	// what began before.
	Runnable, Waiting         time.Duration // of Total
	SelfRunnable, SelfWaiting time.Duration // of Self

	quantiles *Quantiles // of a snapshot that was read from JSON
}

// Quantiles are the 50 %, 90 %, 99 % and 99.9 % quantiles of durations: P50, P90, P99 and P999.
type Quantiles = histogram.Quantiles

// Quantiles returns the quantiles of the calls that have ended, exact to 1.6 % and not outside of
// Min and Max. It returns nil if the distribution is not known.
func (n *Numbers) Quantiles() *Quantiles {
	if n.Histogram.Count() == 0 {
		return n.quantiles
	}
	q := n.Histogram.Quantiles(n.Min, n.Max)
	return &q
}

// Quantile returns the duration that a share q, 0 to 1, of the calls that have ended does not exceed.
// The duration is exact to 1.6 % and not outside of Min and Max. Quantile returns 0 if the
// distribution is not known. JSON has four quantiles only: of a snapshot read from JSON, Quantile
// returns the next higher quantile.
func (n *Numbers) Quantile(q float64) time.Duration {
	switch r := n.quantiles; {
	case n.Histogram.Count() > 0:
		return min(max(n.Histogram.Quantile(q), n.Min), n.Max)
	case r == nil:
		return 0
	case q <= 0.5:
		return r.P50
	case q <= 0.9:
		return r.P90
	case q <= 0.99:
		return r.P99
	case q <= 0.999:
		return r.P999
	}
	return n.Max
}

// A Stat is what was gathered of a function's calls.
type Stat struct {
	Func
	Numbers

	site   uint32
	sample sample
}

// A Snapshot is what was gathered between two instants.
type Snapshot struct {
	From, To  time.Time
	Functions []Stat // with calls, in the order of packages' initialisation, then of the source

	// Goroutines is the number of goroutines that have made timed calls since the program began.
	Goroutines uint64

	// Paths are the paths of calls, callers before callees; empty without Options.Paths. Their Calls
	// and Self add up to those of Functions, calls that were counted only excepted.
	Paths []Path

	// Objects are the heap objects that were made, by type, function and path, the most numerous
	// first; empty without Options.Objects.
	Objects []Made

	// HeapObjects are all heap objects that the process made, as runtime.MemStats.Mallocs has them;
	// 0 without Options.Objects. Objects add up to as many, with OwnObjects, which waymark made itself.
	HeapObjects uint64
	OwnObjects  uint64

	waits  bool    // Runnable and Waiting are known
	unit   float64 // ns in a tick
	clock  uint64  // at To; 0 if Take did not make the snapshot
	resets uint64  // number of calls of Reset until then

	kept  bool      // Paths are wanted
	floor float64   // ticks that hooks would have added to a sample
	nodes []rt.Path // what Paths were made of
	funcs []*Func   // by site
	made  map[maker]made
}

// Waits reports whether the snapshot has times of Options.Waiting.
func (s *Snapshot) Waits() bool { return s.waits }

// Take returns what was gathered since Start, or since Reset. Before Start, and in a program that
// plain Go has built, the snapshot is empty. Take stops the program while it looks at the calls in
// progress of all goroutines: some 30 us with few goroutines. The numbers of functions without
// calls in progress are read while they change.
func Take() *Snapshot {
	gathering.rt.Mute(true)
	defer gathering.rt.Mute(false)
	return gathering.take()
}

// Reset leaves out what was gathered until now from all snapshots that are taken later.
func Reset() {
	gathering.rt.Mute(true)
	defer gathering.rt.Mute(false)
	gathering.reset()
}

func (s *state) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		return
	}
	s.start, s.base = now(s.rt), make(map[uint32]sample)
	s.resets++
	list, paths, _ := s.openCalls()
	samples := samplesOf(paths, len(list))
	s.paths, s.made = paths, s.objects()
	if s.makes {
		s.heap = s.rt.Mallocs()
	}
	for site, open := range list {
		if x := s.read(uint32(site), open, samples[uint32(site)]); x.Calls > 0 {
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
	end := s.first.after(s.rt)
	open, paths, clock := s.openCalls()
	samples := samplesOf(paths, len(open))
	snap := &Snapshot{
		kept: s.kept, floor: float64(s.rt.SampleFloor()),
		From: s.start.wall, Goroutines: s.rt.TimedGoroutines(),
		waits: s.waited, unit: nsPerTick(s.first, end), clock: clock, resets: s.resets,
	}
	// By the clock of calls, so that no call is longer than the snapshot.
	snap.To = snap.From.Add(nanoseconds(more(clock, s.start.clock), snap.unit))
	funcs := make([]*Func, len(open))
	for _, t := range switchboard.Default.Tables() {
		for i, f := range t.Funcs() {
			site := t.Base + uint32(i)
			if int(site) >= len(open) {
				continue // the package was loaded after openCalls
			}
			funcs[site] = f
			x := s.read(site, open[site], samples[site])
			if x.Calls == 0 {
				continue
			}
			if x = x.since(s.base[site]); x.happened() {
				snap.Functions = append(snap.Functions, Stat{*f, x.in(snap.unit), site, x})
			}
		}
	}
	at, other := snap.setPaths(pathsSince(paths, s.paths), funcs)
	if s.makes {
		snap.HeapObjects = s.rt.Mallocs() - s.heap
	}
	snap.setObjects(madeSince(s.objects(), s.made), at, other)
	return snap
}

// Since returns what happened between before, an earlier snapshot, and s. If Reset was called in
// between, Since returns what happened since Reset. If before is nil or empty, Since returns a copy
// of s. Open is that of s.
//
// Min and Max are exact if the shortest or the longest call happened in between. If not, they are
// as exact as the Histogram; without Histogram they are those of s.
//
// JSON lacks what Since needs: if s or before was read from JSON, Since returns a copy of s.
func (s *Snapshot) Since(before *Snapshot) *Snapshot {
	if s.clock == 0 || before == nil || before.clock == 0 || s.resets != before.resets {
		all := *s
		all.Functions, all.Paths, all.Objects = slices.Clone(s.Functions), slices.Clone(s.Paths), slices.Clone(s.Objects)
		return &all
	}
	old := make(map[uint32]sample)
	for i := range before.Functions {
		old[before.Functions[i].site] = before.Functions[i].sample
	}
	out := &Snapshot{kept: s.kept, floor: s.floor, To: s.To, Goroutines: s.Goroutines, waits: s.waits, unit: s.unit, clock: s.clock, resets: s.resets}
	// The rate of the clock is known better now than when before was taken.
	out.From = s.To.Add(-nanoseconds(more(s.clock, before.clock), s.unit))
	for _, f := range s.Functions {
		if x := f.sample.since(old[f.site]); x.happened() {
			f.Numbers, f.sample = x.in(s.unit), x
			out.Functions = append(out.Functions, f)
		}
	}
	at, other := out.setPaths(pathsSince(s.nodes, before.nodes), s.funcs)
	if s.HeapObjects > before.HeapObjects {
		out.HeapObjects = s.HeapObjects - before.HeapObjects
	}
	out.setObjects(madeSince(s.made, before.made), at, other)
	return out
}

// A sample is what has been added up of a site's calls, in ticks.
type sample struct {
	rt.Sum
	samples     uint64 // of Calls
	open        uint64
	before      uint64              // calls in progress at the beginning of a difference; not in Calls
	histogram   histogram.Histogram // in ticks
	least, most uint64              // of calls in progress; ^0 and 0 if there are none
}

// openCalls returns the times of calls in progress by site, and the sums of paths by node, at an
// instant of the clock.
func (s *state) openCalls() (open []rt.Open, paths []rt.Path, clock uint64) {
	open = make([]rt.Open, s.rt.Sites())
	if n := s.rt.PathNodes(); n > 0 {
		paths = make([]rt.Path, n+n/8+64) // with room for those that are made meanwhile
	}
	return open, paths, s.rt.OpenCalls(open, paths)
}

// read returns what all CPUs have added up of a site, with the calls in progress. So many more calls are
// samples.
func (s *state) read(site uint32, open rt.Open, samples uint64) sample {
	x := sample{Sum: open.Ended, least: ^open.Least, most: open.Most}
	if open.Least == 0 { // there are none
		x.Sum = s.rt.SumOf(site)
	}
	if x.Calls == 0 {
		return x
	}
	x.open = x.Calls - x.Ended
	x.samples = samples
	x.Calls += samples
	x.Ended += samples
	x.histogram = s.distribution(site)
	x.Total += open.Total
	x.Inner += open.Inner
	x.Self += open.Self
	x.Panics += open.Panics
	x.Runnable += open.Runnable
	x.Waiting += open.Waiting
	x.SelfRunnable += open.SelfRunnable
	x.SelfWaiting += open.SelfWaiting
	return x
}

// distribution returns the distribution of a site's calls, in ticks.
func (s *state) distribution(site uint32) histogram.Histogram {
	return histogram.OfTicks(1, func(add func(from, width uint64, counts [32]uint64)) {
		s.rt.HistogramOf(site, add)
	})
}

// happened reports whether a call began or ended, or is in progress.
func (x sample) happened() bool { return x.Calls != 0 || x.Ended != 0 || x.open != 0 }

// since returns what was added after an older sample.
func (x sample) since(old sample) sample {
	x.Calls -= old.Calls
	x.samples -= old.samples
	x.Untimed -= old.Untimed
	x.Ended -= old.Ended
	x.Panics -= old.Panics
	x.Errors -= old.Errors
	x.Total = more(x.Total, old.Total)
	x.Inner = more(x.Inner, old.Inner)
	x.Self = more(x.Self, old.Self)
	x.Runnable = more(x.Runnable, old.Runnable)
	x.Waiting = more(x.Waiting, old.Waiting)
	x.SelfRunnable = more(x.SelfRunnable, old.SelfRunnable)
	x.SelfWaiting = more(x.SelfWaiting, old.SelfWaiting)
	x.before = old.open
	if old.Calls > 0 {
		if x.histogram = x.histogram.Sub(old.histogram); x.histogram.Count() > 0 {
			// A call that was shorter or longer than all calls before is known exactly.
			if x.Least >= old.Least {
				x.Least = max(x.Least, uint64(x.histogram.Quantile(0)))
			}
			if x.Most <= old.Most {
				x.Most = min(x.Most, uint64(x.histogram.Quantile(1)))
			}
		} else if x.Ended == 0 { // all that is in Least and Most happened before
			x.Least, x.Most = math.MaxUint64, 0
		}
	}
	return x
}

// more returns how much a sum of times has grown; the sum may have wrapped. A sum with calls in
// progress may have become less, because the clocks of CPUs differ: then more returns 0.
func more(now, before uint64) uint64 { return uint64(max(int64(now-before), 0)) }

// in returns the numbers of a sample whose ticks are unit ns long.
func (x sample) in(unit float64) Numbers {
	ns := func(ticks uint64) time.Duration { return nanoseconds(ticks, unit) }
	n := Numbers{
		Calls: x.Calls, Untimed: x.Untimed, Open: x.open, Panics: x.Panics, Errors: x.Errors,
		Total: ns(x.Total), Self: ns(x.Self),
	}
	n.Runnable, n.Waiting = parts(n.Total, ns(x.Runnable), ns(x.Waiting))
	n.SelfRunnable, n.SelfWaiting = parts(n.Self, ns(x.SelfRunnable), ns(x.SelfWaiting))
	least, most := min(x.Least, x.least), max(x.Most, x.most)
	if least <= most { // else no call was timed
		n.Min, n.Max = ns(least), ns(most)
		n.Histogram = x.histogram.In(unit)
		if calls := x.Calls - x.Untimed - x.samples + x.before; calls > 0 {
			// The sums of a difference have only the rest of calls that were in progress at its beginning.
			// Least and Most may be those of a histogram.
			n.Mean = min(max(ns((x.Total+x.Inner)/calls), n.Min), n.Max)
		}
	}
	return n
}

// parts returns two parts of a whole: a difference may have more of a part, as clocks of CPUs differ.
func parts(whole, runnable, waiting time.Duration) (time.Duration, time.Duration) {
	waiting = min(waiting, whole)
	return min(runnable, whole-waiting), waiting
}

// nanoseconds converts ticks to a Duration; unit is the length of a tick in ns.
func nanoseconds(ticks uint64, unit float64) time.Duration {
	return time.Duration(float64(ticks) * unit)
}
