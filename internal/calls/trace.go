package calls

import "math"

// A Trace is the call tree of one trace. Node 0 is no call, and node 1 the root call. A row is a
// function, and what else keeps calls of the same callers apart.
type Trace struct{ Paths[Traced] }

// A Traced adds up calls of a trace.
type Traced struct {
	Name string // of the function
	Args string // of the calls, as (n=1), if they are shown
	Go   bool   // root calls of goroutines that the calls of the node above have started

	Numbers
	Open     uint64 // calls that have not ended
	Detached uint64 // calls that ended after the trace's root call
	Min, Max int64  // of a call
	Ready    int64  // how long new goroutines were ready before they ran and made these calls
}

// A Call is one that is added to a Traced, whose Calls count it already.
type Call struct {
	Took, Self                       int64
	Panicked, Failed, Open, Detached bool // an open call isn't counted as detached
}

// Begin returns the node of a call that begins, and counts it there.
func (t *Trace) Begin(parent, row uint32, name, args string, goes bool) uint32 {
	i := t.Child(parent, row)
	n := &t.Nodes[i].Sum
	if n.Calls == 0 {
		n.Name, n.Args, n.Go, n.Min = name, args, goes, math.MaxInt64
	}
	n.Calls++
	return i
}

// End adds what is known of a call when it has ended.
func (n *Traced) End(c Call) {
	n.Total += c.Took
	n.Self += c.Self
	n.Min, n.Max = min(n.Min, c.Took), max(n.Max, c.Took)
	count(&n.Panics, c.Panicked)
	count(&n.Errors, c.Failed)
	count(&n.Open, c.Open)
	count(&n.Detached, c.Detached && !c.Open)
}

func count(n *uint64, is bool) {
	if is {
		*n++
	}
}

// Avg returns the average duration of a call.
func (n *Traced) Avg() int64 { return n.Total / int64(max(n.Calls, 1)) }

// Order returns the children of all nodes, in the order of their first calls.
func (t *Trace) Order() Children {
	return Below(len(t.Nodes), func(n uint32) uint32 { return t.Nodes[n].Parent })
}

// Fold returns the tree of a root call. what says what a call is, and which calls it made. Calls of the same
// function with the same callers are one node.
func Fold[C any](root C, what func(c C) (name string, goes bool, one Call, calls []C)) *Trace {
	type function struct {
		name string
		goes bool
	}
	t, rows := new(Trace), make(map[function]uint32)
	var add func(parent uint32, c C)
	add = func(parent uint32, c C) {
		name, goes, one, calls := what(c)
		row, ok := rows[function{name, goes}]
		if !ok {
			row = uint32(len(rows))
			rows[function{name, goes}] = row
		}
		node := t.Begin(parent, row, name, "", goes)
		t.Nodes[node].Sum.End(one)
		for _, callee := range calls {
			add(node, callee)
		}
	}
	add(0, root)
	return t
}

// JSONTraced has the members of a Traced that all its JSON has.
type JSONTraced struct {
	Name     string `json:"name"`
	Go       bool   `json:"go,omitempty"`
	Calls    uint64 `json:"calls"`
	Panics   uint64 `json:"panics"`
	Errors   uint64 `json:"errors"`
	TotalNS  int64  `json:"total_ns"`
	SelfNS   int64  `json:"self_ns"`
	MinNS    int64  `json:"min_ns"`
	MaxNS    int64  `json:"max_ns"`
	AvgNS    int64  `json:"avg_ns"`
	Open     uint64 `json:"open,omitempty"`     // calls that had not ended
	Detached uint64 `json:"detached,omitempty"` // calls that ended after the trace's root call
}

// JSON returns the members.
func (n *Traced) JSON() JSONTraced {
	return JSONTraced{n.Name, n.Go, n.Calls, n.Panics, n.Errors, n.Total, n.Self, n.Min, n.Max, n.Avg(), n.Open, n.Detached}
}
