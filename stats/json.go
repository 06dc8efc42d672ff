package stats

import (
	"encoding/json"
	"time"
)

// The keys of these types are a contract: they may be joined by others, but stay. Those of functions are as in
// the report of a recording.

type jsonSnapshot struct {
	From       time.Time  `json:"from"`
	To         time.Time  `json:"to"`
	DurationNS int64      `json:"duration_ns"`
	Goroutines uint64     `json:"goroutines"`
	Functions  []jsonStat `json:"functions"`
}

type jsonStat struct {
	Function
	Calls   uint64 `json:"calls"`
	Open    uint64 `json:"open"`
	Panics  uint64 `json:"panics"`
	Errors  uint64 `json:"errors"`
	TotalNS int64  `json:"total_ns"`
	SelfNS  int64  `json:"self_ns"`
	MinNS   int64  `json:"min_ns"`
	MaxNS   int64  `json:"max_ns"`
	AvgNS   int64  `json:"avg_ns"`
	*Quantiles
}

// MarshalJSON gives all functions. Times are in ns; there are quantiles where distributions were gathered.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	out := jsonSnapshot{s.From, s.To, int64(s.To.Sub(s.From)), s.Goroutines, make([]jsonStat, 0, len(s.Functions))}
	for i := range s.Functions {
		f := &s.Functions[i]
		j := jsonStat{f.Function, f.Calls, f.Open, f.Panics, f.Errors, int64(f.Total), int64(f.Self), int64(f.Min), int64(f.Max), int64(f.Avg), f.Quantiles()}
		out.Functions = append(out.Functions, j)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON has written. Of distributions there are only the Quantiles.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	var in jsonSnapshot
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*s = Snapshot{From: in.From, To: in.To, Goroutines: in.Goroutines}
	for _, j := range in.Functions {
		s.Functions = append(s.Functions, Stat{Function: j.Function, Numbers: Numbers{
			Calls: j.Calls, Open: j.Open, Panics: j.Panics, Errors: j.Errors,
			Total: time.Duration(j.TotalNS), Self: time.Duration(j.SelfNS),
			Min: time.Duration(j.MinNS), Max: time.Duration(j.MaxNS), Avg: time.Duration(j.AvgNS),
			quantiles: j.Quantiles,
		}})
	}
	return nil
}
