package estimate

import (
	"math"
	"slices"
)

// Groups is how many groups of samples there are. Groups count from 1.
const Groups = 7

// A Node is the calls of a function that were made on one path and are in one group, or none.
type Node struct {
	Parent int    // index of the caller's node, which comes before; -1: none
	Key    uint32 // of the function
	Group  uint32 // 0: no samples
	Calls  uint64
	Self   float64 // of samples: in their windows
	After  float64 // of samples: the rest of their own time
	Long   float64 // what calls took of which only that is known, exactly: it is in their callers' own time
	Total  float64
	Panics uint64
	Errors uint64
}

// Options say what is known of the measurement.
type Options struct {
	// Read is one reading of the clock, in the unit of times: as much may a call's time be off.
	Read float64

	// Within says that the hooks' work is in the times: that of one reading in the call's own, and of as much in
	// its caller's.
	Within bool

	// Guessed are the counted calls, by key, whose number is an estimate, too. As a share the numbers of all may be
	// off by Doubt, see DoubtOf, beside what chance does.
	Guessed map[uint32]Guess
	Doubt   float64
}

// DoubtOf returns how far off numbers of calls may be, as a share, that are estimated from windows in which
// calls were counted: programs are slower in them, by what is known only roughly, least so where there is other code
// between calls. The program took so many ns.
func DoubtOf(guessed map[uint32]Guess, ns float64) float64 {
	sum := 0.0
	for _, g := range guessed {
		sum += float64(g.Calls)
	}
	rate := sum / max(ns, 1)
	return min(rate*max(1.6-rate, 0.4), 1)
}

// few is the share of a function's calls that may be without samples: what they took hardly matters.
const few = 0.02

// Few reports whether so few of a function's calls were counted that its numbers are those of the
// others. It also returns how much the numbers may lack, as a share.
func Few(counted, calls uint64) (share float64, ok bool) {
	share = float64(counted) / float64(max(calls, 1))
	return share, share <= few
}

// A Value is an estimate, and the interval that it lies in.
type Value struct{ Value, Low, High float64 }

// A Row is what is to be added to what was measured of a function's calls that are no samples.
type Row struct {
	Samples uint64 // calls
	Counted uint64 // calls that the samples stand for, besides themselves
	Known   bool   // there are samples, or calls in their place, or nothing was counted
	Less    bool   // calls that it made were counted: its own time was less than what was measured

	Self, Total, Sum Value // Total: of outermost calls; Sum: of all
	Panics, Errors   Value
	Gaps             bool  // some calls were not even counted: Calls estimates how many
	Calls            Value // of Counted, those
}

// Scale returns how many calls a sample stands for.
func (r *Row) Scale() float64 {
	if r.Samples == 0 {
		return 1
	}
	return float64(r.Counted+r.Samples) / float64(r.Samples)
}

// A Path is the calls of a function on one path.
type Path struct {
	Parent         int // index, which comes before; -1: none
	Key            uint32
	Calls          float64
	Self           float64
	Beside         float64 // what calls took, besides Self and what is below: it is in the callers' nodes
	Panics, Errors float64
	About          bool // it is estimated
}

// A Result has estimates.
type Result struct {
	Rows  map[uint32]*Row
	Paths []Path
	At    []int // index in Paths, by node
}

// sums are what samples of a function, or of what it called, add up to, by group.
type sums [Groups + 1]struct{ calls, self, total, sum, panics, errors float64 }

// Of estimates. counted has the calls that were only counted, by key.
func Of(nodes []Node, counted map[uint32]uint64, o Options) *Result {
	e := &estimator{Options: o, nodes: nodes, rows: make(map[uint32]*Row), sampled: make(map[uint32]*sums), removed: make(map[uint32]*sums), moved: make(map[uint32]float64)}
	for key, n := range counted {
		e.row(key).Counted = n
	}
	for key := range o.Guessed {
		e.row(key).Gaps = true
	}
	for i := range nodes {
		if n := &nodes[i]; n.Group > 0 {
			e.row(n.Key).Samples += n.Calls
			e.groups[n.Group%(Groups+1)] = true
		}
	}
	if o.Within {
		e.nodes = e.without(nodes)
	}
	e.own()
	e.places()
	e.fit()
	e.sumPlaces()
	e.add()
	for key, r := range e.rows {
		r.Known = r.Counted == 0 || r.Samples > 0 || e.instead[key].Self.Value > 0
		e.interval(key, r)
	}
	paths, at := e.paths()
	return &Result{e.rows, paths, at}
}

