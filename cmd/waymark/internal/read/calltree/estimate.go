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
}

// Estimate makes estimates of a result with a row for each site, and a tree. split returns the site of a
// sample, and its group, which is 0 of other calls. counted has the calls that were counted only, by site,
// without those of Long events; read is a reading of the clock, in ticks.
func Estimate(r *Result, split func(site uint32) (uint32, int), counted map[uint32]uint64, read float64) *Estimates {
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
	e.of = estimate.Of(nodes, counted, estimate.Options{Read: read, Within: true})
	paths := e.of.Paths
	e.totals, e.calls = make([]float64, len(paths)), make([]uint64, len(paths))
	rest := make(map[uint32]float64) // of calls, by site: their sums are exact
	for i := len(paths) - 1; i >= 0; i-- {
		p := &paths[i]
		e.totals[i] += p.Self
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
	index := make(map[uint32]*Row)
	bounds := make(map[uint32]*Bounds)
	row := func(site uint32) *Row {
		k := key(site)
		r := index[k]
		if r == nil {
			r = &Row{Key: k}
			index[k] = r
		}
		return r
	}
	for i := range e.result.Rows {
		of := &e.result.Rows[i]
		base, group := e.split(of.Key)
		r := row(base)
		if r.Calls == 0 || of.Min < r.Min {
			r.Min = of.Min
		}
		r.Max = max(r.Max, of.Max)
		r.Calls += of.Calls
		r.Open += of.Open
		r.Long += of.Long
		if of.Off != nil {
			addOff(&r.Off, of.Off, true)
		}
		r.Made.add(of.Made)
		if group == 0 {
			r.Sum += of.Sum
			r.Panics += of.Panics
			r.Errors += of.Errors
		}
	}
	paths := e.of.Paths
	self, total := make(map[uint32]float64), make(map[uint32]float64)
	recursive := make(map[uint32]bool)
	for i, outermost := range estimate.Outermost(len(paths), func(i int) (int, uint32) { return paths[i].Parent, key(paths[i].Key) }) {
		k := key(paths[i].Key)
		self[k] += paths[i].Self
		if outermost {
			total[k] += e.totals[i]
		} else {
			recursive[k] = true
		}
	}
	of := make(map[uint32][3]estimate.Value) // self, total, sum
	for site, est := range e.of.Rows {
		if est.Counted == 0 && !est.Less && est.Samples == 0 {
			continue
		}
		r := row(site)
		r.Sum += ticks(est.Sum.Value)
		r.Panics += ticks(est.Panics.Value)
		r.Errors += ticks(est.Errors.Value)
		b := bounds[r.Key]
		if b == nil {
			b = new(Bounds)
			bounds[r.Key] = b
		}
		b.Samples += est.Samples
		b.Counted += est.Counted
		b.Unknown = b.Unknown || !est.Known
		for i := range 2 {
			v := of[r.Key]
			for j, from := range []estimate.Value{est.Self, est.Total, est.Sum} {
				off := from.Low - from.Value
				if i == 1 {
					off = from.High - from.Value
				}
				if i == 0 {
					v[j].Low += off
				} else {
					v[j].High += off
				}
			}
			of[r.Key] = v
		}
		b.Panics[0] += ticks(est.Panics.Low)
		b.Panics[1] += ticks(est.Panics.High - est.Panics.Value)
		b.Errors[0] += ticks(est.Errors.Low)
		b.Errors[1] += ticks(est.Errors.High - est.Errors.Value)
	}
	rows := make([]Row, 0, len(index))
	for k, r := range index {
		r.Self, r.Total = ticks(self[k]), ticks(total[k])
		if r.Sum = max(r.Sum, r.Total); !recursive[k] {
			r.Sum = r.Total
		}
		if b := bounds[k]; b != nil {
			v := of[k]
			within := func(value uint64, v estimate.Value) [2]float64 {
				return [2]float64{max(float64(value)+v.Low, 0), float64(value) + v.High}
			}
			b.Self, b.Total, b.Sum = within(r.Self, v[0]), within(r.Total, v[1]), within(r.Sum, v[2])
			b.Panics[1] += r.Panics
			b.Errors[1] += r.Errors
			if share, ok := estimate.Few(b.Counted, r.Calls); ok && b.Unknown {
				b.Unknown, b.Counted = false, 0
				b.Self[1] *= 1 + 2*share
				b.Total[1] *= 1 + 2*share
			}
		}
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Key, b.Key) })
	return rows, bounds
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
