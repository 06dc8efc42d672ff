package budget

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Gaps estimate how often functions were called while nobody counted their calls: functions at
// format.LevelSampled. In windows at random moments their calls are counted. What a window counts stands for the
// gap before it.
type Gaps struct {
	sites []gap // by site
	off   int   // sites at that level
	began int64 // when the open window began; 0: none is open
	ended int64 // when calls were sampled last; 0: never

	// Calls in windows and in gaps, of functions that have always had their level. Of others those would be left out
	// that a phase has with many calls, which changes levels.
	within, without struct{ calls, ns float64 }
}

// A gap is what is known of a site's calls that nobody counted.
type gap struct {
	off    bool
	moved  bool    // it has not always had its level
	since  int64   // when its calls were counted or sampled last
	before uint64  // its calls when the open window began
	ended  uint64  // its calls when the last one ended
	calls  float64 // in windows
	ns     float64 // of windows
	rate   float64 // calls in a ns before the first window
	most   float64 // the same, when there were most
	rest   float64 // of a call, which is to be added
}

// Any reports whether there are functions whose calls nobody counts.
func (g *Gaps) Any() bool { return g.off > 0 }

// Set notes that a site has another level from now on. rate is how many calls it had in a ns of late, and most at any
// time. Set returns whether a gap begins or ends, and what calls were in the one that ends.
func (g *Gaps) Set(ch Change, now int64, rate, most float64) (calls estimate.Guess, ok bool) {
	if n := int(ch.Site) + 1; n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	s := &g.sites[ch.Site]
	s.moved = true
	switch off := ch.Level == format.LevelSampled; {
	case off && !s.off:
		*s = gap{off: true, moved: true, since: now, rate: rate, most: most, rest: s.rest}
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

// Begin begins a window. counts are the calls of all sites that were counted until now.
func (g *Gaps) Begin(now int64, counts []uint64) {
	if n := len(counts); n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	g.began = now
	if g.ended > 0 {
		g.without.ns += float64(now - g.ended)
	}
	for i, n := range counts {
		s := &g.sites[i]
		if g.ended > 0 && !s.moved {
			g.without.calls += float64(n - s.ended)
		}
		s.before = n
	}
}

// End ends a window, and has add add the calls in the gaps before it. The program used so many CPUs of late.
func (g *Gaps) End(now int64, counts []uint64, cpus float64, add func(site uint32, more estimate.Guess)) {
	sum := uint64(0)
	for i := range g.sites {
		if i >= len(counts) {
			break
		}
		s := &g.sites[i]
		n := counts[i] - s.before
		sum += n
		if g.ended > 0 && !s.moved {
			g.within.calls += float64(n)
		}
		s.ended = counts[i]
	}
	whole := float64(now - g.began)
	if g.ended > 0 {
		g.within.ns += whole
	}
	rate := float64(sum) / whole / max(cpus, 1)
	ns := whole * g.slower(rate*perCount*crowded(rate)*min(cpus, 1)) // a CPU that waits makes up for it
	for i := range g.sites {
		s := &g.sites[i]
		if !s.off || i >= len(counts) {
			continue
		}
		if s.since < g.began {
			calls := float64(counts[i] - s.before)
			s.calls += calls
			s.ns += ns
			more := s.took(calls/ns, g.began-s.since)
			more.Windows = 1
			add(uint32(i), more)
		}
		s.since = now
	}
	g.began = 0
}

// slower returns how much of its work the program does in a window, as a share. Counting takes so much of its CPU time,
// as a share, on most processors, or less if it is hidden behind what else the CPU does. Functions whose calls are known
// in gaps, too, tell.
func (g *Gaps) slower(counting float64) float64 {
	const (
		enough = 1000
		dearer = 2 // times as much it takes on others
		most   = 0.75
	)
	if in, out := &g.within, &g.without; in.calls > enough && out.calls > enough && out.ns > 0 {
		return min(max(in.calls/in.ns/(out.calls/out.ns), 1-min(dearer*counting, most)), 1)
	}
	return 1 - min(counting, most)/2
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
	if g.began > 0 { // since then they are counted
		now = g.began
	}
	for i := range g.sites {
		if s := &g.sites[i]; s.off {
			add(uint32(i), s.until(now))
			s.since = now
		}
	}
}

// until returns what calls there were in the gap until now.
func (s *gap) until(now int64) estimate.Guess {
	ns := max(now-s.since, 0)
	if s.ns > 0 {
		return s.took(s.calls/s.ns, ns)
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
