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
	open  bool  // a window is open
	began Instant
	ended Instant // when calls were sampled last, after a window; zero: not after one
	ends  bool    // a window has ended, and calls are sampled
	late  span    // the last second, or two
	new   pace    // in windows that stand for no gap yet, of all functions

	// Calls in windows and in the gaps between, of functions that nobody has ever sampled. The calls of a function that is
	// sampled from now on go out: they lack those of a gap that begins with many calls.
	within, without pace
	known           float64 // calls within, in windows that stand for no gap yet
	windows         float64
	squares         float64 // sum of the squares of each window's calls within
}

// A gap is what is known of a site's calls that nobody counted.
type gap struct {
	off    bool
	met    bool    // it was off when the open window began
	lost   bool    // it has been off before
	since  Instant // when its calls were counted or sampled last
	before uint64  // its calls when the open window began
	ended  uint64  // its calls when the last one ended
	all    pace    // in windows
	new    pace    // in windows that stand for no gap yet
	gaps   span    // before those windows
	rate   float64 // calls in a ns of wall time before the first window
	most   float64 // the same, when there were most
	rest   float64 // of a call, which is to be added

	within, without float64 // calls, as in Gaps
}

// An Instant is a time by two clocks, in ns.
type Instant struct {
	Wall  int64 // of a monotonic clock
	CPU   int64 // that the program has taken until now, or
	About bool  // until some ms ago
}

// A span is the time between instants, in ns.
type span struct{ wall, cpu float64 }

func (i Instant) since(o Instant) span {
	return span{max(float64(i.Wall-o.Wall), 0), max(float64(i.CPU-o.CPU), 0)}
}

func (s *span) add(o span) {
	s.wall += o.wall
	s.cpu += o.cpu
}

// in returns the CPU time or the wall time.
func (s span) in(cpu bool) float64 {
	if cpu {
		return s.cpu
	}
	return s.wall
}

// A pace is how many calls were counted in a time.
type pace struct {
	calls float64
	span
}

func (p *pace) add(calls float64, s span) {
	p.calls += calls
	p.span.add(s)
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
	switch off := ch.Level == format.LevelSampled; {
	case off && !s.off:
		g.forget(s)
		*s = gap{off: true, lost: true, since: now, before: s.before, ended: s.ended, rate: rate, most: most, rest: s.rest}
		g.off++
		return estimate.Guess{}, true
	case !off && s.off:
		calls = g.until(s, now)
		s.before += calls.Calls // which the window, if one is open, has not counted
		s.off, s.met = false, false
		g.off--
		return calls, true
	}
	return estimate.Guess{}, false
}

// forget takes the calls of a site out of those that are known.
func (g *Gaps) forget(s *gap) {
	if s.within > 0 && g.within.calls > 0 {
		rest := max(1-s.within/g.within.calls, 0)
		g.within.calls *= rest
		g.squares *= rest * rest
	}
	g.without.calls = max(g.without.calls-s.without, 0)
}

// Begin begins a window. counts are the calls of all sites that were counted until now.
func (g *Gaps) Begin(now Instant, counts []uint64) {
	if n := len(counts); n > len(g.sites) {
		g.sites = append(g.sites, make([]gap, n-len(g.sites))...)
	}
	gap := span{}
	after := g.ended != Instant{}
	if after {
		gap = now.since(g.ended)
		g.without.span.add(gap)
	}
	g.pass(gap)
	for i, n := range counts {
		s := &g.sites[i]
		if after && !s.lost {
			s.without += float64(n - s.ended)
			g.without.calls += float64(n - s.ended)
		}
		s.before, s.met = n, s.off
	}
	g.open, g.began, g.ends = true, now, false
}

// Of windows.
const (
	// enough is the CPU time, in ns, of windows that stand for the gaps before them. On a busy machine the program has
	// none in some.
	enough = 0.5e6

	wakeUp = 20e3 // ns of CPU time that waymark takes to wake up at the end of a window

	// leastBusy is how many CPUs a program uses at least whose windows go by CPU time. Others wait for themselves and not
	// for a CPU, and waymark's own time is a part of their windows' CPU time.
	leastBusy = 0.25
)

// pass notes that so much time has passed.
func (g *Gaps) pass(s span) {
	if g.late.wall > 1e9 {
		g.late.wall /= 2
		g.late.cpu /= 2
	}
	g.late.add(s)
}

// byCPU reports whether CPU time says more than wall time.
func (g *Gaps) byCPU(now Instant) bool { return !now.About && g.late.cpu >= g.late.wall*leastBusy }