type estimator struct {
	Options
	nodes   []Node
	rows    map[uint32]*Row
	groups  [Groups + 1]bool
	self    []float64 // by node: of samples; of others that of calls of which only the length is known
	weight  []float64 // by node: what it counts
	excess  []float64 // by node that isn't of samples: what is removed from its own time
	less    []bool    // by node: its own time was less than what was measured
	sampled map[uint32]*sums
	removed map[uint32]*sums
	moved   map[uint32]float64 // own time of calls of which only the length is known, by function: also what was removed

	// Of functions without samples, see places.
	ratio   map[uint32]float64 // counted calls, by those that take the place of samples
	extra   []float64          // by node: own time of counted calls
	instead map[uint32]Row
	doubt   map[uint32]float64 // what was removed of callers' own time for them
}

func (e *estimator) row(key uint32) *Row {
	r := e.rows[key]
	if r == nil {
		r = new(Row)
		e.rows[key] = r
	}
	return r
}

// without returns the nodes without what the hooks took of samples' times.
func (e *estimator) without(nodes []Node) []Node {
	list := slices.Clone(nodes)
	hooks := make([]float64, len(nodes)) // in the total
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &list[i]
		own := e.Read * float64(n.Calls)
		hooks[i] += own
		if n.Group > 0 {
			n.Self = max(n.Self-own, 0)
			n.Total = max(n.Total-hooks[i], 0)
		}
		if n.Parent >= 0 {
			hooks[n.Parent] += hooks[i] + own
			if caller := &list[n.Parent]; caller.Group > 0 {
				caller.Self = max(caller.Self-own, 0)
			}
		}
	}
	return list
}

// own finds the samples' own times.
func (e *estimator) own() {
	within := make([]float64, len(e.nodes)) // with what they called, in windows
	type part struct{ self, within float64 }
	parts := make(map[uint32]*part)
	for i := len(e.nodes) - 1; i >= 0; i-- {
		n := &e.nodes[i]
		within[i] += n.Self
		if n.Parent >= 0 {
			within[n.Parent] += within[i]
		}
		if n.Group > 0 {
			p := parts[n.Key]
			if p == nil {
				p = new(part)
				parts[n.Key] = p
			}
			p.self += n.Self
			p.within += within[i]
		}
	}
	e.self = make([]float64, len(e.nodes))
	for i := range e.nodes {
		n := &e.nodes[i]
		share := 0.0
		if p := parts[n.Key]; p != nil && p.within > 0 {
			share = p.self / p.within
		}
		if e.self[i] = n.Long * share; n.Group > 0 {
			e.self[i] = n.Self + n.After*share
		}
	}
}

// places finds the calls that take the place of samples where there are none, as in a short run.
// They were recorded before the function was counted. They are the program's first calls, and no
// calls at random moments, so the interval begins with what was measured.
func (e *estimator) places() {
	calls := make(map[uint32]uint64)
	for i := range e.nodes {
		if n := &e.nodes[i]; n.Group == 0 {
			calls[n.Key] += n.Calls
		}
	}
	e.ratio, e.extra = make(map[uint32]float64), make([]float64, len(e.nodes))
	e.instead, e.doubt = make(map[uint32]Row), make(map[uint32]float64)
	for i := range e.nodes {
		n := &e.nodes[i]
		r := e.rows[n.Key]
		if r == nil || r.Samples > 0 || n.Calls == 0 || n.Group > 0 || n.Parent < 0 {
			continue
		}
		if _, few := Few(r.Counted, calls[n.Key]); few {
			continue
		}
		own := n.Self
		if e.Within {
			own = max(own-e.Read*float64(n.Calls), 0)
		}
		e.ratio[n.Key] = float64(r.Counted) / float64(calls[n.Key])
		e.extra[i] = own * e.ratio[n.Key]
	}
}

// sumPlaces adds up what calls in the place of samples stand for, when it is known what fits their callers.
func (e *estimator) sumPlaces() {
	outermost := Outermost(len(e.nodes), func(i int) (int, uint32) { return e.nodes[i].Parent, e.nodes[i].Key })
	total := slices.Clone(e.extra) // by node: with what it called
	for i := len(e.nodes) - 1; i >= 0; i-- {
		n := &e.nodes[i]
		if n.Parent >= 0 {
			total[n.Parent] += total[i]
		}
		ratio, ok := e.ratio[n.Key]
		if !ok || n.Group > 0 {
			continue
		}
		r := e.instead[n.Key]
		add := func(v *Value, more float64) {
			v.Value += more
			v.High += 2 * more
		}
		add(&r.Self, e.extra[i])
		add(&r.Sum, total[i])
		if outermost[i] {
			add(&r.Total, total[i])
		}
		add(&r.Panics, ratio*float64(n.Panics))
		add(&r.Errors, ratio*float64(n.Errors))
		e.instead[n.Key] = r
	}
}

