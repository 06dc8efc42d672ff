package stats

import (
	"encoding/json"
	"fmt"
	"time"
)

// The keys of these types are a contract: keys may be added, but none goes away. The keys of
// functions are those of a recording's report.

type jsonSnapshot struct {
	From       time.Time  `json:"from"`
	To         time.Time  `json:"to"`
	DurationNS int64      `json:"duration_ns"`
	Goroutines uint64     `json:"goroutines"`
	Functions  []jsonStat `json:"functions"`
	Paths      *jsonPaths `json:"paths,omitempty"`
	Objects    []jsonMade `json:"objects,omitempty"`

	HeapObjects uint64 `json:"heap_objects,omitempty"`
	OwnObjects  uint64 `json:"own_objects,omitempty"`
}

type jsonStat struct {
	Func
	Calls   uint64 `json:"calls"`
	Open    uint64 `json:"open"`
	Panics  uint64 `json:"panics"`
	Errors  uint64 `json:"errors"`
	TotalNS int64  `json:"total_ns"`
	SelfNS  int64  `json:"self_ns"`
	MinNS   int64  `json:"min_ns"`
	MaxNS   int64  `json:"max_ns"`
	AvgNS   int64  `json:"avg_ns"`

	Recorded *uint64   `json:"recorded,omitempty"` // of calls, those that were timed; if not all were
	Demoted  bool      `json:"demoted,omitempty"`  // some were only counted, to keep to the budget
	Estimate *Estimate `json:"estimate,omitempty"`
	*Quantiles
	jsonOff

	Objects uint64 `json:"objects,omitempty"` // made by the calls themselves
	Bytes   uint64 `json:"bytes,omitempty"`
}

// A jsonOff has the times in which goroutines ran, too. All are nil if they are not known.
type jsonOff struct {
	RunningNS      *time.Duration `json:"running_ns,omitempty"`
	RunnableNS     *time.Duration `json:"runnable_ns,omitempty"`
	WaitingNS      *time.Duration `json:"waiting_ns,omitempty"`
	SelfRunningNS  *time.Duration `json:"self_running_ns,omitempty"`
	SelfRunnableNS *time.Duration `json:"self_runnable_ns,omitempty"`
	SelfWaitingNS  *time.Duration `json:"self_waiting_ns,omitempty"`
}

func (n *Numbers) off() jsonOff {
	running, self := n.Total-n.Runnable-n.Waiting, n.Self-n.SelfRunnable-n.SelfWaiting
	return jsonOff{&running, &n.Runnable, &n.Waiting, &self, &n.SelfRunnable, &n.SelfWaiting}
}

// MarshalJSON writes all functions. Times are in ns. Functions whose Histogram is not empty have
// the four Quantiles. Functions some of whose calls have no times, in a snapshot with times, have the
// number of those that have, and are marked as demoted. Functions with an Estimate have it, too. With Options.Waiting functions have the times in
// which their goroutines ran, were ready and waited.
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	out := jsonSnapshot{s.From, s.To, int64(s.To.Sub(s.From)), s.Goroutines, make([]jsonStat, len(s.Functions)), pathsToJSON(s.Paths), objectsToJSON(s.Objects), s.HeapObjects, s.OwnObjects}
	timed := s.timed()
	for i := range s.Functions {
		f := &s.Functions[i]
		out.Functions[i] = jsonStat{
			Func: f.Func, Calls: f.Calls, Open: f.Open, Panics: f.Panics, Errors: f.Errors,
			TotalNS: int64(f.Total), SelfNS: int64(f.Self),
			MinNS: int64(f.Min), MaxNS: int64(f.Max), AvgNS: int64(f.Mean), Quantiles: f.Quantiles(), Estimate: f.Estimate,
			Objects: f.Objects, Bytes: f.Bytes,
		}
		if s.waits {
			out.Functions[i].jsonOff = f.off()
		}
		if timed && f.Untimed > 0 {
			recorded := f.Calls - f.Untimed
			out.Functions[i].Recorded, out.Functions[i].Demoted = &recorded, true
		}
	}
	return json.Marshal(out)
}