// End ends a window, and has add add the calls in the gaps that it stands for.
func (g *Gaps) End(now Instant, counts []uint64, add func(site uint32, more estimate.Guess)) {
	window := now.since(g.began)
	window.cpu = max(window.cpu-wakeUp, 0)
	after := g.ended != Instant{}
	sum := 0.0
	for i := range g.sites {
		if i >= len(counts) {
			break
		}
		s := &g.sites[i]
		n := float64(counts[i] - s.before)
		sum += n
		if after && !s.lost {
			s.within += n
			g.known += n
		}
		if s.met {
			s.new.add(n, window)
			s.gaps.add(g.began.since(s.since))
		}
		s.since, s.ended = now, counts[i]
	}
	if after {
		g.within.span.add(window)
	}
	g.open, g.ends = false, true
	g.pass(window)
	g.new.add(sum, window)
	cpu := g.byCPU(now)
	if cpu && g.new.cpu < enough {
		return
	}
	g.within.calls += g.known
	g.squares += g.known * g.known
	g.windows++
	rate := g.new.calls / g.new.in(cpu)
	slower := g.slower(rate, cpu)
	g.new, g.known = pace{}, 0
	for i := range g.sites {
		s := &g.sites[i]
		if !s.met || cpu && s.new.cpu < enough {
			continue
		}
		more := s.took(s.new.calls/(s.new.in(cpu)*slower), s.gaps.in(cpu))
		more.Most = s.most * s.gaps.wall
		more.Windows = 1
		s.all.add(s.new.calls/slower, s.new.span)
		s.new, s.gaps = pace{}, span{}
		add(uint32(i), more)
	}
}

// slower returns how much of its work the program does in a window, as a share. So many calls are counted in a ns of
// CPU time or wall time. Counting takes time for each on most processors, or less if it is hidden behind what else the CPU
// does. Functions whose calls are known in gaps, too, tell: the better, the more alike windows are.
func (g *Gaps) slower(rate float64, cpu bool) float64 {
	const (
		dearer = 2 // times as much it takes on others
		most   = 0.75
		sigma  = 0.25 // the standard deviation of what is known without them
	)
	part := 1.0
	if !cpu && g.late.cpu > 0 { // several CPUs count, or a CPU that waits makes up for it
		cpus := g.late.cpu / g.late.wall
		rate /= max(cpus, 1)
		part = min(cpus, 1)
	}
	counting := rate * perCount * crowded(rate) * part
	guess := 1 - min(counting, most)/2
	in, out := &g.within, &g.without
	if g.windows < 2 || in.calls == 0 || out.calls == 0 || in.in(cpu) < enough || out.in(cpu) < enough {
		return guess
	}
	told := in.calls / in.in(cpu) / (out.calls / out.in(cpu))
	variance := max(g.squares-in.calls*in.calls/g.windows, in.calls) / (in.calls * in.calls)
	sure := sigma * sigma / (sigma*sigma + variance)
	return min(max(guess+(told-guess)*sure, 1-min(dearer*counting, most)), 1)
}

// Sampled notes that calls were sampled until now.
func (g *Gaps) Sampled(now Instant) {
	if g.ended = (Instant{}); g.ends {
		g.ended = now
	}
	g.open, g.ends = false, false
	for i := range g.sites {
		g.sites[i].since = now
	}
}

// Finish has add add the calls in the gaps that are open.
func (g *Gaps) Finish(now Instant, add func(site uint32, more estimate.Guess)) {
	for i := range g.sites {
		if s := &g.sites[i]; s.off {
			add(uint32(i), g.until(s, now))
			s.since = now
		}
	}
}

// until returns what calls there were in the gaps until now that no window stands for.
func (g *Gaps) until(s *gap, now Instant) estimate.Guess {
	if g.open { // since then they are counted
		now = g.began
	}
	gaps := s.gaps
	gaps.add(now.since(s.since))
	s.gaps = span{}
	cpu := g.byCPU(now)
	var more estimate.Guess
	if s.all.in(cpu) >= enough {
		more = s.took(s.all.calls/s.all.in(cpu), gaps.in(cpu))
	} else {
		more = s.took(s.rate, gaps.wall)
		more.Squares *= unmet // no window tells whether the rate is still what it was
	}
	more.Most = s.most * gaps.wall
	return more
}

// unmet is how many times less is known of a gap without a window: as in suites, where functions come to other levels
// with each test.
const unmet = 10

// took returns the calls of a time with so many in a ns. They are whole ones, and the rest is kept.
func (s *gap) took(rate, ns float64) estimate.Guess {
	calls := rate * ns
	g := estimate.Guess{Squares: calls * calls}
	calls += s.rest
	g.Calls = uint64(calls)
	s.rest = calls - float64(g.Calls)
	return g
}
