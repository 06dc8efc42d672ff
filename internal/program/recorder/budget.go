package recorder

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A recording with a budget demotes functions and promotes them again, as package budget decides.
// The writer has it decide after its work. While calls are counted, which fill no chunks, a
// goroutine of its own does.
//
// Nothing of this allocates once its memory has grown: tests count the mallocs of the whole process.
//
// The switchboard asks the recorder with its lock held to register packages. So no lock of the
// recorder is held when levels are set, but governor.mu, which these two goroutines take, tests that
// begin, and the end.

// Times, in ns.
const (
	paceFull   = 20e6 // between the wake-ups of the writer, if a chunk is full
	paceEmpty  = 2e6  // the same while the account is empty, at the start, and when a test begins
	pace       = 25e6 // between two looks at what was counted, at least
	wakeUp     = 20e3 // of CPU time, for each: what it takes, and what it takes others to fetch their memory again
	leastPace  = 2e6  // between two decisions
	leastPause = 20e3
	countsDue  = 1e9 // between two blocks of counts, if no level changes
)

// A governor keeps a recording within its budget.
type governor struct {
	mu      sync.Mutex // guards what follows; locked before Recorder.mu
	c       *budget.Controller
	tick    float64 // ns in a tick
	full    float64 // see setPace
	began   int64   // CPU time of the process when the recording began, ns
	stepped int64
	between int64          // ns, of two decisions at least
	spare   []format.Tally // to be filled next
	counts  []uint64       // see countsOf
	pacer   func()         // Recorder.pace
	turns   cputime.Meter  // of samples, the pacer's
	samples *budget.Sampling
	values  valueTimes
	turn    atomic.Uint64 // when a test's turn may have all functions looked at again, ticks, see turnOfTest
	saving  atomic.Bool   // tests that begin get nothing
	// CPU time of deciding, ns. It has no lock: to wait for one would keep a window open.
	deciding atomic.Int64

	// Guarded by Recorder.mu.
	steps   cputime.Meter    // of control
	freshes cputime.Meter    // of tests that begin
	reads   cputime.Meter    // of the counts at tests' turns
	taken   int64            // by tracing, as the controller knows it, ns
	own     int64            // CPU time of writing, ns
	decided uint64           // events encoded when the latest decision was made
	levels  []uint8          // by site; sites beyond are at level full
	demoted int              // sites that are not at level full
	counted int              // of these, sites whose calls are counted
	usual   float64          // CPUs, as the controller knows them
	read    []uint64         // see countsOf
	written []uint64         // by site: counts that are in the file, or were there before the recording
	guesses []estimate.Guess // by site: what is in the file of calls that nobody counted, but for Calls
	noted   int64            // when counts were written last
	entries int              // written then
	pacing  bool             // a goroutine looks at what is counted
	listed  []bool           // by site, in newCounts
	list    []format.Count   // see newCounts
	payload []byte           // of a block that is made
}

// govern begins to keep the budget. It does nothing if there is none.
func (r *Recorder) govern() {
	if !r.config.Budget.Given() {
		return
	}
	now := func() int64 { _, mono := r.rt.Clock(); return mono }
	costs := budget.Calibrate(r.rt.Floor, now)
	start := budget.Usage{Now: now(), CPU: cputime.Process()}
	g := &governor{
		c:       budget.New(r.config.Budget.Share, costs, start),
		began:   start.CPU,
		tick:    1e9 / float64(max(rate(r.rt, r.rt.Chosen(), r.start), 1)),
		pacer:   r.pace,
		samples: budget.NewSampling(r.config.Budget, r.start.Clock, r.rt, now, r.config.Govern.Sample),
	}
	g.values.since(r.rt)
	g.c.Rank, g.c.Strict = r.config.Govern.Rank, r.config.Budget.Strict
	g.written = append([]uint64(nil), countsOf(r.rt, &g.read)...)
	g.c.Seen(g.written)
	r.governor, g.usual = g, g.c.Usual()
	r.enc.Tallies = make([]format.Tally, 64)
	g.setPace(r, paceEmpty)
	if r.config.Budget.CountsOnly() {
		g.counted = 1 // of them all, as soon as they are called
		r.pacing()
	}
}

