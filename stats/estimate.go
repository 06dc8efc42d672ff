package stats

import (
	"math"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// An Estimate says how exact numbers are that are estimated: calls of the function were counted
// only, or calls that it made. Its intervals say how far chance may be off, in 95 of 100 programs.
// They do not cover that samples of very short calls contain a part of what it takes to measure
// them.
type Estimate struct {
	// Samples is how many calls were timed while the function's calls were counted, at random moments.
	// 0: only Self is estimated, because calls were counted that the function made, or the calls that were timed
	// before stand for the others.
	Samples uint64 `json:"samples"`

	// Unknown says that calls were counted and there are no samples. Times, Panics and Errors are those
	// of the calls that were timed.
	Unknown bool `json:"unknown,omitempty"`

	// Calls is nil if the number of calls is exact. With a strict budget calls of some functions are counted
	// at random moments only.
	Calls *[2]uint64 `json:"calls,omitempty"`

	Total  [2]time.Duration `json:"total_ns"`
	Self   [2]time.Duration `json:"self_ns"`
	Mean   [2]time.Duration `json:"avg_ns"`
	Panics [2]uint64        `json:"panics"`
	Errors [2]uint64        `json:"errors"`
}

// isSample reports whether a site of a path is that of samples, and of which group; funcs are those of all
// sites.
func isSample(site uint32, funcs []*Func) (base, group uint32) {
	if int(site) < len(funcs) {
		return site, 0
	}
	return site & (1<<format.SampleShift - 1), site >> format.SampleShift
}

// samplesOf returns the numbers of samples by site.
func samplesOf(nodes []rt.Path, sites int) map[uint32]uint64 {
	var list map[uint32]uint64
	for i := range nodes {
		if n := &nodes[i]; n.Sample.Calls > 0 && int(n.Site) >= sites {
			if list == nil {
				list = make(map[uint32]uint64)
			}
			list[n.Site&(1<<format.SampleShift-1)] += n.Sample.Calls
		}
	}
	return list
}

// otherKey stands for calls without a path of their own. No site has the number.
const otherKey = 1<<32 - 1

// estimates sets what is estimated of functions and paths, if there are samples. kept: all paths are in
// nodes. It returns the paths, and the index in them of each node, and of its other cell; -1 is none.
func (s *Snapshot) estimates(nodes []rt.Path, kept bool) (r *estimate.Result, at, other []int) {
	if samplesOf(nodes, len(s.funcs)) == nil && !slices.ContainsFunc(s.Functions, func(f Stat) bool { return f.Untimed > 0 && f.Untimed < f.Calls || f.sample.Gaps }) {
		return nil, nil, nil
	}
	self := make(map[uint32]float64)
	counted, guessed := make(map[uint32]uint64), make(map[uint32]estimate.Guess)
	for i := range s.Functions {
		f := &s.Functions[i]
		self[f.site] = float64(f.sample.Self)
		if f.Untimed > 0 {
			counted[f.site] = f.Untimed
		}
		if f.sample.Gaps {
			guessed[f.site] = estimate.Guess(f.sample.Guess)
		}
	}
	var list []estimate.Node
	at, other = make([]int, len(nodes)), make([]int, len(nodes))
	add := func(n estimate.Node) int {
		list = append(list, n)
		return len(list) - 1
	}
	happened := happened(nodes)
	for id := range nodes {
		n := &nodes[id]
		at[id], other[id] = -1, -1
		if id > 0 && !happened[id] {
			continue
		}
		parent := -1
		if id > 0 {
			parent = at[n.Parent]
			base, group := isSample(n.Site, s.funcs)
			if group > 0 {
				at[id] = add(estimate.Node{
					Parent: parent, Key: base, Group: group, Calls: n.Sample.Calls, Self: float64(n.Sample.Self), After: float64(n.Sample.After),
					Total: float64(n.Sample.Total), Panics: n.Sample.Panics, Errors: n.Sample.Errors,
				})
			} else {
				own := estimate.Node{Parent: parent, Key: base, Calls: n.Own.Calls, Self: float64(n.Own.Self), Panics: n.Own.Panics, Errors: n.Own.Errors}
				if !kept { // what calls of the function did is not known by path
					own = estimate.Node{Parent: -1, Key: base, Self: self[base]}
					self[base] = 0 // another node of the function has none
				}
				at[id] = add(own)
			}
		}
		if kept && n.Other != (rt.PathSum{}) {
			o := &n.Other
			other[id] = add(estimate.Node{Parent: at[id], Key: otherKey, Calls: o.Calls, Self: float64(o.Self), Panics: o.Panics, Errors: o.Errors})
		}
	}
	r = estimate.Of(list, counted, estimate.Options{Read: s.floor, Guessed: guessed, Doubt: estimate.DoubtOf(guessed, float64(s.To.Sub(s.From)))})
	for i := range s.Functions {
		f := &s.Functions[i]
		if row := r.Rows[f.site]; row != nil && (row.Less || row.Counted > 0 || row.Gaps) {
			f.estimate(row, s.unit)
		}
	}
	index := func(list []int) {
		for i, n := range list {
			if n >= 0 {
				list[i] = r.At[n]
			}
		}
	}
	index(at)
	index(other)
	return r, at, other
}

// estimate sets what is estimated of a function.
func (f *Stat) estimate(row *estimate.Row, unit float64) {
	e := &Estimate{Samples: row.Samples, Unknown: !row.Known}
	f.Estimate = e
	x := &f.sample
	if x.Gaps {
		exact := f.Calls - min(x.Guess.Calls, f.Calls)
		e.Calls = &[2]uint64{exact + uint64(row.Calls.Low), exact + uint64(math.Ceil(row.Calls.High))}
	}
	times := func(measured uint64, v estimate.Value) (d time.Duration, bounds [2]time.Duration) {
		ns := func(v float64) time.Duration { return time.Duration(max(float64(measured)+v, 0) * unit) }
		return ns(v.Value), [2]time.Duration{ns(v.Low), ns(v.High)}
	}
	f.Self, e.Self = times(x.Self, row.Self)
	f.Total, e.Total = times(x.Total, row.Total)
	rare := func(measured uint64, v estimate.Value) (n uint64, bounds [2]uint64) {
		return measured + uint64(math.Round(v.Value)), [2]uint64{measured + uint64(v.Low), measured + uint64(math.Ceil(v.High))}
	}
	f.Panics, e.Panics = rare(x.Panics, row.Panics)
	f.Errors, e.Errors = rare(x.Errors, row.Errors)
	if share, ok := estimate.Few(f.Untimed, f.Calls-f.Untimed); ok && e.Unknown {
		e.Unknown = false
		e.Self[1] += time.Duration(2 * share * float64(e.Self[1]))
		e.Total[1] += time.Duration(2 * share * float64(e.Total[1]))
	}
	if row.Samples == 0 {
		e.Mean = [2]time.Duration{f.Mean, f.Mean}
		return
	}
	sum, bounds := times(x.Total+x.Inner, row.Sum)
	calls := time.Duration(max(f.Calls+x.before, 1))
	f.Mean, e.Mean = sum/calls, [2]time.Duration{bounds[0] / calls, bounds[1] / calls}
	if f.Min == 0 && f.Max == 0 {
		f.Min = f.Mean
	}
	f.Min, f.Max = min(f.Min, f.Mean), max(f.Max, f.Mean)
}
