package recording

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// A Summary says where the numbers of a process come from, and what they lack.
type Summary struct {
	Files   []string       // absolute; several if the recording is in parts
	Process string         // the Label
	Info    tracefile.Info // after reading, so with the damage that was met

	Statistics bool // nothing was recorded, and there are no files
	Killed     bool // the numbers are from before the end of the program

	// Of what the filter has read and accounted for.
	Span       Span  // since the beginning of the first recording
	Duration   int64 // ns
	Events     uint64
	Calls      uint64
	Goroutines uint64
	Open       uint64 // calls that had not ended; only those that are shown
	Past       bool   // because the window ended before the recording did
	Mixed      uint64 // waits of which the reasons are not known one by one
	Problems   calltree.Problems

	Counted Counting         // besides Calls
	LeftOut function.LeftOut // functions of the program that are not instrumented
}

// Hidden is the key of rows that are counted but not shown, because their time is not their
// callers'. No other row has this number.
const Hidden = 1<<32 - 2

// Summary says what a result is made of.
func (f *Filter) Summary(p *Process, result *calltree.Result) Summary {
	s := Summary{
		Process: p.Label, Info: p.File.Info(),
		Events: result.Events, Calls: result.Calls, Goroutines: result.Seen, Past: result.Past, Mixed: result.Mixed, Problems: result.Problems,
	}
	s.Counted, s.LeftOut = f.Counting(p), p.File.LeftOut()
	for _, part := range p.File.Parts() {
		path := part.Path()
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		s.Files = append(s.Files, path)
	}
	s.Span = Span{max(p.Since, f.From), p.Since + s.Info.Duration}
	if f.To > 0 {
		s.Span.To = min(s.Span.To, f.To)
	}
	s.Duration = int64(max(s.Span.To-s.Span.From, 0))
	for i := range result.Rows {
		if row := &result.Rows[i]; row.Key != Hidden {
			s.Open += row.Open
		}
		s.Counted.Long += result.Rows[i].Long
	}
	return s
}

// Sum adds up summaries, for statements about all of them.
func Sum(list []Summary) Summary {
	sum := Summary{Info: tracefile.Info{Complete: true}, Counted: Counting{Functions: make(map[function.Identity]Counted)}}
	var spans []Span
	for i, s := range list {
		if i == 0 {
			sum.Info.Program = s.Info.Program
		}
		sum.Files = append(sum.Files, s.Files...)
		spans = append(spans, s.Span)
		sum.Info.Lost += s.Info.Lost
		sum.Info.Damaged += s.Info.Damaged
		sum.Info.Complete = sum.Info.Complete && s.Info.Complete
		sum.Info.Stopped = max(sum.Info.Stopped, s.Info.Stopped)
		sum.Info.Missing += s.Info.Missing
		sum.Info.From = max(sum.Info.From, s.Info.From)
		sum.Events += s.Events
		sum.Calls += s.Calls
		sum.Goroutines += s.Goroutines
		sum.Open += s.Open
		sum.Past = sum.Past || s.Past
		sum.Mixed += s.Mixed
		sum.Problems.Unmatched += s.Problems.Unmatched
		sum.Problems.Cut += s.Problems.Cut
		sum.Problems.Backward += s.Problems.Backward
		sum.Problems.Unknown += s.Problems.Unknown
		sum.Counted.Sum += s.Counted.Sum
		sum.Counted.Long += s.Counted.Long
		for f, n := range s.Counted.Functions {
			sum.Counted.Add(f, n)
		}
		sum.Counted.LeftOut += s.Counted.LeftOut
		sum.Counted.Coarse = sum.Counted.Coarse || s.Counted.Coarse
		if s.LeftOut.Functions > sum.LeftOut.Functions { // they are mostly of one program
			sum.LeftOut = s.LeftOut
		}
		sum.Counted.Budget = cmp.Or(sum.Counted.Budget, s.Counted.Budget)
	}
	sum.Duration = int64(covered(spans))
	return sum
}

// A Span is a part of the time that recordings cover.
type Span struct{ From, To time.Duration }

// covered returns how long at least one of the spans lasts.
func covered(spans []Span) time.Duration {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	var sum, end time.Duration
	for _, s := range spans {
		if from := max(s.From, end); s.To > from {
			sum += s.To - from
			end = s.To
		}
	}
	return sum
}