// valueTimes is what was measured of writing values since the program began, when last looked at.
type valueTimes budget.ValueTimes

// since returns what was measured since the last look.
func (v *valueTimes) since(h Hooks) budget.ValueTimes {
	before := *v
	v.Events, v.Bytes, v.Ticks = h.ValueTimes()
	return budget.ValueTimes{Events: v.Events - before.Events, Bytes: v.Bytes - before.Bytes, Ticks: v.Ticks - before.Ticks}
}

// paid notes what the writer has taken, ns of CPU time. r.mu is held.
func (r *Recorder) paid(ns int64) {
	if r.advisor != nil {
		r.advisor.own += ns
	}
	if r.governor != nil {
		r.governor.own += ns
	}
}

// setPace sets how much time is between the wake-ups of the writer, ns.
func (g *governor) setPace(r *Recorder, ns float64) {
	if g.full != ns {
		g.full = ns
		r.rt.Pace(uint64(ns / g.tick))
	}
}

// rushed reports whether so many events have been written since the last decision that a strict budget can't wait for
// the next one. g.mu is held.
func (r *Recorder) rushed() bool {
	const most = 1 << 13 // some 2 ms of CPU time, if they have values
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Budget.Strict && r.encoded-r.governor.decided >= most
}

// nextDecision returns when the next decision may be made, ns of the clock.
func (g *governor) nextDecision() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stepped + g.between
}

// control has the controller decide, and gives sites other levels.
func (r *Recorder) control() {
	g := r.governor
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	watch := cputime.Begin()
	_, now := r.rt.Clock()
	if now-g.stepped < g.between && !r.rushed() {
		return
	}
	g.stepped = now
	var usage budget.Usage
	var due bool
	if !r.working(func() {
		clear(g.spare)
		g.spare, r.enc.Tallies = r.enc.Tallies, g.spare
		if len(r.enc.Tallies) < len(g.spare) {
			r.enc.Tallies = make([]format.Tally, len(g.spare))
		}
		usage = budget.Usage{Now: now, CPU: cputime.Process(), Own: g.own, Timer: g.deciding.Load()}
		g.decided = r.encoded
		due = g.counted > 0 && now-g.noted >= countsDue
	}) {
		return
	}
	var counts []uint64
	if g.c.Demoted() > 0 || r.config.Budget.CountsOnly() {
		counts = countsOf(r.rt, &g.counts)
	}
	changes := g.c.Step(budget.Sample{Usage: usage, Tick: g.tick, Tallies: g.spare, Counts: counts, Values: g.values.since(r.rt)})
	g.saving.Store(g.c.Saving())
	if g.c.Strict || g.c.Empty() {
		g.setPace(r, paceEmpty)
	} else {
		g.setPace(r, paceFull)
	}
	clock, ok := r.change(changes)
	if !ok {
		return
	}
	r.working(func() {
		if len(changes) > 0 || due {
			r.noteCounts(clock, changes)
			g.noted = now
			r.flush()
		}
		if !r.closed {
			r.pacing()
		}
		ns := g.steps.Take(watch, 1)
		g.deciding.Add(ns)
		if g.between = max(r.apart(ns), leastPace); g.c.Beginning() {
			g.between = leastPace
		}
	})
}

// change gives sites other levels, and returns when. It reports false if the recording has ended. Levels are noted
// before they are set: the recording may end in between, and says then what was counted, and at which level.
func (r *Recorder) change(changes []budget.Change) (clock uint64, ok bool) {
	if !r.working(func() {
		r.governor.taken, r.governor.usual = r.governor.c.Spent(), r.governor.c.Usual()
		r.governor.samples.Follow(r.governor.c, changes)
		for _, ch := range changes {
			r.governor.setLevel(ch)
		}
	}) {
		return 0, false
	}
	clock, _ = r.rt.Clock()
	for _, ch := range changes {
		r.config.Govern.Limit(ch.Site, ch.Level)
	}
	return clock, true
}

