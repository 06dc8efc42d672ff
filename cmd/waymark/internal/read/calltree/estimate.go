package calltree

import (
	"cmp"
	"math"
	"slices"

	"github.com/waymark-go/waymark/internal/estimate"
)

// Estimates are what the calls of a recording add up to of which some were counted only, estimated
// from samples.
type Estimates struct {
	result *Result // by site, samples by their own
	split  func(site uint32) (base uint32, group int)
	of     *estimate.Result
	totals []float64 // by path
	calls  []uint64
}

// Bounds say how exact a row is that is estimated. Times are in ticks.
type Bounds struct {
	Samples        uint64 // calls; 0: some calls that the row's made were counted, or calls before stand for samples
	Unknown        bool   // calls were counted and there are no samples
	Counted        uint64 // calls that the row's numbers are about, besides its Calls
	Total, Self    [2]float64
	Sum            [2]float64
	Panics, Errors [2]uint64
	Gaps           bool      // part of Counted is an estimate
	Calls          [2]uint64 // how far off Counted may be: at most so many too many, and too few
}

// Estimate makes estimates of a result with a row for each site, and a tree. split returns the site of a
// sample, and its group, which is 0 of other calls. counted has the calls that were counted only, by site,
// without those of Long events; o is in ticks.
func Estimate(r *Result, split func(site uint32) (uint32, int), counted map[uint32]uint64, o estimate.Options) *Estimates {
	e := &Estimates{result: r, split: split}
	nodes := make([]estimate.Node, len(r.Tree))
	for i := range r.Tree {
		n := &r.Tree[i]
		base, group := split(n.Key)
		nodes[i] = estimate.Node{
			Parent: n.Caller, Key: base, Group: uint32(group), Calls: n.Calls, Self: float64(n.Self), Long: float64(n.Long),
			Total: float64(n.Total), Panics: n.Panics, Errors: n.Errors,
		}
	}
	e.of = estimate.Of(nodes, counted, o)
	paths := e.of.Paths
	e.totals, e.calls = make([]float64, len(paths)), make([]uint64, len(paths))
	measured := make([]float64, len(paths))
	for i, at := range e.of.At {
		measured[at] += float64(r.Tree[i].Total)
	}
	rest := make(map[uint32]float64) // of calls, by site: their sums are exact
	for i := len(paths) - 1; i >= 0; i-- {
		p := &paths[i]
		e.totals[i] += p.Self
		if _, ok := counted[p.Key]; !ok { // all calls were recorded
			e.totals[i] = measured[i]
		}
		if p.Parent >= 0 {
			e.totals[p.Parent] += e.totals[i]
		}
		calls := p.Calls + rest[p.Key]
		e.calls[i] = uint64(math.Round(max(calls, 0)))
		rest[p.Key] = calls - float64(e.calls[i])
	}
	for i := range paths {
		e.totals[i] += paths[i].Beside
	}
	return e
}

func ticks(t float64) uint64 { return uint64(math.Round(max(t, 0))) }

// Rows returns rows by the keys of sites, with what is known of those that are estimated. Their Calls are
// those that were recorded.
func (e *Estimates) Rows(key func(site uint32) uint32) ([]Row, map[uint32]*Bounds) {
	f := &folder{key: key, rows: make(map[uint32]*Row), bounds: make(map[uint32]*Bounds), off: make(map[uint32]*offBy)}
	for i := range e.result.Rows {
		from := &e.result.Rows[i]
		base, group := e.split(from.Key)
		f.measured(base, group, from)
	}
	for site, from := range e.of.Rows {
		if from.Counted > 0 || from.Less || from.Samples > 0 || from.Gaps {
			f.estimated(site, from)
		}
	}
	self, total, recursive := e.times(key)
	rows := make([]Row, 0, len(f.rows))
	for k, r := range f.rows {
		r.Self, r.Total = ticks(self[k]), ticks(total[k])
		if r.Sum = max(r.Sum, r.Total); !recursive[k] {
			r.Sum = r.Total
		}
		f.bound(r)
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Key, b.Key) })
	return rows, f.bounds
}

// times returns own times and totals by key, and the keys whose calls are recursive.
func (e *Estimates) times(key func(site uint32) uint32) (self, total map[uint32]float64, recursive map[uint32]bool) {
	paths := e.of.Paths
	self, total, recursive = make(map[uint32]float64), make(map[uint32]float64), make(map[uint32]bool)
	for i, outermost := range estimate.Outermost(len(paths), func(i int) (int, uint32) { return paths[i].Parent, key(paths[i].Key) }) {
		k := key(paths[i].Key)
		self[k] += paths[i].Self
		if outermost {
			total[k] += e.totals[i]
		} else {
			recursive[k] = true
		}
	}
	return self, total, recursive
}

