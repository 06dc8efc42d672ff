package timing

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/waymark-go/waymark/histogram"
)

// A Snapshot is what a Statistics knew at some instant. It has a row for each timer that something happened to, by name.
type Snapshot struct {
	Time    time.Time     `json:"time"`
	Elapsed time.Duration `json:"elapsed_ns"` // what it is about ends at Time and has this length
	Timers  []Row         `json:"timers"`
	Resets  uint64        `json:"resets"` // of the Statistics until then
}

// A Row is what is known of a timer. Durations of 0 stand for none where Count is 0.
type Row struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`

	Count  uint64        `json:"count"` // of measurements that have ended
	Total  time.Duration `json:"total_ns"`
	Min    time.Duration `json:"min_ns"`
	Max    time.Duration `json:"max_ns"`
	Mean   time.Duration `json:"mean_ns"`
	StdDev time.Duration `json:"stddev_ns"`

	// What so many of all measurements don't exceed: exact to 1.6 %, and never outside of Min and Max.
	P50  time.Duration `json:"p50_ns"`
	P90  time.Duration `json:"p90_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`

	Open   int    `json:"open"`                // measurements that have begun and not ended, at the time of the snapshot
	Strays uint64 `json:"exits_without_enter"` // which are in nothing else

	Histogram histogram.Histogram `json:"histogram"`

	sum moments
}

// fill makes the numbers of the sums and the histogram.
func (r *Row) fill(least, most time.Duration) {
	r.Count, r.Total = r.sum.count, nanoseconds(r.sum.sum)
	if r.Count == 0 {
		least, most = 0, 0
	}
	r.Min, r.Max = least, most
	r.Mean, r.StdDev = r.sum.mean(), r.sum.deviation()
	quantile := func(q float64) time.Duration { return min(max(r.Histogram.Quantile(q), least), most) }
	r.P50, r.P90, r.P99, r.P999 = quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999)
}

// UnmarshalJSON reads a row of a snapshot that was written as JSON. In differences (Since) of such
// snapshots the standard deviation isn't exact.
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

// Since gives what happened between an earlier snapshot and this one, of the same Statistics; if it was reset in between, what
// happened since then. Where the shortest or the longest measurement of a timer was before, Min and Max are those that the
// histogram tells of, exact to 1.6 %. Open is that of now.
func (s Snapshot) Since(before Snapshot) Snapshot {
	if before.Resets != s.Resets {
		return s
	}
	s.Elapsed = s.Time.Sub(before.Time)
	earlier := make(map[string]*Row, len(before.Timers))
	for i := range before.Timers {
		earlier[before.Timers[i].Name] = &before.Timers[i]
	}
	rows := make([]Row, len(s.Timers))
	for i, r := range s.Timers {
		if b := earlier[r.Name]; b != nil {
			r = r.since(b)
		}
		rows[i] = r
	}
	s.Timers = rows
	return s
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

// Row gives the row of the timer with that name.
func (s Snapshot) Row(name string) (Row, bool) {
	for _, r := range s.Timers {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

// String gives the text that WriteTo writes.
func (s Snapshot) String() string {
	var b strings.Builder
	s.WriteTo(&b)
	return b.String()
}