// jsonPaths are all paths. Their functions need not have calls of their own in a difference.
type jsonPaths struct {
	Functions []*Func    `json:"functions"`
	List      []jsonPath `json:"list"`
}

type jsonPath struct {
	Parent   int    `json:"parent"`   // index in the list, -1 if there is none
	Function int    `json:"function"` // index in functions, -1 if it is Other
	Calls    uint64 `json:"calls"`
	Open     uint64 `json:"open,omitempty"`
	Panics   uint64 `json:"panics,omitempty"`
	Errors   uint64 `json:"errors,omitempty"`
	SelfNS   int64  `json:"self_ns"`

	Estimated bool `json:"estimated,omitempty"`
}

func pathsToJSON(paths []Path) *jsonPaths {
	if len(paths) == 0 {
		return nil
	}
	out := &jsonPaths{List: make([]jsonPath, len(paths))}
	index := map[*Func]int{nil: -1}
	for i := range paths {
		p := &paths[i]
		at, ok := index[p.Func]
		if !ok {
			at = len(out.Functions)
			index[p.Func] = at
			out.Functions = append(out.Functions, p.Func)
		}
		out.List[i] = jsonPath{p.Parent, at, p.Calls, p.Open, p.Panics, p.Errors, int64(p.Self), p.Estimated}
	}
	return out
}

// paths returns the paths, or an error if an index is none.
func (j *jsonPaths) paths() ([]Path, error) {
	if j == nil {
		return nil, nil
	}
	out := make([]Path, len(j.List))
	for i, p := range j.List {
		if p.Parent < -1 || p.Parent >= i || p.Function < -1 || p.Function >= len(j.Functions) {
			return nil, fmt.Errorf("path %d has parent %d and function %d: want indices of a path before it and of a function, or -1", i, p.Parent, p.Function)
		}
		out[i] = Path{Parent: p.Parent, Calls: p.Calls, Open: p.Open, Panics: p.Panics, Errors: p.Errors, Self: time.Duration(p.SelfNS), Estimated: p.Estimated}
		if p.Function >= 0 {
			out[i].Func = j.Functions[p.Function]
		}
	}
	addTotals(out)
	return out, nil
}

// UnmarshalJSON reads what MarshalJSON has written. Histograms are empty: JSON has only Quantiles.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	var in jsonSnapshot
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	paths, err := in.Paths.paths()
	if err != nil {
		return err
	}
	*s = Snapshot{From: in.From, To: in.To, Goroutines: in.Goroutines, Paths: paths, HeapObjects: in.HeapObjects, OwnObjects: in.OwnObjects}
	for _, j := range in.Functions {
		s.Functions = append(s.Functions, Stat{Func: j.Func, Numbers: Numbers{
			Calls: j.Calls, Open: j.Open, Panics: j.Panics, Errors: j.Errors,
			Total: time.Duration(j.TotalNS), Self: time.Duration(j.SelfNS),
			Min: time.Duration(j.MinNS), Max: time.Duration(j.MaxNS), Mean: time.Duration(j.AvgNS),
			quantiles: j.Quantiles, Estimate: j.Estimate, Objects: j.Objects, Bytes: j.Bytes,
		}})
		f := &s.Functions[len(s.Functions)-1]
		if j.Recorded != nil {
			f.Untimed = f.Calls - *j.Recorded
		}
		for to, from := range map[*time.Duration]*time.Duration{
			&f.Runnable: j.RunnableNS, &f.Waiting: j.WaitingNS, &f.SelfRunnable: j.SelfRunnableNS, &f.SelfWaiting: j.SelfWaitingNS,
		} {
			if from != nil {
				*to, s.waits = *from, true
			}
		}
	}
	return s.addObjects(in.Objects)
}