// fresh has all functions recorded again, if the budget allows that: a test begins. The goroutine is muted.
func (r *Recorder) fresh(subtest bool) {
	g := r.governor
	g.mu.Lock()
	defer g.mu.Unlock()
	changes := g.c.Fresh(subtest)
	g.saving.Store(g.c.Saving())
	if len(changes) == 0 {
		return
	}
	watch := cputime.Begin()
	g.between = leastPace
	g.setPace(r, paceEmpty)
	clock, ok := r.change(changes)
	if !ok {
		return
	}
	r.working(func() {
		r.noteCounts(clock, changes)
		g.deciding.Add(g.freshes.Take(watch, 1))
	})
}

// working calls f with the lock, unless the recording has ended, and reports whether it has called
// f.
func (r *Recorder) working(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		f()
		return true
	}
	return false
}

// pacing begins to pace if calls are counted. r.mu is held.
func (r *Recorder) pacing() {
	if g := r.governor; g.counted > 0 && !g.pacing {
		g.pacing = true
		r.rt.Go(g.pacer)
	}
}

// pace has the controller decide from time to time, and calls sampled, as long as calls are counted.
func (r *Recorder) pace() {
	s := r.governor.samples
	_, now := r.rt.Clock()
	for look := now + pace; ; {
		pause := look - now
		if !r.config.Budget.CountsOnly() {
			if next := s.Next(); s.Goes() {
				pause = next
			} else {
				pause = min(pause, next)
			}
		}
		if !r.rt.Pause(max(pause, leastPause)) {
			return
		}
		r.governor.deciding.Add(wakeUp)
		if _, now = r.rt.Clock(); !r.config.Budget.CountsOnly() && s.Next() <= 0 {
			r.decide(func() { s.Turn(r.governor.tick) })
		}
		if now < look || s.Goes() { // the writer may have locks that are taken to decide
			continue
		}
		r.control()
		_, now = r.rt.Clock()
		look = max(now+pace, r.governor.nextDecision())
		goesOn := false
		r.working(func() { goesOn = r.governor.counted > 0 })
		if goesOn {
			continue
		}
		r.decide(s.Stop)
		r.working(func() { // now another goroutine may begin
			goesOn = r.governor.counted > 0
			r.governor.pacing = goesOn
		})
		if !goesOn {
			return
		}
	}
}

// decide calls f, and notes what that takes.
func (r *Recorder) decide(f func()) {
	watch := cputime.Begin()
	f()
	r.governor.deciding.Add(r.governor.turns.Take(watch, 1))
}

// usage returns the Meta that says what tracing has taken. r.mu is held.
func (r *Recorder) usage() []format.KeyValue {
	g, cpu := r.governor, cputime.Process()
	if g.mu.TryLock() { // else a decision is being made, which knows the most of it
		_, now := r.rt.Clock()
		g.c.Account(budget.Sample{
			Usage: budget.Usage{Now: now, CPU: cpu, Own: g.own, Timer: g.deciding.Load()}, Tick: g.tick, Tallies: r.enc.Tallies, Counts: countsOf(r.rt, &g.counts),
			Values: g.values.since(r.rt),
		})
		g.taken = g.c.Spent()
		g.mu.Unlock()
	}
	return tookCPU(cpu-g.began, g.taken)
}

// tookCPU returns the Meta of the CPU time of the process since the recording began, and of what tracing took of it, ns.
func tookCPU(cpu, tracing int64) []format.KeyValue {
	return []format.KeyValue{
		{Key: format.MetaCPU, Value: strconv.FormatInt(cpu, 10)},
		{Key: format.MetaTracing, Value: strconv.FormatInt(min(tracing, cpu), 10)},
	}
}
