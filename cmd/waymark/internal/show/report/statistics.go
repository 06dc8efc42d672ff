package report

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/tracefile"
)

// Statistics are what a program has counted of its calls without recording them, as package agent
// writes them.
type Statistics struct {
	Program string           `json:"program"`
	PID     int              `json:"pid"`
	Last    bool             `json:"last"`   // taken when the program ended
	Budget  string           `json:"budget"` // as the user wrote it
	LeftOut function.LeftOut `json:"left_out"`

	CPU        time.Duration `json:"cpu_ns"`         // with a budget: of the process,
	CPUTracing time.Duration `json:"cpu_tracing_ns"` // and of tracing
	stats.Snapshot
}

// ReadStatistics reads statistics from a file.
func ReadStatistics(path string) (*Statistics, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head struct {
		Program string
		PID     int
		Last    bool
		Budget  string
		LeftOut function.LeftOut `json:"left_out"`

		CPU        time.Duration `json:"cpu_ns"`
		CPUTracing time.Duration `json:"cpu_tracing_ns"`
	}
	s := new(Statistics)
	if err = json.Unmarshal(b, &head); err == nil {
		err = json.Unmarshal(b, &s.Snapshot)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Program, s.PID, s.Last, s.Budget, s.LeftOut = head.Program, head.PID, head.Last, head.Budget, head.LeftOut
	s.CPU, s.CPUTracing = head.CPU, head.CPUTracing
	return s, nil
}

// Timed reports whether there are times.
func (s *Statistics) Timed() bool {
	return slices.ContainsFunc(s.Functions, func(f stats.Stat) bool { return f.Max > 0 })
}

// AddStatistics adds the numbers of a process. The report is one by function.
func (r *Report) AddStatistics(s *Statistics) {
	rec := recording.Summary{
		Process: strconv.Itoa(s.PID), Statistics: true, Killed: !s.Last, LeftOut: s.LeftOut,
		Info: tracefile.Info{
			Program: s.Program, PID: s.PID, Complete: s.Last, CPU: s.CPU, CPUTracing: s.CPUTracing, Waiting: s.Waits(), Objects: len(s.Objects) > 0,
		},
		Goroutines: s.Goroutines, Duration: int64(s.To.Sub(s.From)),
		Counted: recording.Counting{Functions: make(map[function.Identity]recording.Counted), Budget: s.Budget},
	}
	if len(r.Recordings) == 0 {
		r.began = s.From
	}
	rec.Span.From = s.From.Sub(r.began)
	rec.Span.To = s.To.Sub(r.began)
	for i := range s.Functions {
		f := &s.Functions[i]
		r.names.Add(f.Name)
		row := r.rows[r.rowOf(function.Func{Name: f.Name, Package: f.Package, File: f.File, Line: f.Line, Groups: f.Groups, Tiny: f.Tiny})]
		if row.Quantiles = nil; row.Calls == 0 { // those of several processes can't be put together
			if row.Quantiles = f.Quantiles(); f.Untimed > 0 {
				row.Quantiles = nil // they would be of the calls that were timed
			}
		}
		if timed := f.Calls > f.Untimed; timed && (row.timed == 0 || int64(f.Min) < row.Min) {
			row.Min = int64(f.Min)
		}
		row.Max = max(row.Max, int64(f.Max))
		row.Calls += f.Calls
		sum := f.Calls // calls that the mean is of
		if f.Estimate == nil || f.Estimate.Samples == 0 {
			sum -= f.Untimed
		}
		row.measured += sum
		row.Counted += f.Untimed
		row.Demoted = row.Demoted || f.Untimed > 0
		row.timed += f.Calls - f.Untimed
		row.addEstimate(&f.Numbers)
		row.Panics += f.Panics
		row.Errors += f.Errors
		row.Open += f.Open
		row.Total += int64(f.Total)
		row.Self += int64(f.Self)
		row.Off.Total.Add(&calls.Off{Runnable: int64(f.Runnable), Untold: int64(f.Waiting)})
		row.Off.Self.Add(&calls.Off{Runnable: int64(f.SelfRunnable), Untold: int64(f.SelfWaiting)})
		row.Objects += f.Objects
		row.Bytes += f.Bytes
		row.Sum += int64(f.Mean) * int64(sum)
		rec.Calls += f.Calls
		rec.Open += f.Open
		rec.Events += 2*f.Calls - f.Open
		if f.Untimed > 0 {
			rec.Counted.Sum += f.Untimed
			rec.Counted.Add(f.Identity(), recording.Counted{Calls: f.Untimed, Gaps: f.Estimate != nil && f.Estimate.Calls != nil})
		}
	}
	if r.Tree {
		r.addPaths(s.Paths, s.Objects)
	}
	types := s.Types()
	counts := make([]tracefile.TypeCount, len(types))
	for i, m := range types {
		counts[i] = tracefile.TypeCount{Type: m.Type, Package: m.Package, Objects: m.Objects, Bytes: m.Bytes}
	}
	r.addTypes(counts)
	r.Recordings = append(r.Recordings, rec)
}

// addPaths adds the paths of a process, and the objects that were made on them. Calls without a path of
// their own have a row in the tree, too.
func (r *Report) addPaths(paths []stats.Path, made []stats.Made) {
	at := make([]uint32, len(paths))
	for i := range paths {
		p := &paths[i]
		parent := uint32(0)
		if p.Parent >= 0 {
			parent = at[p.Parent]
		}
		f := function.Func{Name: stats.Other}
		if p.Func != nil {
			f = *p.Func
		}
		row, ok := r.index[f.Identity()]
		if !ok {
			row = r.rowOf(f)
		}
		at[i] = r.tree.Add(parent, row, &calls.Numbers{
			Calls: p.Calls, Panics: p.Panics, Errors: p.Errors, Total: int64(p.Total), Self: int64(p.Self), About: p.Estimated, AboutTotal: p.EstimatedTotal,
		})
	}
	for i := range made {
		if m := &made[i]; m.Path >= 0 {
			r.tree.Nodes[at[m.Path]].Sum.Add(&calls.Numbers{Objects: m.Objects, Bytes: m.Bytes})
		}
	}
}
