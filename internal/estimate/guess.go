package estimate

import (
	"math"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Guess is how many calls of a function nobody counted: an estimate, by what was counted in windows at random
// moments. All fields add up: those of two times are those of both.
type Guess struct {
	Calls   uint64
	Windows uint64  // in which calls were counted
	Squares float64 // of the calls that each window stands for
	Most    float64 // calls, if there were as many all the time as there ever were while they were counted
}

// GuessOf returns what a recording says of calls that nobody counted, where the level was format.LevelSampled until then.
func GuessOf(c format.Count) Guess {
	root := float64(c.Guess.Root)
	return Guess{Calls: c.Calls, Windows: c.Guess.Windows, Squares: root * root, Most: float64(c.Guess.Most)}
}

// Add adds what is known of another time.
func (g *Guess) Add(o Guess) {
	g.Calls += o.Calls
	g.Windows += o.Windows
	g.Squares += o.Squares
	g.Most += o.Most
}

// interval returns the least and the most calls that there were, in 19 of 20 cases. As a share of the truth the number
// may be off by doubt, beside what chance does.
//
// Calls come in phases that windows meet or miss. The number is one of a sum of a random number of windows, each of
// which stands for another number of calls. It is as uncertain as if so many equal windows had met the function as the
// square of the sum holds squares. Windows that are all alike are no matter of chance.
func (g Guess) interval(doubt float64) (low, high float64) {
	const (
		surely   = 0.15 // windows begin when goroutines are scheduled: in suites, estimates were a tenth too low
		certain  = 1e6  // windows that have met the function: there is no chance left
		asBefore = 3    // times as many calls as there ever were, where no window tells
		many     = 10   // windows for each that is taken to have met a phase
	)
	n, windows, met := float64(g.Calls), float64(g.Windows), 0.0
	doubt = min(max(doubt, surely), 0.9)
	if n > 0 && windows > 0 {
		met = certain
		if spread := g.Squares - n*n*(windows-1)/(windows*windows); spread > 0 {
			met = min(n*n/spread, certain)
		}
		least, most := events(met, windows)
		low, high = n*least/met/(1+doubt), n*most/met/(1-doubt)
	}
	// A phase that few windows have met may be as long as if the function were called as before all the time. That windows
	// have met other calls of the function says little of it, unless there were many.
	met = min(met, windows/many)
	return low, max(high, asBefore*min(1.5/(1+met), 1)*g.Most, n)
}

// events returns how many random events there may be where so many have come, with 2.5 % on either side: as of a Poisson
// distribution, by Wilson and Hilferty, but wider, as windows stand for unequal numbers. How unequal they are is known
// roughly if there are few.
func events(n, windows float64) (least, most float64) {
	z := 2.6 * (1 + 2/windows) // 1.96 for events that are all alike
	if n > 0 {
		least = n * math.Pow(max(1-1/(9*n)-z/(3*math.Sqrt(n)), 0), 3)
	}
	n++
	return least, n * math.Pow(1-1/(9*n)+z/(3*math.Sqrt(n)), 3)
}
