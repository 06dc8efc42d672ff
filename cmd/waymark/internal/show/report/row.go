package report

import (
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/tracefile"
)

// A Row is a line of a report. Times are in ns; package calltree says what they mean.
type Row struct {
	function.Func           // or only a Name: a package's import path, or a group's name
	Goroutine     Goroutine // of a report by goroutine

	Calls  uint64 // exact, unless Estimate says so; what follows is estimated if there is an Estimate
	Panics uint64
	Errors uint64 // calls that returned an error
	Open   uint64 // calls that had not ended
	Total  int64
	Self   int64
	Sum    int64 // of all calls that Min, Max and Avg are about
	Min    int64
	Max    int64

	Demoted bool   // calls were counted and not recorded, or only as Long events
	Counted uint64 // of Calls; in a window without a reading of the counters 0

	Estimate *stats.Estimate // nil: nothing is estimated

	callsOff [2]uint64 // how far off Calls may be: at most so many too many, and too few

	Objects uint64 // of the heap, made by the calls themselves
	Bytes   uint64

	Quantiles *stats.Quantiles // nil if the distribution is not known

	Off calls.Offs // when goroutines did not run, if the recording says so

	shallow  bool   // some of the calls have few enough callers for the filter
	measured uint64 // how many calls Sum is of: all whose times are known or estimated, or a goroutine's root calls
	timed    uint64 // of Calls, those that were recorded
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
	if r.timed == 0 || least < r.Min {
		r.Min = least
	}
	r.Max = max(r.Max, scale.Nanoseconds(c.Max))
	r.Calls += c.Calls - c.Long
	r.measured += c.Calls
	r.timed += c.Calls
	r.Panics += c.Panics
	r.Errors += c.Errors
	r.Open += c.Open
	r.Total += scale.Nanoseconds(c.Total)
	r.Self += scale.Nanoseconds(c.Self)
	r.Sum += scale.Nanoseconds(c.Sum)
	c.Off.AddTo(&r.Off, scale)
	r.Objects += c.Made.Objects
	r.Bytes += c.Made.Bytes
}

// count adds calls that were counted. Of the recorded ones, long were counted too.
func (r *Row) count(calls, long uint64) {
	calls = max(calls, long) // the last counts of a program that was killed are missing
	r.Calls += calls
	r.Counted += calls
	r.Demoted = true
}

// Recorded returns how many of the calls have times.
func (r *Row) Recorded() uint64 {
	if r.Counted == 0 {
		return r.Calls
	}
	return r.timed
}

// Unknown reports whether calls were counted of whose times nothing is known.
func (r *Row) Unknown() bool { return r.Counted > 0 && (r.Estimate == nil || r.Estimate.Unknown) }

// AboutCalls reports whether Calls is an estimate.
func (r *Row) AboutCalls() bool { return r.Estimate != nil && r.Estimate.Calls != nil }

// addEstimate adds what is estimated of calls that have as much Total, Self, Panics and Errors as n.
func (r *Row) addEstimate(n *stats.Numbers) {
	e := n.Estimate
	if e == nil {
		if r.Estimate == nil {
			return
		}
		e = new(stats.Estimate)
		e.Total, e.Self = [2]time.Duration{n.Total, n.Total}, [2]time.Duration{n.Self, n.Self}
		e.Panics, e.Errors = [2]uint64{n.Panics, n.Panics}, [2]uint64{n.Errors, n.Errors}
	}
	if r.Estimate == nil { // what was added before is exact
		total, self := time.Duration(r.Total), time.Duration(r.Self)
		r.Estimate = &stats.Estimate{
			Total: [2]time.Duration{total, total}, Self: [2]time.Duration{self, self},
			Panics: [2]uint64{r.Panics, r.Panics}, Errors: [2]uint64{r.Errors, r.Errors},
		}
	}
	to := r.Estimate
	if e.Calls != nil {
		r.callsOff[0] += n.Calls - min(e.Calls[0], n.Calls)
		r.callsOff[1] += max(e.Calls[1], n.Calls) - n.Calls
		to.Calls = new([2]uint64) // what is in it waits until Calls is complete, see estimate
	}
	to.Samples += e.Samples
	to.Mean = e.Mean
	to.Unknown = to.Unknown || e.Unknown
	for i := range 2 {
		to.Total[i] += e.Total[i]
		to.Self[i] += e.Self[i]
		to.Panics[i] += e.Panics[i]
		to.Errors[i] += e.Errors[i]
	}
}

// estimate returns what is estimated of a row that is complete; nil: nothing.
func (r *Row) estimate() *stats.Estimate {
	if e := r.Estimate; r.AboutCalls() {
		e.Calls = &[2]uint64{r.Calls - min(r.callsOff[0], r.Calls), r.Calls + r.callsOff[1]}
	}
	return r.Estimate
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
	g.Off.AddTo(&row.Off, scale)
	return row
}
