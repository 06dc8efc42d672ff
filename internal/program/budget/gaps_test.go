package budget

import (
	"math"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A machine lets a program run: from one moment to the next it is busy or waits, or another process has the CPU.
type machine struct {
	name    string
	runs    float64 // the share of its time in which the program runs
	wakeUp  int64   // CPU time of a wake-up, ns
	hides   float64 // ns of counting a call that are hidden at most
	all     bool    // there is a function that is always counted
	seconds int64
	off     float64 // how far off estimates may be on average
}

// Estimates of calls that nobody counted are right on average, in programs whose rates change, whatever counting them
// costs, and whether the program has the CPU or not.
func TestGaps(t *testing.T) {
	for _, m := range []machine{
		{name: "quiet", runs: 1, hides: 1.2, all: true, seconds: 20, off: 0.02},
		{name: "dear", runs: 1, wakeUp: 20e3, hides: 10, all: true, seconds: 20, off: 0.03},
		{name: "nothing tells", runs: 1, wakeUp: 20e3, hides: 1.2, seconds: 20, off: 0.05},
		{name: "busy", runs: 0.4, wakeUp: 20e3, hides: 10, all: true, seconds: 40, off: 0.05},
		{name: "idle", runs: 0.05, wakeUp: 75e3, hides: 1.2, seconds: 400, off: 0.1},
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
		add := func(site uint32, more estimate.Guess) { counts[site] += more.Calls; estimated += more.Calls }
		counted, rate, hidden := false, 0.05, m.hides*random.Float64() // ns that counting a call takes in this program
		runs, turn := true, int64(0)
		pass := func(ns int64) { // the program goes on
			for ; ns > 0; ns -= 100e3 {
				step := min(ns, 100e3)
				if now += step; now%20e6 < 100e3 {
					rate = 0.1 * random.Float64()
				}
				if now >= turn {
					runs = random.Float64() < m.runs
					turn = now + int64(random.ExpFloat64()*3e6)
				}
				if !runs {
					continue
				}
				cpu += step
				ran, slow := float64(step), 1.0
				if counted {
					slow = 1 / (1 + rate*hidden)
				}
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
		g.Set(Change{1, format.LevelSampled}, cpu, rate, rate)
		for now < m.seconds*1e9 {
			pass(max(w.Next(now), 1))
			cpu += int64(float64(m.wakeUp) * (0.7 + 0.6*random.Float64()))
			switch {
			case w.Counts():
				g.End(cpu, counts, add)
				counted = false
				w.Begin(now, format.SampleGroups)
			case w.Open():
				w.End(now)
				if runs {
					truth -= rate * w.length // samples are calls of their own
				}
				g.Sampled(cpu)
			default:
				counted = true
				g.Begin(cpu, counts)
				w.Count(now)
			}
		}
		last, _ := g.Set(Change{1, format.LevelOnly}, cpu, 0, 0)
		estimated += last.Calls
		got := float64(estimated)
		if off := math.Abs(got/truth - 1); off > 0.25 && m.runs == 1 {
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
	g.Set(Change{3, format.LevelSampled}, 1e9, 0.01, 0.01)
	sum := uint64(0)
	g.Finish(2e9, func(site uint32, more estimate.Guess) {
		if sum += more.Calls; site != 3 {
			t.Errorf("calls of site %d", site)
		}
	})
	last, _ := g.Set(Change{3, format.LevelFull}, 3e9, 0, 0)
	if sum += last.Calls; sum != 20e6 || g.Any() {
		t.Errorf("%d calls, any %t; want 20,000,000 and none", sum, g.Any())
	}
}
