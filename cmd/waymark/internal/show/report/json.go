package report

import (
	"encoding/json"
	"io"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/stats"
)

// The keys of these types are a contract: keys may be added, but none is removed.

type jsonReport struct {
	File       string   `json:"file"`            // the first one
	Files      []string `json:"files,omitempty"` // if there are several
	Program    string   `json:"program"`
	DurationNS int64    `json:"duration_ns"` // during which at least one process was recorded
	Events     uint64   `json:"events"`
	Dropped    uint64   `json:"dropped"`
	Goroutines uint64   `json:"goroutines"`
	Damaged    int64    `json:"damaged"`
	Complete   bool     `json:"complete"`
	Open       uint64   `json:"open"`
	jsonProblems
	Processes []jsonProcess `json:"processes,omitempty"` // if there are several
}

// jsonProblems are what makes numbers incomplete, beside what is dropped or damaged.
type jsonProblems struct {
	Stopped   string `json:"stopped,omitempty"`       // "max-size" or "failure", if it ended early
	FromNS    int64  `json:"from_ns,omitempty"`       // from when on everything is there
	Parts     int    `json:"missing_parts,omitempty"` // of rotated recordings
	Cut       uint64 `json:"cut,omitempty"`           // calls without a recorded end
	Unmatched uint64 `json:"unmatched,omitempty"`     // calls without a recorded beginning
	Unknown   uint64 `json:"unknown,omitempty"`       // events of no known goroutine or function
	Backward  uint64 `json:"backward,omitempty"`      // events that are earlier than the one before
	Mixed     uint64 `json:"mixed_waits,omitempty"`   // waits recorded with others, for the reason of the longest
	Past      bool   `json:"past_window,omitempty"`   // open calls go on after --time

	Budget  string `json:"budget,omitempty"`            // as the user wrote it
	Demoted int    `json:"demoted_functions,omitempty"` // of which calls were only counted
	Counted uint64 `json:"counted_calls,omitempty"`     // those calls; only long ones have times

	LeftOut *function.LeftOut `json:"left_out,omitempty"` // functions that are not instrumented
}

// jsonLacks is what is missing in some recordings, for readers of a single object.
type jsonLacks struct {
	Dropped  uint64 `json:"dropped"`
	Damaged  int64  `json:"damaged"`
	Complete bool   `json:"complete"`
	jsonProblems
}

func newJSONProblems(rec *recording.Summary) jsonProblems {
	p := &rec.Problems
	var left *function.LeftOut
	if rec.LeftOut.Functions > 0 {
		left = &rec.LeftOut
	}
	return jsonProblems{
		LeftOut: left,
		Stopped: rec.Info.Stopped.String(), FromNS: int64(rec.Info.From), Parts: rec.Info.Missing,
		Cut: p.Cut, Unmatched: p.Unmatched, Unknown: p.Unknown, Backward: p.Backward, Mixed: rec.Mixed, Past: rec.Past && rec.Open > 0,
		Budget: rec.Counted.Budget, Demoted: len(rec.Counted.Functions), Counted: rec.Counted.Sum,
	}
}

func newJSONLacks(rec *recording.Summary) jsonLacks {
	return jsonLacks{rec.Info.Lost, rec.Info.Damaged, rec.Info.Complete, newJSONProblems(rec)}
}

// jsonRows is a report with its rows.
type jsonRows struct {
	jsonReport
	Functions   *[]jsonFunction  `json:"functions,omitempty"`
	Packages    *[]jsonNamed     `json:"packages,omitempty"`
	Groups      *[]jsonNamed     `json:"groups,omitempty"`
	Value       string           `json:"by,omitempty"` // as args.key, with values
	Values      *[]jsonValue     `json:"values,omitempty"`
	ByGoroutine *[]jsonGoroutine `json:"by_goroutine,omitempty"`
	Types       *[]jsonType      `json:"types,omitempty"` // of objects
}

type jsonProcess struct {
	PID        int      `json:"pid"`
	Files      []string `json:"files"`
	Start      int64    `json:"start_unix_ns"`
	DurationNS int64    `json:"duration_ns"`
	Events     uint64   `json:"events"`
	Dropped    uint64   `json:"dropped"`
	Goroutines uint64   `json:"goroutines"`
	Damaged    int64    `json:"damaged"`
	Complete   bool     `json:"complete"`
}

