package budget

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Gaps estimate how often functions were called while nobody counted their calls: functions at
// format.LevelSampled. In windows at random moments their calls are counted. What a window counts stands for the
// gap before it.
//
// A window is not quite like its gap, see likeness.
type Gaps struct {
	sites []gap // by site
	off   int   // sites at that level
	open  bool  // a window is open
	began Instant
	ended Instant // when the last window ended; zero: calls were sampled since without one
	ends  bool    // calls were not sampled since

	before   span // the gap before the open window
	likeness likeness
}

// A gap is what is known of a site's calls that nobody counted.
type gap struct {
	off     bool
	met     bool    // it was off when the open window began
	sampled bool    // it is off, or was: it tells nothing of windows
	fresh   bool    // it has another level since the last window: it tells nothing of the gap
	since   Instant // when its calls were counted or sampled last
	before  uint64  // its calls when the open window began
	ended   uint64  // its calls when the last one ended
	calls   float64 // in windows, if these were like gaps
	ns      float64 // of windows
	rate    float64 // calls in a ns before the first window
	most    float64 // the same, when there were most
	rest    float64 // of a call, which is to be added
	known   known   // its part of likeness.calls
}

// An Instant is a time by two clocks, in ns.
type Instant struct {
	Wall  int64 // of a monotonic clock
	CPU   int64 // that the program has taken
	About bool  // CPU may be some ms old: the kernel says no better
}

// A span is the time between instants, in ns.
type span struct{ wall, cpu float64 }

func (i Instant) since(o Instant) span {
	return span{max(float64(i.Wall-o.Wall), 0), max(float64(i.CPU-o.CPU), 0)}
}

// Any reports whether there are functions whose calls nobody counts.
func (g *Gaps) Any() bool { return g.off > 0 }

// Set notes that a site has another level from now on. rate is how many calls it had in a ns of late, and most at any
// time. Set returns whether a gap begins or ends, and what calls were in the one that ends.
func (g *Gaps) Set(ch Change, now Instant, rate, most float64) (calls estimate.Guess, ok bool) {
	if n := int(ch.Site) + 1; n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	s := &g.sites[ch.Site]
	g.forget(s)
	switch off := ch.Level == format.LevelSampled; {
	case off && !s.off:
		*s = gap{off: true, sampled: true, since: now, before: s.before, rate: rate, most: most, rest: s.rest}
		g.off++
		return estimate.Guess{}, true
	case !off && s.off:
		calls = g.until(s, g.end(now))
		s.before += calls.Calls // the open window has not counted them
		s.off, s.met = false, false
		g.off--
		return calls, true
	}
	return estimate.Guess{}, false
}

// forget takes the calls of a site out of those that are known: it has another level. A phase with many calls gives it
// one, and the gap with that phase isn't known.
func (g *Gaps) forget(s *gap) {
	g.likeness.forget(s.known)
	s.known, s.fresh = known{}, true
}

// Begin begins a window. counts are the calls of all sites that were counted until now.
func (g *Gaps) Begin(now Instant, counts []uint64) {
	if n := len(counts); n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	if g.before = (span{}); g.ended != (Instant{}) {
		g.before = now.since(g.ended)
	}
	for i, n := range counts {
		s := &g.sites[i]
		s.before, s.met = n, s.off
	}
	g.open, g.began, g.ends = true, now, false
}

// wakeUp is what waymark takes to wake up at the end of a window, ns of CPU time: where CPUs sleep it is four times that.
const wakeUp = 20e3

// End ends a window, and has add add the calls in the gaps before it.
func (g *Gaps) End(now Instant, counts []uint64, add func(site uint32, more estimate.Guess)) {
	window := now.since(g.began)
	if g.open = false; window.wall == 0 { // a clock with steps: this window tells nothing
		for i := range g.sites {
			s := &g.sites[i]
			if s.met {
				add(uint32(i), g.until(s, g.began))
			}
			s.since = now
		}
		return
	}
	g.ends, g.ended = true, now
	l := &g.likeness
	weight, scale := l.weight(g.before.wall), g.before.wall/window.wall
	sum, in, calls := 0.0, known{}, 0.0
	for i := range g.sites {
		if i >= len(counts) {
			break
		}
		s := &g.sites[i]
		n := float64(counts[i] - s.before)
		sum += n
		if scale > 0 && !s.sampled && !s.fresh {
			k := known{float64(s.before-s.ended) * weight, n * scale * weight}
			s.known.add(k)
			in.add(k)
			calls += n
		}
		s.ended, s.fresh = counts[i], false
	}
	if scale > 0 {
		l.add(g.before.wall*weight, known{g.before.cpu * weight, max(window.cpu-wakeUp, 0) * scale * weight}, in, calls)
	}
	if l.windows >= mostWindows {
		l.halve()
		for i := range g.sites {
			g.sites[i].known.scale(0.5)
		}
	}
	like := l.share(sum/window.wall, now.About)
	for i := range g.sites {
		s := &g.sites[i]
		if s.met {
			calls := float64(counts[i]-s.before) / like
			s.calls += calls
			s.ns += window.wall
			more := g.took(s, calls/window.wall, g.began)
			more.Windows = 1
			add(uint32(i), more)
		}
		s.since = now
	}
}

// Sampled notes that calls were sampled until now.
func (g *Gaps) Sampled(now Instant) {
	if !g.ends {
		g.ended = Instant{}
	}
	g.open, g.ends = false, false
	for i := range g.sites {
		g.sites[i].since = now
	}
}

// Finish has add add the calls in the gaps that are open.
func (g *Gaps) Finish(now Instant, add func(site uint32, more estimate.Guess)) {
	now = g.end(now)
	for i := range g.sites {
		if s := &g.sites[i]; s.off {
			add(uint32(i), g.until(s, now))
			s.since = now
		}
	}
}

// end returns when the gaps end that end now: while a window is open all calls are counted.
func (g *Gaps) end(now Instant) Instant {
	if g.open {
		return g.began
	}
	return now
}

// until returns what calls there were in the gap of a site until now.
func (g *Gaps) until(s *gap, now Instant) estimate.Guess {
	if s.ns > 0 {
		return g.took(s, s.calls/s.ns, now)
	}
	more := g.took(s, s.rate, now)
	more.Squares *= unmet // no window tells whether the rate is still what it was
	return more
}

// unmet is how many times less is known of a gap without a window: as in suites, where functions come to other levels
// with each test.
const unmet = 10

// took returns the calls of the gap until then, with so many in a ns. They are whole ones, and the rest is kept.
func (g *Gaps) took(s *gap, rate float64, until Instant) estimate.Guess {
	gap := until.since(s.since)
	ns := gap.wall
	if longest := g.likeness.longest(); longest > 0 {
		ns = min(ns, max(longest, gap.cpu))
	}
	calls := rate * ns
	more := estimate.Guess{Squares: calls * calls, Most: s.most * ns}
	calls += s.rest
	more.Calls = uint64(calls)
	s.rest = calls - float64(more.Calls)
	return more
}
