package timing

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/waymark-go/waymark/histogram"
)

// A Snapshot is what a Statistics has added up between two instants.
type Snapshot struct {
	From, To time.Time
	Timers   []Row // of each timer with events, sorted by name

	resets uint64 // number of calls of Reset until To
}

// A Row is what was measured by a timer. Where Count is 0, all durations are 0.
type Row struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`

	Count  uint64        `json:"count"` // measurements that have ended
	Total  time.Duration `json:"total_ns"`
	Min    time.Duration `json:"min_ns"`
	Max    time.Duration `json:"max_ns"`
	Mean   time.Duration `json:"mean_ns"`
	StdDev time.Duration `json:"stddev_ns"`

	// P50, P90, P99 and P999: exact to 1.6 %, and not outside of Min and Max.
	Quantiles

	Open   int    `json:"open"`                // measurements in progress when the snapshot was taken
	Strays uint64 `json:"exits_without_enter"` // not in Count, nor in any duration

	Histogram histogram.Histogram `json:"histogram"` // of measurements that have ended

	sum moments
}

// Quantiles are the 50 %, 90 %, 99 % and 99.9 % quantiles of durations: P50, P90, P99 and P999.
type Quantiles = histogram.Quantiles

// Quantile returns the duration that a share q of the measurements does not exceed, exact to 1.6 %
// and not outside of Min and Max. q is 0 to 1. Quantile returns 0 if there are no measurements.
func (r *Row) Quantile(q float64) time.Duration {
	return min(max(r.Histogram.Quantile(q), r.Min), r.Max)
}

// fill sets the numbers from the sums and the histogram.
func (r *Row) fill(least, most time.Duration) {
	r.Count, r.Total = r.sum.count, nanoseconds(r.sum.sum)
	if r.Count == 0 {
		least, most = 0, 0
	}
	r.Min, r.Max = least, most
	r.Mean, r.StdDev = r.sum.mean(), r.sum.deviation()
	r.Quantiles = r.Histogram.Quantiles(least, most)
}

// The keys of this type and of Row are a contract: keys may be added, but none goes away.
type jsonSnapshot struct {
	Time    time.Time     `json:"time"` // To
	Elapsed time.Duration `json:"elapsed_ns"`
	Timers  []Row         `json:"timers"`
	Resets  uint64        `json:"resets"`
}

// MarshalJSON writes all timers. Times are in ns.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	timers := s.Timers
	if timers == nil {
		timers = []Row{}
	}
	return json.Marshal(jsonSnapshot{s.To, s.To.Sub(s.From), timers, s.resets})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	var in jsonSnapshot
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*s = Snapshot{in.Time.Add(-in.Elapsed), in.Time, in.Timers, in.Resets}
	return nil
}

// UnmarshalJSON reads a row of a snapshot that was written as JSON.
func (r *Row) UnmarshalJSON(b []byte) error {
	type plain Row
	var in plain
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Row(in)
	r.sum = momentsOf(r.Count, r.Total, r.StdDev)
	return nil
}

// Since returns what happened between before, an earlier snapshot of the same Statistics, and s. If
// Reset was called in between, Since returns what happened since Reset. If before is nil or empty,
// Since returns a copy of s. Open is that of s.
//
// Min and Max are exact if the shortest or the longest measurement happened in between. If not,
// they are as exact as the Histogram: to 1.6 %.
//
// s and before may have been read from JSON. Then StdDev is not exact.
func (s *Snapshot) Since(before *Snapshot) *Snapshot {
	out := *s
	out.Timers = slices.Clone(s.Timers)
	if before == nil || before.To.IsZero() || before.resets != s.resets {
		return &out
	}
	out.From = before.To
	earlier := make(map[string]*Row, len(before.Timers))
	for i := range before.Timers {
		earlier[before.Timers[i].Name] = &before.Timers[i]
	}
	for i, r := range out.Timers {
		if b := earlier[r.Name]; b != nil {
			out.Timers[i] = r.since(b)
		}
	}
	return &out
}

func (r Row) since(before *Row) Row {
	least, most := r.Min, r.Max
	r.sum = r.sum.sub(before.sum)
	r.Strays -= before.Strays
	r.Histogram = r.Histogram.Sub(before.Histogram)
	if before.Count > 0 && before.Max >= most {
		most = min(max(r.Histogram.Quantile(1), least), most)
	}
	if before.Count > 0 && before.Min <= least {
		least = max(min(r.Histogram.Quantile(0), most), least)
	}
	r.fill(least, most)
	return r
}

// Row returns the row of the timer with that name, and reports whether there is one.
func (s *Snapshot) Row(name string) (Row, bool) {
	for _, r := range s.Timers {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}