type jsonFunction struct {
	Name    string   `json:"name"`
	Package string   `json:"package"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Groups  []string `json:"groups"`
	Tiny    []string `json:"tiny,omitempty"` // left out, so that their time is this function's own
	jsonNumbers
}

// A jsonNamed is a package or a group.
type jsonNamed struct {
	Name string `json:"name"`
	jsonNumbers
}

type jsonValue struct {
	Value string `json:"value"` // as text has it
	jsonNumbers
}

type jsonGoroutine struct {
	PID       int        `json:"pid"`
	Goroutine uint64     `json:"goroutine"`
	Parent    uint64     `json:"parent_goroutine"`
	Origin    jsonOrigin `json:"origin"`
	StartNS   int64      `json:"start_ns"`
	EndNS     int64      `json:"end_ns"`
	Ended     bool       `json:"ended"`
	jsonNumbers
}

type jsonOrigin struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
}

type jsonNumbers struct {
	Calls   uint64 `json:"calls"`
	Panics  uint64 `json:"panics"`
	Errors  uint64 `json:"errors"`
	TotalNS int64  `json:"total_ns"`
	SelfNS  int64  `json:"self_ns"`
	MinNS   int64  `json:"min_ns"`
	MaxNS   int64  `json:"max_ns"`
	AvgNS   int64  `json:"avg_ns"`
	Open    uint64 `json:"open"` // calls that had not ended

	Recorded *uint64         `json:"recorded,omitempty"` // of calls, those that have times; if not all have
	Demoted  bool            `json:"demoted,omitempty"`  // some were only counted, to keep to the budget
	Estimate *stats.Estimate `json:"estimate,omitempty"`
	*stats.Quantiles
	*calls.JSONOffs // if the recording says when goroutines ran

	Objects uint64 `json:"objects,omitempty"` // of the heap
	Bytes   uint64 `json:"bytes,omitempty"`
}

// numbers returns those of a row; with waits also when goroutines ran.
func (r *Row) numbers(waits bool) jsonNumbers {
	n := jsonNumbers{r.Calls, r.Panics, r.Errors, r.Total, r.Self, r.Min, r.Max, r.Avg(), r.Open, nil, r.Demoted, r.estimate(), r.Quantiles, nil, r.Objects, r.Bytes}
	if waits {
		n.JSONOffs = r.Off.JSON(r.Total, r.Self)
	}
	if recorded := r.Recorded(); recorded != r.Calls {
		n.Recorded = &recorded
	}
	return n
}

// jsonHead returns what is said about the whole report.
func (r *Report) jsonHead() jsonReport {
	s := recording.Sum(r.Recordings)
	j := jsonReport{
		Program: s.Info.Program, DurationNS: s.Duration, Events: s.Events,
		Dropped: s.Info.Lost, Goroutines: s.Goroutines, Damaged: s.Info.Damaged, Complete: s.Info.Complete, Open: s.Open,
		jsonProblems: newJSONProblems(&s),
	}
	if len(s.Files) > 0 {
		j.File = s.Files[0]
	}
	if len(s.Files) > 1 {
		j.Files = s.Files
	}
	if len(r.Recordings) > 1 {
		for _, rec := range r.Recordings {
			p := jsonProcess{
				PID: rec.Info.PID, Files: rec.Files, DurationNS: rec.Duration, Events: rec.Events, Dropped: rec.Info.Lost,
				Goroutines: rec.Goroutines, Damaged: rec.Info.Damaged, Complete: rec.Info.Complete,
			}
			if !rec.Info.Start.IsZero() {
				p.Start = rec.Info.Start.UnixNano()
			}
			j.Processes = append(j.Processes, p)
		}
	}
	return j
}

func (r *Report) writeJSON(w io.Writer) error {
	j := jsonRows{jsonReport: r.jsonHead()}
	rows, _ := r.Rows()
	waits := r.waits()
	switch r.By {
	case ByFunction:
		list := make([]jsonFunction, 0, len(rows))
		for _, row := range rows {
			list = append(list, jsonFunction{row.Name, row.Package, row.File, row.Line, append([]string{}, row.Groups...), row.Tiny, row.numbers(waits)})
		}
		j.Functions = &list
	case ByPackage, ByGroup:
		list := make([]jsonNamed, 0, len(rows))
		for _, row := range rows {
			list = append(list, jsonNamed{row.Name, row.numbers(waits)})
		}
		if r.By == ByPackage {
			j.Packages = &list
		} else {
			j.Groups = &list
		}
	case ByValue:
		list := make([]jsonValue, 0, len(rows))
		for _, row := range rows {
			list = append(list, jsonValue{row.Name, row.numbers(waits)})
		}
		j.Value, j.Values = r.Value.String(), &list
	case ByGoroutine:
		list := make([]jsonGoroutine, 0, len(rows))
		for _, row := range rows {
			g := &row.Goroutine
			list = append(list, jsonGoroutine{
				g.PID, g.ID, g.Parent, jsonOrigin{g.Origin.Func, g.Origin.File, g.Origin.Line},
				g.Start, g.End, g.Ended, row.numbers(waits),
			})
		}
		j.ByGoroutine = &list
	}
	if r.By == ByType || len(r.types) > 0 {
		j.Types = r.jsonTypes()
	}
	return writeJSON(w, j)
}

// writeJSON prints v for people and programs alike.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
