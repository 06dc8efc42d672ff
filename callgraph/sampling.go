package callgraph

import (
	"fmt"
	"time"

	"github.com/waymark-go/waymark/internal/text/units"
)

// A Sampling says how a tree was sampled.
type Sampling struct {
	Rate    float64 `json:"rate"`    // samples per second that were asked for
	Samples int64   `json:"samples"` // samples that were taken

	// Slowed is the number of samples that came later than Rate asks, to keep the cost low. Limit
	// is the share of one CPU that samples may take. Cost is the CPU time that they took; where
	// the system can't report the CPU time of a thread it is elapsed time.
	Slowed int64         `json:"slowed"`
	Limit  float64       `json:"limit"`
	Cost   time.Duration `json:"cost_ns"`

	// Goroutines is the number of goroutines in the largest sample.
	Goroutines int64 `json:"goroutines"`

	// Seen is the number of stacks that were candidates for the tree. Counted is how many of them
	// were looked at. Samples with more candidates than Max took a random part of them, and each
	// stack of the part stands for several.
	Seen    int64 `json:"seen"`
	Counted int64 `json:"counted"`
	Max     int   `json:"max"`

	// Skipped is the number of samples that were not taken because there were more goroutines than
	// a sampler can look at.
	Skipped int64 `json:"skipped"`

	// Cut is the number of stacks that were too deep: the runtime left out their outermost calls.
	// If the root is a function, such stacks are in the tree only if the root is visible.
	Cut int64 `json:"cut"`
}

// Notes returns what a reader of the tree should know, a line each: the number of samples, and
// which limits were reached.
func (t *Tree) Notes() []string {
	var notes []string
	if s := t.Sampling; s != nil {
		took := t.To.Sub(t.From)
		notes = append(notes, fmt.Sprintf("%s in %s, %.3g of %g per second, up to %s", units.Things(uint64(s.Samples), "sample"), units.Duration(took),
			float64(s.Samples)/max(took, 1).Seconds(), s.Rate, units.Things(uint64(s.Goroutines), "goroutine")))
		if s.Slowed > 0 {
			notes = append(notes, fmt.Sprintf("%s came later than asked for, to take %g %% of one CPU at most; all took %.2g %%",
				units.Things(uint64(s.Slowed), "sample"), s.Limit*100, 100*ratio(s.Cost, took)))
		}
		if s.Counted < s.Seen {
			notes = append(notes, fmt.Sprintf("a random part of the goroutines: %s of %s, at most %d per sample", units.Things(uint64(s.Counted), "stack"), units.Count(uint64(s.Seen)), s.Max))
		}
		if s.Skipped > 0 {
			notes = append(notes, fmt.Sprintf("%s not taken: too many goroutines", units.Things(uint64(s.Skipped), "sample")))
		}
		if s.Cut > 0 {
			notes = append(notes, fmt.Sprintf("%s without the outermost calls: run with GODEBUG=profstackdepth=1000 to see deeper ones", units.Things(uint64(s.Cut), "stack")))
		}
	}
	if t.DroppedNodes > 0 {
		notes = append(notes, fmt.Sprintf("the tree is full: %s end early", units.Things(uint64(t.DroppedNodes), "path")))
	}
	if t.Untimed > 0 {
		notes = append(notes, fmt.Sprintf("%s not in the tree, because only counted: their time is their callers' own", units.Things(uint64(t.Untimed), "call")))
	}
	return notes
}
