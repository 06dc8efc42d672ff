package main

import (
	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A summary is what all rounds gave.
type summary struct {
	rounds int
	rows   []*row // in the order of the first round
	absent []absence
	failed int // of the absent ones, those that could have been measured
}

// A row is a rung of a tracer with a shape of calls, and what each round gave.
type row struct {
	peer, rung, shape string
	results           []measure.Result
}

// An absence is a tracer that wasn't measured.
type absence struct{ peer, why string }

func (s *summary) add(peer string, r measure.Result) {
	to := s.find(peer, r.Rung, r.Shape)
	if to == nil {
		to = &row{peer: peer, rung: r.Rung, shape: r.Shape}
		s.rows = append(s.rows, to)
	}
	to.results = append(to.results, r)
}

// find returns the row, or nil.
func (s *summary) find(peer, rung, shape string) *row {
	for _, r := range s.rows {
		if r.peer == peer && r.rung == rung && r.shape == shape {
			return r
		}
	}
	return nil
}

// floor returns the time of two reads of the time stamp counter in all rounds of all rungs.
func (s *summary) floor() []float64 {
	var list []float64
	for _, row := range s.rows {
		for _, r := range row.results {
			if r.Floor > 0 {
				list = append(list, r.Floor)
			}
		}
	}
	return list
}

// values returns a figure in each round.
func (r *row) values(f func(measure.Result) float64) []float64 {
	var list []float64
	for _, result := range r.results {
		list = append(list, f(result))
	}
	return list
}

func (r *row) median(f func(measure.Result) float64) float64 { return measure.Median(r.values(f)) }

// Figures of a round.

func overNS(r measure.Result) float64   { return r.Over }
func plainNS(r measure.Result) float64  { return r.Plain }
func tracedNS(r measure.Result) float64 { return r.Traced }
func rate(r measure.Result) float64     { return r.PerSecond }
func memory(r measure.Result) float64   { return float64(r.Memory) }

// allocs means something only if Allocs is known.
func allocs(r measure.Result) float64 {
	if r.Allocs == nil {
		return 0
	}
	return *r.Allocs
}

// ratio is what tracing adds as a multiple of the floor in the same process.
func ratio(r measure.Result) float64 {
	if r.Floor == 0 {
		return 0
	}
	return r.Over / r.Floor
}

// bytesPerEvent is the size of an event in the recording.
func bytesPerEvent(r measure.Result) float64 {
	kept := r.Events
	if r.Lost != nil {
		kept -= *r.Lost
	}
	if kept == 0 {
		return 0
	}
	return float64(r.Bytes) / float64(kept)
}

// lostShare is the share of the events made that aren't in the recording, 0 to 1; it
// means something only if Lost is known.
func lostShare(r measure.Result) float64 {
	if r.Lost == nil || r.Events == 0 {
		return 0
	}
	return float64(*r.Lost) / float64(r.Events)
}
