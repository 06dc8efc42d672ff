package budget

import (
	"math"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A machine runs a program in turns. Between them the program waits for itself, or another process has the CPU.
type machine struct {
	name    string
	runs    float64 // the share of turns in which the program runs
	turn    float64 // how long they are on average, ns
	waits   bool    // for itself: it does all of its work, however long that takes
	others  float64 // CPUs that the program uses in 30 % of the turns for other things,
	always  float64 // and those in all
	stopped int64   // seconds for which it is stopped in a gap, after 10
	idle    int64   // seconds in which it hardly runs, at first
	wakeUp  int64   // CPU time of a wake-up, ns
	shows   float64 // ns that counting a call takes longer, at most
	all     bool    // there is a function that is always counted
	about   bool    // CPU times are those of some ms ago
	seconds int64
	off     float64 // how far off estimates may be on average
}

// Estimates of calls that nobody counted are right on average, in programs whose rates change, whatever counting them
// costs, and whether the program has the CPU or not.
func TestGaps(t *testing.T) {
	for _, m := range []machine{
		{name: "quiet", runs: 1, turn: 3e6, wakeUp: 20e3, shows: 1.2, all: true, seconds: 20, off: 0.02},
		{name: "dear", runs: 1, turn: 3e6, wakeUp: 20e3, shows: 4, all: true, seconds: 20, off: 0.02},
		{name: "nothing tells", runs: 1, turn: 3e6, wakeUp: 20e3, shows: 1.2, seconds: 20, off: 0.04},
		{name: "busy machine", runs: 0.4, turn: 3e6, wakeUp: 20e3, shows: 4, all: true, seconds: 40, off: 0.03},
		{name: "bursts", runs: 0.05, turn: 3e6, waits: true, wakeUp: 75e3, shows: 1.2, seconds: 200, off: 0.03},
		{name: "little", runs: 0.05, turn: 50e3, waits: true, wakeUp: 75e3, shows: 1.2, seconds: 40, off: 0.04},
		{name: "half", runs: 0.5, turn: 200e3, waits: true, wakeUp: 40e3, shows: 1.2, seconds: 20, off: 0.03},
		{name: "others", runs: 1, turn: 1e6, others: 7, wakeUp: 20e3, shows: 1.2, seconds: 60, off: 0.03},
		{name: "others, short", runs: 1, turn: 5e6, others: 15, wakeUp: 20e3, shows: 1.2, seconds: 3, off: 0.06},
		{name: "others, always", runs: 1, turn: 5e6, always: 7, wakeUp: 20e3, shows: 4, all: true, seconds: 20, off: 0.02},
		{name: "stopped", runs: 1, turn: 3e6, stopped: 100, wakeUp: 20e3, shows: 1.2, all: true, seconds: 20, off: 0.02},
		{name: "idle before", runs: 1, turn: 3e6, idle: 200, wakeUp: 20e3, shows: 4, all: true, seconds: 230, off: 0.02},
		{name: "both", runs: 0.4, turn: 3e6, others: 1, wakeUp: 20e3, shows: 4, all: true, seconds: 60, off: 0.02},
		{name: "about", runs: 1, turn: 3e6, wakeUp: 20e3, shows: 1.2, all: true, about: true, seconds: 20, off: 0.02},
	} {
		t.Run(m.name, m.test)
	}
}

func (m *machine) test(t *testing.T) {
	sumTrue, sumGot := 0.0, 0.0
	for seed := uint64(0); seed < 10; seed++ {
		random := rand.New(rand.NewSource(int64(seed)))
		w := NewWindows(Limit{Share: 0.03, Strict: true}, seed)
		var g Gaps
		counts := make([]uint64, 3)
		now, cpu, truth, estimated := int64(1), int64(1), 0.0, uint64(0)
		instant := func() Instant {
			if m.about {
				return Instant{Wall: now, CPU: cpu / 15e6 * 15e6, About: true}
			}
			return Instant{Wall: now, CPU: cpu}
		}
		add := func(site uint32, more estimate.Guess) { counts[site] += more.Calls; estimated += more.Calls }
		counted, rate, shown := false, 0.05, m.shows*random.Float64() // ns that counting a call takes in this program
		runs, others, turn := true, 0.0, int64(0)
		pass := func(ns int64) { // the program goes on
			for ; ns > 0; ns -= 10e3 {
				step := min(ns, 10e3)
				if now += step; now%20e6 < 10e3 {
					rate = 0.1 * random.Float64()
				}
				if now >= turn {
					share := m.runs
					if now < m.idle*1e9 {
						share = 0.02
					}
					runs, others = random.Float64() < share, 0
					if random.Float64() < 0.3 {
						others = m.others
					}
					turn = now + int64(random.ExpFloat64()*m.turn)
				}
				if !runs {
					continue
				}
				ran, slow, took := float64(step), 1.0, step
				switch {
				case counted && m.waits:
					took = int64(ran * (1 + rate*shown))
				case counted:
					slow = 1 / (1 + rate*shown)
				}
				cpu += took + int64(ran*(others+m.always))
				if m.all {
					counts[2] += uint64(rate / 10 * ran * slow)
				}
				if counted {
					counts[1] += uint64(rate * ran * slow)
				} else {
					truth += rate * ran
				}
			}
		}
		g.Set(Change{1, format.LevelSampled}, instant(), rate, rate)
		for stopped := m.stopped * 1e9; now < m.seconds*1e9+m.stopped*1e9; {
			if stopped > 0 && now > 10e9 && !w.Counts() && !w.Open() {
				now, stopped = now+stopped, 0
			}
			pass(max(w.Next(now), 1))
			cpu += int64(float64(m.wakeUp) * (0.7 + 0.6*random.Float64()))
			switch {
			case w.Counts():
				g.End(instant(), counts, add)
				counted = false
				w.Begin(now, format.SampleGroups)
			case w.Open():
				w.End(now)
				truth -= rate * m.runs * w.length // samples are calls of their own
				g.Sampled(instant())
			default:
				counted = true
				g.Begin(instant(), counts)
				w.Count(now)
			}
		}
		last, _ := g.Set(Change{1, format.LevelOnly}, instant(), 0, 0)
		estimated += last.Calls
		got := float64(estimated)
		if off := math.Abs(got/truth - 1); off > 0.2 && m.runs == 1 {
			t.Errorf("seed %d: %.4g calls are estimated, %.4g were made", seed, got, truth)
		}
		sumTrue, sumGot = sumTrue+truth, sumGot+got
	}
	off := sumGot/sumTrue - 1
	t.Logf("estimates are off by %.1f %% on average", 100*off)
	if math.Abs(off) > m.off || math.IsNaN(off) {
		t.Errorf("estimates are off by %.1f %% on average, want %.0f %% at most", 100*off, 100*m.off)
	}
}

// A function whose calls nobody counts any more has had as many as before until a window says more.
func TestShortGap(t *testing.T) {
	var g Gaps
	at := func(ns int64) Instant { return Instant{Wall: ns, CPU: ns} }
	g.Set(Change{3, format.LevelSampled}, at(1e9), 0.01, 0.01)
	sum := uint64(0)
	g.Finish(at(2e9), func(site uint32, more estimate.Guess) {
		if sum += more.Calls; site != 3 {
			t.Errorf("calls of site %d", site)
		}
	})
	last, _ := g.Set(Change{3, format.LevelFull}, at(3e9), 0, 0)
	if sum += last.Calls; sum != 20e6 || g.Any() {
		t.Errorf("%d calls, any %t; want 20,000,000 and none", sum, g.Any())
	}
}

// What was counted long before, as nobody had been sampled then, says nothing of how much windows slow the program down.
func TestGapsBegin(t *testing.T) {
	var g Gaps
	now, estimated := int64(0), uint64(0)
	counts := make([]uint64, 3)
	pass := func(ns int64) Instant { // site 2 is always counted, site 1 is called as often
		now += ns
		counts[2] += uint64(ns / 100)
		return Instant{Wall: now, CPU: now}
	}
	for i := 0; i < 2000; i++ {
		g.Sampled(pass(30e6)) // nobody is off
	}
	g.Set(Change{1, format.LevelSampled}, pass(1), 0.01, 0.01)
	from := now
	for i := 0; i < 100; i++ {
		g.Begin(pass(30e6), counts)
		counts[1] += 1e6 / 100
		g.End(pass(1e6+wakeUp), counts, func(site uint32, more estimate.Guess) { estimated += more.Calls })
		g.Sampled(pass(100e3))
	}
	if got, want := float64(estimated), float64(now-from)/100; math.Abs(got/want-1) > 0.1 {
		t.Errorf("%.0f calls are estimated, want about %.0f", got, want)
	}
}

// A function that is sampled from a window on that is open, or no more from then on, has no gap there.
func TestGapsChange(t *testing.T) {
	var g Gaps
	at := func(ns int64) Instant { return Instant{Wall: ns, CPU: ns} }
	counts := []uint64{0, 1e9, 1e9}
	estimated := [3]uint64{}
	add := func(site uint32, more estimate.Guess) { estimated[site] += more.Calls }
	g.Set(Change{1, format.LevelSampled}, at(1e9), 0.01, 0.01)
	g.Begin(at(2e9), counts)
	last, _ := g.Set(Change{1, format.LevelOnly}, at(2e9+1e6), 0, 0)
	g.Set(Change{2, format.LevelSampled}, at(2e9+1e6), 0.01, 0.01)
	g.End(at(2e9+2e6), counts, add)
	if last.Calls != 10e6 || estimated != [3]uint64{} {
		t.Errorf("%d calls are estimated, and %v at the end; want 10,000,000, and none", last.Calls, estimated)
	}
	g.Begin(at(3e9), counts)
	g.Sampled(at(3e9 + 1e6)) // all has stopped, although the window was open
	g.Set(Change{1, format.LevelSampled}, at(4e9), 0.01, 0.01)
	g.Finish(at(5e9), add)
	if estimated[1] != 10e6 {
		t.Errorf("%d calls are estimated in the last second, want 10,000,000", estimated[1])
	}
}

// What is known of a function tells nothing any more when it has another level, and again after the next window.
func TestGapsForget(t *testing.T) {
	var g Gaps
	now, counts := int64(0), make([]uint64, 4)
	pass := func(ns int64) Instant {
		now += ns
		for site := 2; site < 4; site++ {
			counts[site] += uint64(ns/100) * uint64(site)
		}
		return Instant{Wall: now, CPU: now}
	}
	window := func() {
		g.Begin(pass(30e6), counts)
		g.End(pass(1e6), counts, func(uint32, estimate.Guess) {})
		g.Sampled(pass(100e3))
	}
	known := func() [3]float64 {
		return [3]float64{g.likeness.calls.gaps, g.sites[2].known.gaps, g.sites[3].known.gaps}
	}
	g.Set(Change{1, format.LevelSampled}, pass(1), 0, 0)
	for i := 0; i < 10; i++ {
		window()
	}
	all := known()
	g.Set(Change{2, format.LevelOnly}, pass(1), 0, 0)
	g.Set(Change{3, format.LevelSampled}, pass(1), 0, 0)
	none := known()
	window()
	window()
	again := known()
	if all[0] != all[1]+all[2] || all[2] != 9*3*301e3 || none != [3]float64{} || again != [3]float64{2 * 301e3, 2 * 301e3} {
		t.Errorf("of all, 2 and 3 there are known %v, then %v, then %v", all, none, again)
	}
}

// By a clock with steps windows may begin and end at once: such a window says nothing, and its gap is as those before.
func TestGapsSteps(t *testing.T) {
	var g Gaps
	counts, estimated := []uint64{0, 0}, uint64(0)
	g.Set(Change{1, format.LevelSampled}, Instant{About: true}, 0.01, 0.01)
	for now := int64(100e6); now <= 1e9; now += 100e6 {
		g.Begin(Instant{Wall: now, About: true}, counts)
		g.End(Instant{Wall: now, About: true}, counts, func(site uint32, more estimate.Guess) { estimated += more.Calls })
		g.Sampled(Instant{Wall: now, About: true})
	}
	if estimated != 10e6 {
		t.Errorf("%d calls are estimated in a second, want 10,000,000", estimated)
	}
}