// fit finds what each node counts, so that no caller has less than no time.
func (e *estimator) fit() {
	owner := make([]int, len(e.nodes)) // the nearest caller that is no sample; -1: none
	e.excess = make([]float64, len(e.nodes))
	for i := range e.nodes {
		n := &e.nodes[i]
		owner[i] = -1
		if n.Parent >= 0 {
			if owner[i] = n.Parent; e.nodes[n.Parent].Group > 0 {
				owner[i] = owner[n.Parent]
			}
		}
		for e.extra[i] > 0 && owner[i] >= 0 && e.extra[owner[i]] > 0 { // whose calls were counted, too
			owner[i] = owner[owner[i]]
		}
		if owner[i] < 0 {
			e.extra[i] = 0
			continue
		}
		e.excess[owner[i]] += e.more(n)*e.self[i] + e.extra[i]
	}
	e.weight, e.less = make([]float64, len(e.nodes)), make([]bool, len(e.nodes))
	lessen := func(at int) {
		e.less[at] = true
		e.row(e.nodes[at].Key).Less = true
	}
	for i := range e.nodes {
		n := &e.nodes[i]
		if e.weight[i] = 1; e.self[i] == 0 && e.extra[i] == 0 && n.Group == 0 {
			continue
		}
		share := 1.0
		if at := owner[i]; at >= 0 {
			if self := max(e.nodes[at].Self, 0); e.excess[at] > self {
				share = self / e.excess[at]
			}
		}
		more := e.more(n) * share
		if e.extra[i] *= share; e.extra[i] > 0 {
			from := e.nodes[owner[i]].Key
			e.moved[from] -= e.extra[i]
			e.doubt[from] += e.extra[i]
			lessen(owner[i])
		}
		if n.Group == 0 {
			e.weight[i] = more
			e.moved[n.Key] += more * e.self[i]
			if at := owner[i]; at >= 0 {
				e.moved[e.nodes[at].Key] -= more * e.self[i]
				lessen(at)
			}
			continue
		}
		e.weight[i] = 1 + more
		if at := owner[i]; at >= 0 {
			s := sumsOf(e.removed, e.nodes[at].Key)
			s[n.Group%(Groups+1)].self += more * e.self[i]
			s[n.Group%(Groups+1)].calls += more * float64(n.Calls)
			lessen(at)
		}
	}
	for i := range e.excess {
		e.excess[i] = min(e.excess[i], max(e.nodes[i].Self, 0))
	}
}

// more returns how often a node's own time counts more than in what was measured.
func (e *estimator) more(n *Node) float64 {
	if n.Group == 0 {
		return 1 // of Long
	}
	return e.rows[n.Key].Scale() - 1
}

func sumsOf(m map[uint32]*sums, key uint32) *sums {
	s := m[key]
	if s == nil {
		s = new(sums)
		m[key] = s
	}
	return s
}

// add adds up samples by function and group.
func (e *estimator) add() {
	outermost := Outermost(len(e.nodes), func(i int) (int, uint32) { return e.nodes[i].Parent, e.nodes[i].Key })
	for i := range e.nodes {
		n := &e.nodes[i]
		if n.Group == 0 {
			continue
		}
		s := &sumsOf(e.sampled, n.Key)[n.Group%(Groups+1)]
		s.calls += float64(n.Calls)
		s.self += e.weight[i] * e.self[i]
		s.sum += e.weight[i] * n.Total
		s.panics += float64(n.Panics)
		s.errors += float64(n.Errors)
		if outermost[i] {
			s.total += e.weight[i] * n.Total
		}
	}
}

// Outermost returns, of n nodes, those that no node with the same key is above. Parents come before their
// children.
func Outermost(n int, at func(i int) (parent int, key uint32)) []bool {
	first, next := make([]int, n+1), make([]int, n) // children, from 1; of the parent and 1
	for i := n - 1; i >= 0; i-- {
		parent, _ := at(i)
		next[i], first[parent+1] = first[parent+1], i+1
	}
	out := make([]bool, n)
	open := make(map[uint32]int)
	var path []int
	for i := first[0]; ; {
		for ; i != 0; i = first[i] {
			_, key := at(i - 1)
			out[i-1] = open[key] == 0
			open[key]++
			path = append(path, i)
		}
		if len(path) == 0 {
			return out
		}
		last := path[len(path)-1] - 1
		path = path[:len(path)-1]
		_, key := at(last)
		open[key]--
		i = next[last]
	}
}

