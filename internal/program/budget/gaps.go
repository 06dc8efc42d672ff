package budget

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Gaps estimate how often functions were called while nobody counted their calls: functions at
// format.LevelSampled. In windows at random moments their calls are counted. What a window counts stands for the
// gap before it.
//
// A window is not quite like its gap: counting slows the program down, and on a busy machine it gets another share of the
// CPUs. What is known of gaps, too, tells how much windows differ from them: CPU time, and calls that are always counted.
type Gaps struct {
	sites []gap // by site
	off   int   // sites at that level
	open  bool  // a window is open
	began Instant
	ended Instant // when the last window ended; zero: calls were sampled since without one
	ends  bool    // calls were not sampled since

	before  span    // the gap before the open window
	windows float64 // after gaps, of late
	wall    float64 // of these gaps, ns
	cpu     known   // CPU time, ns
	calls   known   // of functions that are always counted
	counted float64 // such calls in windows
}

// A known number is a sum over gaps, and what the windows after these say that it is.
type known struct {
	gaps, windows float64
	squares       float64 // sum of the squares of what each window says too much
}

func (k *known) add(gap, window float64) {
	k.gaps += gap
	k.windows += window
	k.squares += (window - gap) * (window - gap)
}

// scale has all that is known count so many times.
func (k *known) scale(times float64) {
	k.gaps *= times
	k.windows *= times
	k.squares *= times
}

// tells returns what so many windows say as a share of what there was. It is nearer to guess the less alike windows are.
// doubt is a variance more, as a share.
func (k *known) tells(guess, windows, doubt float64) float64 {
	const (
		sigma = 0.25 // the standard deviation of what is known without them
		one   = 0.1  // the variance of one window, before there are many that tell it
	)
	if windows == 0 || k.gaps < 1 {
		return guess
	}
	bias := k.windows - k.gaps
	variance := max(k.squares-bias*bias/windows, 0)/(k.gaps*k.gaps) + one/windows + doubt
	return guess + (k.windows/k.gaps-guess)*sigma*sigma/(sigma*sigma+variance)
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
	known   known   // its part of Gaps.calls
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
	if s.fresh = true; s.known == (known{}) {
		return
	}
	rest := 1 - s.known.gaps/max(g.calls.gaps, s.known.gaps, 1)
	g.calls.squares *= rest * rest
	g.calls.gaps -= s.known.gaps
	g.calls.windows -= s.known.windows
	g.counted *= rest
	s.known = known{}
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

// mostWindows is how many windows are known. Then what they say counts half from now on.
const mostWindows = 1000

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
	scale, weight := g.before.wall/window.wall, 1.0
	if g.windows > 0 {
		weight = min(g.longest()/max(g.before.wall, 1), 1)
	}
	sum, gap, more := 0.0, 0.0, 0.0
	for i := range g.sites {
		if i >= len(counts) {
			break
		}
		s := &g.sites[i]
		n := float64(counts[i] - s.before)
		sum += n
		if scale > 0 && !s.sampled && !s.fresh {
			in := float64(s.before - s.ended)
			s.known.add(in*weight, n*scale*weight)
			gap, more = gap+in, more+n*scale
			g.counted += n
		}
		s.ended, s.fresh = counts[i], false
	}
	if scale > 0 {
		g.windows++
		g.wall += g.before.wall * weight
		g.cpu.add(g.before.cpu*weight, max(window.cpu-wakeUp, 0)*scale*weight)
		g.calls.add(gap*weight, more*weight)
	}
	if g.windows >= mostWindows {
		g.halve()
	}
	like := g.likeness(sum/window.wall, now.About)
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

// halve has what is known until now count half.
func (g *Gaps) halve() {
	g.windows /= 2
	g.wall /= 2
	g.counted /= 2
	g.cpu.scale(0.5)
	g.calls.scale(0.5)
	for i := range g.sites {
		g.sites[i].known.scale(0.5)
	}
}

// likeness returns how many calls there are in windows, as a share of those in as much time of gaps. So many are counted
// in a ns of the window. CPU times may be known only about.
//
// Counting takes time for each on most processors, or less if it is hidden behind what else the CPU does. So much a
// program is slower in windows, unless it waits for itself: then it does its work all the same.
func (g *Gaps) likeness(rate float64, about bool) float64 {
	const (
		little = 0.05 // a program that uses so many CPUs waits for itself: more of what windows take is waymark's own
		much   = 0.25 // one that uses so many doesn't, others do in part
		dearer = 2    // times as much as on most processors counting takes on others
		most   = 0.75
	)
	cpus, slows, cpu := 1.0, 1.0, 1.0
	if g.windows > 0 {
		cpus = max(g.cpu.gaps/g.wall, 0.01)
		slows = min(max((cpus-little)/(much-little), 0), 1)
		if !about {
			told := min(max(g.cpu.tells(1, g.windows, 0), 1-most), 1/(1-most))
			cpu += slows * (told - 1)
		}
	}
	counting := func(rate float64) float64 { return min(rate*perCount*crowded(rate)*slows, most) }
	guess := 1 - counting(rate/cpus)/2
	least := 1 - min(dearer*counting(rate/min(cpus, 1)), most) // as if one CPU did it all
	told := guess
	if g.counted > 0 {
		told = g.calls.tells(guess*cpu, g.windows, 1/g.counted) / cpu
	}
	return cpu * min(max(told, least), 1)
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
	if g.windows > 0 {
		ns = min(ns, max(g.longest(), gap.cpu))
	}
	calls := rate * ns
	more := estimate.Guess{Squares: calls * calls, Most: s.most * ns}
	calls += s.rest
	more.Calls = uint64(calls)
	s.rest = calls - float64(more.Calls)
	return more
}

// longest returns how long a gap is at most, in ns, in which the program has hardly had a CPU. In longer ones it was
// stopped, and so was waymark: else a window would have come before.
func (g *Gaps) longest() float64 { return 10 * g.wall / g.windows }
