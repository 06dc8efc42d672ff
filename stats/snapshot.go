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
// With a budget times, Panics and Errors are estimated from samples, see Estimate. Calls are exact, unless
// the budget is strict. Min and Max are those of the calls that were timed.
type Numbers struct {
	Calls  uint64 // calls that have begun
	Open   uint64 // calls in progress when the snapshot was taken
	Panics uint64 // calls that a panic ended, or that recovered a panic
	Errors uint64 // timed calls whose last result was an error

	Untimed uint64 // of Calls, those that were counted only

	Estimate *Estimate // nil: all is exact, but for what Untimed calls lack

	Objects uint64 // heap objects that these calls made themselves; 0 without Options.Objects
	Bytes   uint64 // of these objects, as in Made

	// Calls in progress count in all times until the snapshot was taken. Self lacks calls that another
	// Gathering alone has timed, unless Options.Paths tells where these belong.
	Total     time.Duration       // of outermost calls: a recursion counts once
	Self      time.Duration       // of all calls, without the timed calls that they made
	Min, Max  time.Duration       // the shortest and the longest call, see Snapshot.Since for those before Start
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

	waits  bool       // Runnable and Waiting are known
	unit   float64    // ns in a tick
	clock  uint64     // at To; 0 if no Gathering took the snapshot
	of     *Gathering // nil if the snapshot was read from JSON
	epoch  uint64     // of the Gathering when the snapshot was taken
	kept   bool       // nodes have all paths
	floor  float64    // ticks that hooks would have added to a sample
	nodes  []rt.Path  // what Paths were made of
	funcs  []*Func    // by site
	counts []counted  // of all functions, also of those that only others gather
	made   map[maker]made
}

// counted is what was added up of a site's calls.
type counted struct {
	site uint32
	sample
}

// Waits reports whether the snapshot has times of Options.Waiting.
func (s *Snapshot) Waits() bool { return s.waits }

// Snapshot returns what was gathered since Start, or since Reset, until now or until Stop. It stops
// the program while it looks at the calls in progress of all goroutines: some 30 us with few
// goroutines. The numbers of functions without calls in progress are read while they change.
func (g *Gathering) Snapshot() *Snapshot {
	if g == nil {
		return new(Snapshot)
	}
	g.of.rt.Mute(true)
	defer g.of.rt.Mute(false)
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.last != nil {
		return g.last.Since(nil)
	}
	return g.take()
}

// Reset leaves out what was gathered until now from all snapshots that the Gathering takes later. It
// does nothing after Stop.
func (g *Gathering) Reset() {
	if g == nil {
		return
	}
	g.of.rt.Mute(true)
	defer g.of.rt.Mute(false)
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.last == nil {
		g.begin()
	}
}

// begin sets aside what was added up until now, by whomever it was wanted.
func (g *Gathering) begin() {
	s := g.of
	s.epochs++
	g.start, g.epoch, g.base, g.paths = now(s.rt), s.epochs, make(map[uint32]sample), nil
	if s.first == (instant{}) {
		s.first = g.start
	}
	if s.called() {
		list, paths, _ := s.openCalls()
		samples := samplesOf(paths, len(list))
		g.paths = paths
		for site, open := range list {
			if x := s.read(uint32(site), open, samples[uint32(site)]); x.Calls > 0 {
				g.base[uint32(site)] = x
			}
		}
	}
	if g.options.Objects {
		g.made, g.heap = s.objects(), s.rt.Mallocs()
	}
}

// called reports whether any call was added up.
func (s *state) called() bool {
	for site, n := uint32(0), s.rt.Sites(); site < n; site++ {
		if s.rt.SumOf(site).Calls > 0 {
			return true
		}
	}
	return false
}

