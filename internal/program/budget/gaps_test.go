package budget

import (
	"math"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Estimates of calls that nobody counted are right on average, in programs whose rates change, and whatever counting
// them costs.
func TestGaps(t *testing.T) {
	sumTrue, sumGot := 0.0, 0.0
	for seed := uint64(0); seed < 10; seed++ {
		random := rand.New(rand.NewSource(int64(seed)))
		w := NewWindows(Limit{Share: 0.03, Strict: true}, seed)
		var g Gaps
		counts := make([]uint64, 3) // the last function is always counted
		now, truth, estimated := int64(1), 0.0, uint64(0)
		add := func(site uint32, more estimate.Guess) { counts[site] += more.Calls; estimated += more.Calls }
		counted, rate, hidden := false, 0.05, 1.2*random.Float64() // ns that counting a call takes in this program
		pass := func(ns int64) {                                   // the program goes on
			for ; ns > 0; ns -= 100e3 {
				step := float64(min(ns, 100e3))
				if now += int64(step); now%20e6 < 100e3 {
					rate = 0.1 * random.Float64()
				}
				slow := 1.0
				if counted {
					slow = 1 / (1 + rate*hidden)
				}
				counts[2] += uint64(rate / 10 * step * slow)
				if counted {
					counts[1] += uint64(rate * step * slow)
				} else {
					truth += rate * step
				}
			}
		}
		g.Set(Change{1, format.LevelSampled}, now, rate, rate)
		for now < 20e9 {
			pass(max(w.Next(now), 1))
			switch {
			case w.Counts():
				g.End(now, counts, 1, add)
				counted = false
				w.Begin(now, format.SampleGroups)
			case w.Open():
				w.End(now)
				truth -= rate * w.length // samples are calls of their own
				g.Sampled(now)
			default:
				counted = true
				g.Begin(now, counts)
				w.Count(now)
			}
		}
		last, _ := g.Set(Change{1, format.LevelOnly}, now, 0, 0)
		estimated += last.Calls
		if got := float64(estimated); math.Abs(got-truth) > truth*0.2 {
			t.Errorf("seed %d: %.4g calls are estimated, %.4g were made", seed, got, truth)
		}
		sumTrue, sumGot = sumTrue+truth, sumGot+float64(estimated)
	}
	if off := sumGot/sumTrue - 1; math.Abs(off) > 0.02 || math.IsNaN(off) {
		t.Errorf("estimates are off by %.1f %% on average", 100*off)
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
