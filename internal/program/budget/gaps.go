package budget

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Gaps estimate how often functions were called while nobody counted their calls: functions at
// format.LevelSampled. In windows at random moments their calls are counted. What a window counts stands for the
// gap before it.
//
// All times are CPU times of the program, ns. On a busy machine it has other shares of the CPUs in windows than in
// gaps.
type Gaps struct {
	sites []gap // by site
	off   int   // sites at that level
	open  bool  // a window is,
	began int64 // since then
	ended int64 // when calls were sampled last; 0: never

	idle struct{ windows, ns float64 } // windows in which the program did nothing

	// Calls in windows and in gaps, of functions whose calls were always known. A phase with many calls turns a
	// function off, whose calls before are forgotten, too: else windows would have had more of them.
	within, without pace
	windows         float64
	squares         float64 // of the calls in each window
}

// A gap is what is known of a site's calls that nobody counted.
type gap struct {
	off    bool
	lost   bool    // its calls were not always known
	since  int64   // when its calls were counted or sampled last
	before uint64  // its calls when the open window began
	ended  uint64  // its calls when the last one ended
	all    pace    // in windows
	new    pace    // in those that don't stand for a gap yet,
	gaps   int64   // the gaps before these
	rate   float64 // calls in a ns before the first window
	most   float64 // the same, when there were most
	rest   float64 // of a call, which is to be added

	within, without float64 // calls, as in Gaps
}

// A pace is how many calls were counted in so much time.
type pace struct{ calls, ns float64 }

func (p *pace) add(calls, ns float64) {
	p.calls += calls
	p.ns += ns
}

func (p *pace) rate() float64 { return p.calls / p.ns }

// Any reports whether there are functions whose calls nobody counts.
func (g *Gaps) Any() bool { return g.off > 0 }

// Set notes that a site has another level from now on. rate is how many calls it had in a ns of late, and most at any
// time. Set returns whether a gap begins or ends, and what calls were in the one that ends.
func (g *Gaps) Set(ch Change, now int64, rate, most float64) (calls estimate.Guess, ok bool) {
	if n := int(ch.Site) + 1; n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	s := &g.sites[ch.Site]
	switch off := ch.Level == format.LevelSampled; {
	case off && !s.off:
		g.forget(s)
		*s = gap{off: true, lost: true, since: now, rate: rate, most: most, rest: s.rest}
		g.off++
		return estimate.Guess{}, true
	case !off && s.off:
		calls = s.until(now)
		s.off = false
		g.off--
		return calls, true
	}
	return estimate.Guess{}, false
}

// forget takes the calls of a site away that will not be known any more.
func (g *Gaps) forget(s *gap) {
	if s.within > 0 {
		rest := 1 - s.within/g.within.calls
		g.within.calls -= s.within
		g.squares *= rest * rest
	}
	g.without.calls -= s.without
}

// Begin begins a window. counts are the calls of all sites that were counted until now.
func (g *Gaps) Begin(now int64, counts []uint64) {
	if n := len(counts); n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	g.open, g.began = true, now
	if g.ended > 0 {
		g.without.ns += float64(now - g.ended)
	}
	for i, n := range counts {
		s := &g.sites[i]
		if g.ended > 0 && !s.lost {
			s.without += float64(n - s.ended)
			g.without.calls += float64(n - s.ended)
		}
		s.before = n
	}
}

// Of windows.
const (
	// enough is the time of as many windows as stand for the gaps before them: programs may have no CPU in some.
	enough = 0.5e6

	// wakeUp is what it takes that waymark wakes up at the end of a window, until windows with hardly more than that
	// tell: in those the program did nothing.
	wakeUp = 20e3
	hardly = 150e3
)

// net returns the time of a window without that of waymark: of some less than nothing, so that sums are right.
func (g *Gaps) net(whole float64) float64 {
	if whole < hardly {
		g.idle.windows++
		g.idle.ns += whole
	}
	if g.idle.windows > 0 {
		return whole - g.idle.ns/g.idle.windows
	}
	return whole - wakeUp
}

// End ends a window, and has add add the calls in the gaps before it.
func (g *Gaps) End(now int64, counts []uint64, add func(site uint32, more estimate.Guess)) {
	sum, known := 0.0, 0.0
	for i := range g.sites {
		if i >= len(counts) {
			break
		}
		s := &g.sites[i]
		n := float64(counts[i] - s.before)
		sum += n
		if g.ended > 0 && !s.lost {
			s.within += n
			known += n
		}
		s.ended = counts[i]
	}
	whole := g.net(float64(now - g.began))
	if g.ended > 0 {
		g.within.add(known, whole)
		g.windows++
		g.squares += known * known
	}
	rate := sum / max(whole, 1)
	ns := whole * g.slower(rate*perCount*crowded(rate))
	for i := range g.sites {
		s := &g.sites[i]
		if !s.off || i >= len(counts) {
			continue
		}
		if s.since <= g.began {
			calls := float64(counts[i] - s.before)
			s.all.add(calls, ns)
			s.new.add(calls, ns)
			s.gaps += g.began - s.since
		}
		if s.since = now; s.new.ns >= enough {
			more := s.took(s.new.rate(), s.gaps)
			more.Windows = 1
			s.new, s.gaps = pace{}, 0
			add(uint32(i), more)
		}
	}
	g.open = false
}

// slower returns how much of its work the program does in the CPU time of a window, as a share. Counting takes so much
// of that, as a share, on most processors, or less if it is hidden behind what else the CPU does. Functions whose calls
// are known in gaps, too, tell: the better, the more alike windows are.
func (g *Gaps) slower(counting float64) float64 {
	const (
		most  = 0.75
		sigma = 0.25 // the standard deviation of what is known without them
	)
	guess := 1 - min(counting, most)/2
	in, out := &g.within, &g.without
	if in.calls == 0 || out.calls == 0 || g.windows < 2 {
		return guess
	}
	told := in.rate() / out.rate()
	variance := max(g.squares-in.calls*in.calls/g.windows, in.calls) / (in.calls * in.calls)
	sure := sigma * sigma / (sigma*sigma + variance)
	return min(max(guess+(told-guess)*sure, 1-most), 1/(1-most))
}

// Sampled notes that calls were sampled until now.
func (g *Gaps) Sampled(now int64) {
	g.ended = now
	for i := range g.sites {
		g.sites[i].since = now
	}
}

// Finish has add add the calls in the gaps that are open.
func (g *Gaps) Finish(now int64, add func(site uint32, more estimate.Guess)) {
	if g.open { // since then they are counted
		now = g.began
	}
	for i := range g.sites {
		if s := &g.sites[i]; s.off {
			add(uint32(i), s.until(now))
			s.since = now
		}
	}
}

// until returns what calls there were in the gaps until now that no window stands for.
func (s *gap) until(now int64) estimate.Guess {
	ns := s.gaps + max(now-s.since, 0)
	s.gaps = 0
	if s.all.ns >= enough {
		return s.took(s.all.rate(), ns)
	}
	g := s.took(s.rate, ns)
	g.Squares *= unmet // no window tells whether the rate is still what it was
	return g
}

// unmet is how many times less is known of a gap without a window: as in suites, where functions come to other levels
// with each test.
const unmet = 10

// took returns the calls of a time with so many in a ns. They are whole ones, and the rest is kept.
func (s *gap) took(rate float64, ns int64) estimate.Guess {
	calls := rate * float64(ns)
	g := estimate.Guess{Squares: calls * calls, Most: s.most * float64(ns)}
	calls += s.rest
	g.Calls = uint64(calls)
	s.rest = calls - float64(g.Calls)
	return g
}
