package stats

import (
	"math"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A Path is what was gathered of the calls of a function on one path of callers. A goroutine goes on
// with the path of the call that started it.
type Path struct {
	// Func is the function; nil for calls without a path of their own. They have none because the
	// program had MostPaths paths, or because the path would be longer than LongestPath. Those calls,
	// of any functions, and all calls below them, are together in one Path below their caller's.
	Func *Func

	Parent int // index of the caller's Path; -1 if there is no timed caller

	Calls  uint64 // calls that have begun
	Open   uint64 // calls in progress when the snapshot was taken
	Panics uint64 // as in Numbers
	Errors uint64

	Estimated      bool // the numbers are estimates, see Numbers.Estimate
	EstimatedTotal bool // Total is an estimate: the numbers of this path or of one below are

	// Calls in progress count in all times until the snapshot was taken. Total is the time of
	// goroutines: Self, and the Total of all paths below.
	Total time.Duration
	Self  time.Duration // of these calls, without the timed calls that they made
}

// The bounds of paths.
const (
	MostPaths   = 1<<16 - 1
	LongestPath = 1000
)

// Other is the name of a Path without Func.
const Other = objects.Other

// Name returns the name of the function, or Other.
func (p *Path) Name() string {
	if p.Func == nil {
		return Other
	}
	return p.Func.Name
}

// setPaths sets Paths, and what they are made of: the sums by node. Paths of which nothing happened, nor of those below, are left out. It returns the index in Paths of each
// node, and of its other cell; -1 is none.
func (s *Snapshot) setPaths(nodes []rt.Path) (at, other []int) {
	s.nodes = nodes
	funcs := s.funcs
	if r, at, other := s.estimates(nodes, s.kept); r != nil {
		if s.kept {
			s.addEstimates(r, at, other)
			return at, other
		}
		return nil, nil
	}
	happened := happened(nodes)
	at, other = make([]int, len(nodes)), make([]int, len(nodes))
	for id := range nodes {
		n := &nodes[id]
		parent := -1
		other[id] = -1
		if at[id] = -1; id > 0 {
			if !happened[id] {
				continue
			}
			parent = at[n.Parent]
			at[id] = len(s.Paths)
			var f *Func
			if int(n.Site) < len(funcs) {
				f = funcs[n.Site]
			}
			s.addPath(f, parent, n.Own)
		}
		if n.Other != (rt.PathSum{}) {
			other[id] = len(s.Paths)
			s.addPath(nil, at[id], n.Other)
		}
	}
	addTotals(s.Paths)
	return at, other
}

// happened reports of each node whether anything happened on its path or below.
func happened(nodes []rt.Path) []bool {
	list := make([]bool, len(nodes))
	for id := len(nodes) - 1; id > 0; id-- {
		n := &nodes[id]
		list[id] = list[id] || n.Own != (rt.PathSum{}) || n.Other != (rt.PathSum{}) || n.Sample.Calls > 0
		list[n.Parent] = list[n.Parent] || list[id]
	}
	return list
}

// addEstimates sets Paths to estimates.
func (s *Snapshot) addEstimates(r *estimate.Result, at, other []int) {
	for i := range r.Paths {
		p := &r.Paths[i]
		var f *Func
		if int(p.Key) < len(s.funcs) {
			f = s.funcs[p.Key]
		}
		whole := func(n float64) uint64 { return uint64(math.Round(max(n, 0))) }
		s.Paths = append(s.Paths, Path{
			Func: f, Parent: p.Parent, Calls: whole(p.Calls), Panics: whole(p.Panics), Errors: whole(p.Errors),
			Self: time.Duration(max(p.Self, 0) * s.unit), Estimated: p.About,
		})
	}
	for id := range s.nodes {
		if at[id] >= 0 {
			s.Paths[at[id]].Open += s.nodes[id].Own.Open
		}
		if other[id] >= 0 {
			s.Paths[other[id]].Open += s.nodes[id].Other.Open
		}
	}
	addTotals(s.Paths)
}

func (s *Snapshot) addPath(f *Func, parent int, sum rt.PathSum) {
	s.Paths = append(s.Paths, Path{
		Func: f, Parent: parent, Calls: sum.Calls, Open: sum.Open, Panics: sum.Panics, Errors: sum.Errors,
		Self: nanoseconds(sum.Self, s.unit),
	})
}

// addTotals sets the totals of paths, whose callers come before callees.
func addTotals(paths []Path) {
	for i := len(paths) - 1; i >= 0; i-- {
		p := &paths[i]
		p.Total += p.Self
		p.EstimatedTotal = p.EstimatedTotal || p.Estimated
		if p.Parent >= 0 {
			paths[p.Parent].Total += p.Total
			paths[p.Parent].EstimatedTotal = paths[p.Parent].EstimatedTotal || p.EstimatedTotal
		}
	}
}

// add adds calls on the same path, but for the total.
func (p *Path) add(o *Path) {
	p.Calls += o.Calls
	p.Open += o.Open
	p.Panics += o.Panics
	p.Errors += o.Errors
	p.Self += o.Self
	p.Estimated = p.Estimated || o.Estimated
}

// hidePaths leaves out paths of functions that only others gather. Their time is their callers' own, as
// if nobody had timed them, and in Functions, too. at and other are set to the paths that are left.
func (s *Snapshot) hidePaths(at, other []int) {
	if s.of.options.Functions == nil {
		return
	}
	left := make([]int, len(s.Paths)) // index of each, or of the caller that has its time; -1 is none
	given := make(map[*Func]time.Duration)
	type key struct {
		parent int
		f      *Func
	}
	same := make(map[key]int) // calls through functions that are left out have the same path as others
	var list []Path
	for i, p := range s.Paths {
		if p.Parent >= 0 {
			p.Parent = left[p.Parent]
		}
		switch {
		case p.Func == nil || s.of.wants(p.Func):
			at, ok := same[key{p.Parent, p.Func}]
			if left[i] = at; ok {
				list[at].add(&p)
				continue
			}
			left[i] = len(list)
			same[key{p.Parent, p.Func}] = left[i]
			p.Total = 0
			list = append(list, p)
		case p.Parent >= 0:
			left[i] = p.Parent
			list[p.Parent].Self += p.Self
			list[p.Parent].Estimated = list[p.Parent].Estimated || p.Estimated
			given[list[p.Parent].Func] += p.Self
		default:
			left[i] = -1
		}
	}
	addTotals(list)
	s.Paths = list
	for i := range s.Functions {
		f := &s.Functions[i]
		more := given[s.funcs[f.site]]
		f.Self += more
		if f.Estimate != nil {
			f.Estimate.Self[0] += more
			f.Estimate.Self[1] += more
		}
	}
	for _, index := range [][]int{at, other} {
		for i, n := range index {
			if n >= 0 {
				index[i] = left[n]
			}
		}
	}
}

// pathsSince returns what was added to sums by node after older ones. Open is that of now.
func pathsSince(now, old []rt.Path) []rt.Path {
	out := slices.Clone(now)
	for id := 0; id < min(len(now), len(old)); id++ {
		out[id].Own = sumSince(now[id].Own, old[id].Own)
		out[id].Other = sumSince(now[id].Other, old[id].Other)
		a, b := &out[id].Sample, &old[id].Sample
		a.Calls -= b.Calls
		a.Total -= b.Total
		a.Self -= b.Self
		a.After -= b.After
		a.Panics -= b.Panics
		a.Errors -= b.Errors
	}
	return out
}

func sumSince(now, old rt.PathSum) rt.PathSum {
	now.Calls -= old.Calls
	now.Self = more(now.Self, old.Self)
	now.Panics -= old.Panics
	now.Errors -= old.Errors
	return now
}
