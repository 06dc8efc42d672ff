package report

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/tracefile"
)

// A Row is a line of a report. Times are in ns; package calltree says what they mean.
type Row struct {
	function.Func           // or only a Name: a package's import path, or a group's name
	Goroutine     Goroutine // of a report by goroutine

	Calls  uint64 // exact; what follows is of those that were recorded, but for Counted
	Panics uint64
	Errors uint64 // calls that returned an error
	Open   uint64 // calls that had not ended
	Total  int64
	Self   int64
	Sum    int64 // of all calls that Min, Max and Avg are about
	Min    int64
	Max    int64

	Counted uint64 // of Calls, those that were counted and not recorded, or only as Long events

	Objects uint64 // of the heap, made by the calls themselves
	Bytes   uint64

	Quantiles *stats.Quantiles // nil if the distribution is not known

	Off recording.Offs // when goroutines did not run, if the recording says so

	shallow  bool   // some of the calls have few enough callers for the filter
	measured uint64 // how many calls those are: all that were recorded, or a goroutine's root calls
}

// A Goroutine is what a row says about its goroutine, besides times.
type Goroutine struct {
	Process    string // the Label of a recording.Process
	PID        int
	ID         uint64
	Parent     uint64 // 0 if unknown
	Origin     tracefile.Origin
	Start, End int64 // ns since the start of the recording, of the first one if there are several
	Ended      bool  // before the recording did
}

// Avg returns the mean duration of a call, ns.
func (r *Row) Avg() int64 {
	if r.measured == 0 {
		return 0
	}
	// Min, Max and Sum are rounded by themselves: keep what holds for the exact ones.
	return min(max(r.Sum/int64(r.measured), r.Min), r.Max)
}

func (r *Row) add(c *calltree.Row, scale calltree.Scale) {
	least := scale.Nanoseconds(c.Min)
	if r.measured == 0 || least < r.Min {
		r.Min = least
	}
	r.Max = max(r.Max, scale.Nanoseconds(c.Max))
	r.Calls += c.Calls - c.Long
	r.measured += c.Calls
	r.Panics += c.Panics
	r.Errors += c.Errors
	r.Open += c.Open
	r.Total += scale.Nanoseconds(c.Total)
	r.Self += scale.Nanoseconds(c.Self)
	r.Sum += scale.Nanoseconds(c.Sum)
	r.Off.Add(c.Off, scale)
	r.Objects += c.Made.Objects
	r.Bytes += c.Made.Bytes
}

// count adds calls that were counted. Of the recorded ones, long were counted too.
func (r *Row) count(calls, long uint64) {
	calls = max(calls, long) // the last counts of a program that was killed are missing
	r.Calls += calls
	r.Counted += calls
}

// Recorded returns how many of the calls have times.
func (r *Row) Recorded() uint64 {
	if r.Counted == 0 {
		return r.Calls
	}
	return r.measured
}

func goroutineRow(file *tracefile.File, g *calltree.Goroutine, scale calltree.Scale) *Row {
	origin, _ := file.Origin(g.Origin)
	row := &Row{
		Goroutine: Goroutine{
			ID: g.ID, Parent: g.Parent, Origin: origin,
			Start: file.Nanos(g.Start), End: file.Nanos(g.End), Ended: g.Ended,
		},
		Calls:    g.Calls,
		Panics:   g.Panics,
		Errors:   g.Errors,
		Total:    scale.Nanoseconds(g.Total),
		Self:     scale.Nanoseconds(g.Self),
		Sum:      scale.Nanoseconds(g.Total),
		Min:      scale.Nanoseconds(g.Min),
		Max:      scale.Nanoseconds(g.Max),
		Objects:  g.Made.Objects,
		Bytes:    g.Made.Bytes,
		measured: g.Roots,
	}
	row.Off.Add(g.Off, scale)
	return row
}