// A folder adds up sites by their keys.
type folder struct {
	key    func(site uint32) uint32
	rows   map[uint32]*Row
	bounds map[uint32]*Bounds
	off    map[uint32]*offBy
}

// An offBy is how far estimates may be off: what is to be added to them for their least and greatest values.
type offBy struct{ self, total, sum [2]float64 }

func (f *folder) row(site uint32) *Row {
	k := f.key(site)
	r := f.rows[k]
	if r == nil {
		r = &Row{Key: k}
		f.rows[k] = r
	}
	return r
}

// measured adds the recorded calls of a site: in a group those of samples, whose times, panics and errors
// are in the estimates.
func (f *folder) measured(site uint32, group int, from *Row) {
	r := f.row(site)
	if r.Calls == 0 || from.Min < r.Min {
		r.Min = from.Min
	}
	r.Max = max(r.Max, from.Max)
	r.Calls += from.Calls
	r.Open += from.Open
	r.Long += from.Long
	if from.Off != nil {
		addOff(&r.Off, from.Off, true)
	}
	r.Made.add(from.Made)
	if group == 0 {
		r.Sum += from.Sum
		r.Panics += from.Panics
		r.Errors += from.Errors
	}
}

// estimated adds what is estimated of a site.
func (f *folder) estimated(site uint32, from *estimate.Row) {
	r := f.row(site)
	r.Sum += ticks(from.Sum.Value)
	r.Panics += ticks(from.Panics.Value)
	r.Errors += ticks(from.Errors.Value)
	b, off := f.bounds[r.Key], f.off[r.Key]
	if b == nil {
		b, off = new(Bounds), new(offBy)
		f.bounds[r.Key], f.off[r.Key] = b, off
	}
	b.Samples += from.Samples
	b.Counted += from.Counted
	b.Unknown = b.Unknown || !from.Known
	b.Gaps = b.Gaps || from.Gaps
	b.Calls[0] += ticks(from.Calls.Value - from.Calls.Low)
	b.Calls[1] += ticks(from.Calls.High - from.Calls.Value)
	add := func(to *[2]float64, v estimate.Value) {
		to[0] += v.Low - v.Value
		to[1] += v.High - v.Value
	}
	add(&off.self, from.Self)
	add(&off.total, from.Total)
	add(&off.sum, from.Sum)
	b.Panics[0] += ticks(from.Panics.Low)
	b.Panics[1] += ticks(from.Panics.High - from.Panics.Value)
	b.Errors[0] += ticks(from.Errors.Low)
	b.Errors[1] += ticks(from.Errors.High - from.Errors.Value)
}

// bound sets the bounds of a row whose numbers are complete.
func (f *folder) bound(r *Row) {
	b, off := f.bounds[r.Key], f.off[r.Key]
	if b == nil {
		return
	}
	within := func(value uint64, off [2]float64) [2]float64 {
		return [2]float64{max(float64(value)+off[0], 0), float64(value) + off[1]}
	}
	b.Self, b.Total, b.Sum = within(r.Self, off.self), within(r.Total, off.total), within(r.Sum, off.sum)
	b.Panics[1] += r.Panics
	b.Errors[1] += r.Errors
	if share, ok := estimate.Few(b.Counted, r.Calls); ok && b.Unknown {
		b.Unknown, b.Counted = false, 0
		b.Self[1] *= 1 + 2*share
		b.Total[1] *= 1 + 2*share
	}
}

// Tree returns the tree by the keys of sites.
func (e *Estimates) Tree(key func(site uint32) uint32) []Node {
	paths := e.of.Paths
	tree := make([]Node, len(paths))
	for i := range paths {
		p := &paths[i]
		tree[i] = Node{
			Caller: p.Parent, Key: key(p.Key), Calls: e.calls[i], Total: ticks(e.totals[i]), Self: ticks(p.Self),
			Panics: ticks(p.Panics), Errors: ticks(p.Errors), About: p.About,
		}
	}
	for i, at := range e.of.At {
		from := &e.result.Tree[i]
		if from.Off != nil {
			addOff(&tree[at].Off, from.Off, true)
		}
		tree[at].Made.add(from.Made)
	}
	return tree
}
