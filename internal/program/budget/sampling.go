package budget

import (
	"sync"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// CountAll is, instead of a group of samples, the phase before a window in which calls are counted that nobody counts
// else.
const CountAll = format.SampleGroups + 1

// A Program is what Sampling asks of the runtime.
type Program interface {
	CPU() (ns int64, exact bool) // that the program has taken
	Sites() uint32
	Counts(counted, timed []uint64)
	Estimate(site uint32, more estimate.Guess)
	Reserve(bytes int)   // of the heap are used here
	Sample(ticks uint64) // calls are sampled from now on, for so long at least if the program has a CPU; 0: no more
	SampleWaits() bool   // no call has been sampled yet, although goroutines are to run
}

// Sampling has calls of demoted functions sampled in windows, and estimates how often those were called that nobody
// counts. One goroutine takes turns, others may follow a controller meanwhile.
type Sampling struct {
	program Program
	now     func() int64       // a monotonic clock, ns
	choose  func(group uint32) // has calls of demoted functions sampled as a group, or counted with CountAll; 0: no more
	windows *Windows

	mu       sync.Mutex // guards what follows
	gaps     Gaps
	usual    float64 // see Controller.Usual; 0: 1
	counts   []uint64
	slack    int // bytes, once there are windows
	reserved int // bytes of the heap
	finished bool
}

// NewSampling returns sampling for a budget. The seed is any number.
func NewSampling(l Limit, seed uint64, p Program, now func() int64, choose func(group uint32)) *Sampling {
	return &Sampling{program: p, now: now, choose: choose, windows: NewWindows(l, seed)}
}

// What a controller and sampling keep in the heap, bytes. Garbage collections take longer beside windows, and what the
// program allocates meanwhile survives them: without slack a program with a heap of less than 4 MB is collected 11 %
// more often.
const (
	keptOfSite  = 400
	windowSlack = 400 << 10
)

// Follow notes the changes that a controller has decided on.
func (s *Sampling) Follow(c *Controller, changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserve(s.slack + int(s.program.Sites())*keptOfSite)
	s.usual = c.Usual()
	if len(changes) == 0 || s.finished {
		return
	}
	now := s.instant()
	for _, ch := range changes {
		recent, most := c.Recent(ch.Site)
		if n, ok := s.gaps.Set(ch, now, recent, most); ok {
			s.program.Estimate(ch.Site, n)
			c.Missed(ch.Site, n.Calls)
		}
	}
}

// reserve has so many bytes of the heap reserved.
func (s *Sampling) reserve(bytes int) {
	if bytes != s.reserved {
		s.program.Reserve(bytes - s.reserved)
		s.reserved = bytes
	}
}

// Next returns how long it is until the next turn, ns. Functions are demoted.
func (s *Sampling) Next() int64 { return s.windows.Next(s.now()) }

// Goes reports whether calls are sampled, or counted for that.
func (s *Sampling) Goes() bool { return s.windows.Open() || s.windows.Counts() }

// Turn goes on with what comes next, if it is time to. A tick of the program's clock takes so many ns.
func (s *Sampling) Turn(tick float64) {
	w, now := s.windows, s.now()
	if w.Next(now) > 0 {
		return
	}
	switch {
	case w.Counts():
		s.look(func(now Instant, counts []uint64) { s.gaps.End(now, counts, s.program.Estimate) })
		s.begin(s.now(), tick)
	case w.Open() && s.program.SampleWaits() && w.Wait(now):
	case w.Open():
		s.end(now)
	case s.any():
		s.choose(CountAll)
		watch := cputime.Begin()
		s.look(func(now Instant, counts []uint64) {
			if ns, ok := watch.End(); ok { // which is in the window, and not the program's
				now.CPU += ns
			}
			s.gaps.Begin(now, counts)
		})
		w.Count(s.now())
	default:
		s.begin(now, tick)
	}
}

// any reports whether there are functions whose calls nobody counts.
func (s *Sampling) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gaps.Any()
}

// instant returns this instant.
func (s *Sampling) instant() Instant {
	cpu, exact := s.program.CPU()
	return Instant{Wall: s.now(), CPU: cpu, About: !exact}
}

// look calls f with this instant and the calls of each site that were counted or timed, unless all has been estimated.
func (s *Sampling) look(f func(now Instant, counts []uint64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished {
		return
	}
	if n := int(s.program.Sites()); n > len(s.counts) {
		s.counts = append(s.counts, make([]uint64, n-len(s.counts))...)
	}
	clear(s.counts)
	now := s.instant()
	s.program.Counts(s.counts, s.counts)
	f(now, s.counts)
}

// begin begins a window.
func (s *Sampling) begin(now int64, tick float64) {
	s.mu.Lock()
	if s.slack == 0 && !s.finished {
		s.slack = windowSlack
		s.reserve(s.reserved + windowSlack)
	}
	s.mu.Unlock()
	s.program.Sample(uint64(s.windows.Length() / tick))
	s.choose(1 + s.windows.Begin(now, format.SampleGroups))
}

// end ends the window.
func (s *Sampling) end(now int64) {
	s.program.Sample(0)
	s.choose(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.usual > 0 {
		s.windows.cpus = s.usual
	}
	s.windows.End(now)
	s.gaps.Sampled(s.instant())
}

// Stop ends what goes on: no function is demoted any more.
func (s *Sampling) Stop() {
	if s.Goes() {
		s.end(s.now())
	}
	s.windows.None()
}

// Finish estimates the calls that nobody has counted until now, at the end.
func (s *Sampling) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished {
		return
	}
	s.gaps.Finish(s.instant(), s.program.Estimate)
	s.finished = true
	s.reserve(0)
}