// interval sets a row's estimates.
func (e *estimator) interval(key uint32, r *Row) {
	scale := r.Scale()
	var calls, self, total, sum, panics, errors [Groups + 1]float64
	if s := e.sampled[key]; s != nil {
		for g := range s {
			calls[g], self[g], total[g], sum[g], panics[g], errors[g] = s[g].calls, s[g].self, s[g].total, s[g].sum, scale*s[g].panics, scale*s[g].errors
		}
	}
	r.Calls = e.guessed(key)
	read := float64(r.Counted) * e.Read
	r.Self = e.value(calls, self, read, 0)
	r.Total = e.value(calls, total, read, 0)
	r.Sum = e.value(calls, sum, read, 0)
	r.Panics = e.value(calls, panics, 0, scale)
	r.Errors = e.value(calls, errors, 0, scale)
	if s := e.removed[key]; s != nil {
		var calls, self [Groups + 1]float64
		all := 0.0
		for g := range s {
			calls[g], self[g] = s[g].calls, s[g].self
			all += s[g].calls
		}
		less := e.value(calls, self, 2*all*e.Read, 0)
		low, high := math.Hypot(r.Self.Value-r.Self.Low, less.High-less.Value), math.Hypot(r.Self.High-r.Self.Value, less.Value-less.Low)
		r.Self.Value -= less.Value
		r.Self.Low, r.Self.High = r.Self.Value-low, r.Self.Value+high
	}
	if in, ok := e.instead[key]; ok {
		r.Total, r.Sum, r.Panics, r.Errors = in.Total, in.Sum, in.Panics, in.Errors
		r.Self.Value, r.Self.High = r.Self.Value+in.Self.Value, r.Self.High+in.Self.High
	}
	moved, doubt := e.moved[key], e.doubt[key]
	r.Self.Value, r.Self.Low, r.Self.High = r.Self.Value+moved, r.Self.Low+moved-doubt, r.Self.High+moved+doubt
}

// guessed returns how many calls there were that nobody counted.
func (e *estimator) guessed(key uint32) Value {
	g, ok := e.Guessed[key]
	if !ok {
		return Value{}
	}
	low, high := g.interval(e.Doubt)
	return Value{float64(g.Calls), low, high}
}

// student has the factors of Student's t for 95 %, by degrees of freedom from 1 on.
var student = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447}

// value returns a sum over the groups, with its interval. read is what readings of the clock may add. Of
// sums that count samples of some kind rare is what a sample counts.
func (e *estimator) value(calls, of [Groups + 1]float64, read, rare float64) Value {
	n, sum, groups := 0.0, 0.0, 0
	for g := range calls {
		n += calls[g]
		sum += of[g]
		if e.groups[g] {
			groups++
		}
	}
	if n == 0 {
		return Value{}
	}
	variance := 0.0
	for g := range calls {
		d := of[g] - sum/n*calls[g]
		variance += d * d
	}
	if groups > 1 {
		variance *= float64(groups) / float64(groups-1)
	}
	if rare > 0 { // a sample of so many is one by chance
		variance += rare * rare * max(sum/rare, 1)
	} else {
		variance += sum * sum / n
	}
	off := student[min(max(groups-1, 1), len(student))-1]*math.Sqrt(variance) + read
	return Value{sum, max(sum-off, 0), sum + off}
}

// paths merges the nodes of the same path.
func (e *estimator) paths() (out []Path, at []int) {
	type place struct {
		parent int
		key    uint32
	}
	index := make(map[place]int)
	at = make([]int, len(e.nodes))
	for i := range e.nodes {
		n := &e.nodes[i]
		p := place{-1, n.Key}
		if n.Parent >= 0 {
			p.parent = at[n.Parent]
		}
		to, ok := index[p]
		if !ok {
			to = len(out)
			index[p] = to
			out = append(out, Path{Parent: p.parent, Key: n.Key})
		}
		at[i] = to
		path := &out[to]
		if n.Group == 0 {
			path.Calls += float64(n.Calls)
			path.Self += n.Self - e.excess[i] + e.weight[i]*e.self[i] + e.extra[i]
			path.Beside += n.Long - e.weight[i]*e.self[i]
			path.Panics += float64(n.Panics)
			path.Errors += float64(n.Errors)
			if e.extra[i] > 0 {
				path.Calls += e.ratio[n.Key] * float64(n.Calls)
				path.Panics += e.ratio[n.Key] * float64(n.Panics)
				path.Errors += e.ratio[n.Key] * float64(n.Errors)
			}
			path.About = path.About || e.less[i] || e.extra[i] > 0
			continue
		}
		scale := e.rows[n.Key].Scale()
		path.Calls += scale * float64(n.Calls)
		path.Self += e.weight[i] * e.self[i]
		path.Panics += scale * float64(n.Panics)
		path.Errors += scale * float64(n.Errors)
		path.About = path.About || scale > 1
	}
	return out, at
}
