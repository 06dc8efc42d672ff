package estimate

import (
	"math/rand"
	"testing"
)

// Intervals hold what there was in 95 of 100 cases, however seldom windows meet a function and however unequal its
// phases are; in 92 if there are few windows.
func TestGuess(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, windows := range []int{1, 3, 10, 36, 200} {
		for _, share := range []float64{0.03, 0.1, 0.3, 0.7, 1} { // of the time in which the function is called
			for _, steady := range []bool{false, true} {
				held, wide, runs := 0, 0.0, 2000
				for range make([]struct{}, runs) {
					// The time between two windows has 50 parts; in each the function is called or not.
					var g Guess
					truth := 0.0
					rate := func() float64 {
						switch {
						case random.Float64() >= share:
							return 0
						case steady:
							return 100
						}
						return 100 * random.ExpFloat64()
					}
					for range make([]struct{}, windows) {
						const parts = 50
						met := random.Intn(parts)
						for i := range make([]struct{}, parts) {
							n := rate()
							if truth += n; i == met {
								g.Add(Guess{Calls: uint64(parts * n), Windows: 1, Squares: parts * n * parts * n})
							}
						}
						g.Most += 50 * 100 * share
					}
					low, high := g.interval(0)
					if low <= truth && truth <= high {
						held++
					}
					wide += (high - low) / truth
				}
				bar := 0.95
				if windows < 10 {
					bar = 0.92
				}
				if part := float64(held) / float64(runs); part < bar {
					t.Errorf("%d windows, called for %g of the time, steady %t: %.1f %% of the intervals hold the truth", windows, share, steady, 100*part)
				} else {
					t.Logf("%d windows, %g of the time, steady %t: %.1f %%, %.2f of the truth wide", windows, share, steady, 100*part, wide/float64(runs))
				}
			}
		}
	}
}