func (g *Gathering) take() *Snapshot {
	s := g.of
	end := s.first.after(s.rt)
	open, paths, clock := s.openCalls()
	samples := samplesOf(paths, len(open))
	snap := &Snapshot{
		kept: s.on.paths && s.pathsBy <= g.epoch, floor: float64(s.rt.SampleFloor()), of: g, epoch: g.epoch,
		From: g.start.wall, Goroutines: s.rt.TimedGoroutines(),
		waits: g.options.Waiting, unit: nsPerTick(s.first, end), clock: clock,
	}
	// By the clock of calls, so that no call is longer than the snapshot.
	snap.To = snap.From.Add(nanoseconds(more(clock, g.start.clock), snap.unit))
	snap.funcs = make([]*Func, len(open))
	for _, t := range switchboard.Default.Tables() {
		for i, f := range t.Funcs() {
			site := t.Base + uint32(i)
			if int(site) >= len(open) {
				continue // the package was loaded after openCalls
			}
			snap.funcs[site] = f
			if x := s.read(site, open[site], samples[site]); x.Calls > 0 {
				before := g.base[site]
				if !g.options.Histograms { // others have some of the calls
					x.histogram, before.histogram = histogram.Histogram{}, histogram.Histogram{}
				}
				snap.add(site, x.since(before))
			}
		}
	}
	var objects map[maker]made
	if g.options.Objects {
		snap.HeapObjects = s.rt.Mallocs() - g.heap
		objects = madeSince(s.objects(), g.made)
	}
	snap.finish(pathsSince(paths, g.paths), objects)
	return snap
}

// add adds a row, if anything happened.
func (s *Snapshot) add(site uint32, x sample) {
	if x.happened() {
		s.counts = append(s.counts, counted{site, x})
		s.Functions = append(s.Functions, Stat{*s.funcs[site], x.in(s.unit), site, x})
	}
}

// finish sets what follows from the functions' rows, paths by node and objects. Then it leaves out what
// only others gather.
func (s *Snapshot) finish(nodes []rt.Path, objects map[maker]made) {
	o := &s.of.options
	at, other := s.setPaths(nodes)
	if o.Paths {
		s.hidePaths(at, other)
	} else {
		s.Paths, at, other = nil, nil, nil
	}
	if o.Objects {
		s.setObjects(objects, at, other)
	}
	s.Functions = slices.DeleteFunc(s.Functions, func(f Stat) bool { return !s.of.wants(s.funcs[f.site]) || o.CallsOnly && f.Calls == 0 })
	for i := range s.Functions {
		n := &s.Functions[i].Numbers
		if o.CallsOnly {
			*n = Numbers{Calls: n.Calls, Untimed: n.Calls}
		}
		if !o.Histograms {
			n.Histogram = histogram.Histogram{}
		}
		if !o.Waiting {
			n.Runnable, n.Waiting, n.SelfRunnable, n.SelfWaiting = 0, 0, 0, 0
		}
	}
}

// Since returns what happened between before, an earlier snapshot of the same Gathering, and s. If
// Reset was called in between, Since returns what happened since Reset. If before is nil, empty, or of
// another Gathering, Since returns a copy of s. Open is that of s.
//
// Min and Max are exact if the shortest or the longest call happened in between. If not, they are
// as exact as the Histogram; without Histogram they are those of s.
//
// JSON lacks what Since needs: if s or before was read from JSON, Since returns a copy of s.
func (s *Snapshot) Since(before *Snapshot) *Snapshot {
	if s.clock == 0 || before == nil || before.clock == 0 || s.epoch != before.epoch {
		all := *s
		all.Functions, all.Paths, all.Objects = slices.Clone(s.Functions), slices.Clone(s.Paths), slices.Clone(s.Objects)
		return &all
	}
	old := make(map[uint32]sample)
	for _, c := range before.counts {
		old[c.site] = c.sample
	}
	out := &Snapshot{
		kept: s.kept, floor: s.floor, of: s.of, epoch: s.epoch, funcs: s.funcs,
		To: s.To, Goroutines: s.Goroutines, waits: s.waits, unit: s.unit, clock: s.clock,
	}
	// The rate of the clock is known better now than when before was taken.
	out.From = s.To.Add(-nanoseconds(more(s.clock, before.clock), s.unit))
	for _, c := range s.counts {
		out.add(c.site, c.since(old[c.site]))
	}
	if s.HeapObjects > before.HeapObjects {
		out.HeapObjects = s.HeapObjects - before.HeapObjects
	}
	out.finish(pathsSince(s.nodes, before.nodes), madeSince(s.made, before.made))
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
	x.Guess.Calls -= old.Guess.Calls
	x.Guess.Windows -= old.Guess.Windows
	x.Guess.Squares -= old.Guess.Squares
	x.Guess.Most -= old.Guess.Most
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
