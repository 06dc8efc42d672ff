package otlp

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/rand"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/trace"
	"github.com/waymark-go/waymark/value"
)

// A spanner makes spans of traces.
type spanner struct {
	resource *spans.Resource
	most     int // spans of a trace
	random   *rand.Rand
	names    map[*trace.Func]signature
}

// A signature is the names of a function's arguments and results.
type signature struct{ args, results []string }

func newSpanner(resource *spans.Resource, most int) spanner {
	var seed [8]byte
	cryptorand.Read(seed[:]) // which does not fail where Go runs
	random := rand.New(rand.NewSource(int64(binary.LittleEndian.Uint64(seed[:]))))
	return spanner{resource, most, random, make(map[*trace.Func]signature)}
}

// id makes an id, which is not zero.
func (s *spanner) id(id []byte) {
	for binary.BigEndian.PutUint64(id, s.random.Uint64()); binary.BigEndian.Uint64(id) == 0; {
		binary.BigEndian.PutUint64(id, s.random.Uint64())
	}
}

// A tree has a node for each span of a trace. Node 0 is none.
type tree struct {
	calls.Trace
	nodes []node
}

// A node is what a span has beside the sums of its calls.
type node struct {
	first     *trace.Call
	end       time.Time // of the call that ended last
	exited    bool
	recovered bool
	escaped   bool  // a panic ended a call
	leftOut   int64 // calls below that have no span
	id        [8]byte
}

// spans returns the spans of a trace with this root call, callers before callees, below a span, unless that is none.
func (s *spanner) spans(t *trace.Trace, root *trace.Call, below trace.Span) []spans.Span {
	if below.TraceID == [16]byte{} {
		below = trace.Span{TraceID: t.ID}
	}
	tree := treeOf(root, t.Calls > uint64(s.most))
	list := make([]spans.Span, 0, min(len(tree.nodes), s.most))
	tree.nodes[0].id = below.SpanID
	has := tree.choose(s.most)
	for i := 1; i < len(tree.nodes); i++ {
		if !has[i] {
			continue
		}
		n := &tree.nodes[i]
		s.id(n.id[:])
		one := tree.span(i)
		one.Resource, one.Trace, one.ID, one.Parent = s.resource, below.TraceID, n.id, tree.nodes[tree.Nodes[i].Parent].id
		if i == 1 {
			one.Failed = one.Failed || t.Failed
			if method, path, ok := strings.Cut(t.Request, " "); ok {
				one.Attributes.Text("http.request.method", method)
				one.Attributes.Text("url.path", path)
			}
			if t.Status != 0 {
				one.Attributes.Number("http.response.status_code", int64(t.Status))
			}
			one.Attributes.Text(spans.TraceKey, t.Key)
			if t.Lost > 0 {
				one.Attributes.Measure("calls_lost", int64(t.Lost))
			}
		}
		if tree.Nodes[i].Sum.Calls == 1 {
			s.values(&one.Attributes, n.first)
		}
		list = append(list, one)
	}
	return list
}

// values appends the arguments and results of a call, if they are known.
func (s *spanner) values(a *spans.Attributes, c *trace.Call) {
	if c.Args == nil && c.Results == nil {
		return
	}
	names, ok := s.names[c.Func]
	if !ok {
		names.args, names.results = switchboard.Default.Signature(c.Func)
		s.names[c.Func] = names
	}
	say := func(key string, list []any, names []string) {
		values := make([]value.Value, len(list))
		for i := range list {
			values[i], _ = list[i].(value.Value)
		}
		if list != nil {
			a.Say(key, value.List(values, names, false))
		}
	}
	say("args", c.Args, names.args)
	say("results", c.Results, names.results)
}

// rootOf returns the root call of a trace.
func rootOf(t *trace.Trace) *trace.Call {
	if root := t.Call(); root != nil {
		return root
	}
	// There was no memory for any call.
	return &trace.Call{
		Func: t.Root, Start: t.Start, Duration: t.Duration, Self: t.Duration, Goroutine: t.Goroutine,
		Panicked: t.Panicked, Failed: t.Failed && !t.Panicked, Exited: t.Exited,
	}
}

// treeOf returns the tree of a root call. If it is folded, calls of the same function with the same
// callers are one node.
func treeOf(root *trace.Call, fold bool) *tree {
	type function struct {
		name string
		goes bool
	}
	type visit struct {
		call   *trace.Call
		parent uint32
	}
	t, rows := &tree{nodes: make([]node, 1)}, make(map[function]uint32)
	for todo := []visit{{root, 0}}; len(todo) > 0; { // a trace may be a million calls deep
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c := v.call
		row := uint32(len(t.nodes)) // a node of its own
		if fold {
			key, ok := function{c.Func.Name, c.Go}, false
			if row, ok = rows[key]; !ok {
				row = uint32(len(rows))
				rows[key] = row
			}
		}
		i := t.Begin(v.parent, row, c.Func.Name, "", c.Go)
		if int(i) == len(t.nodes) {
			t.nodes = append(t.nodes, node{first: c})
		}
		t.add(i, c)
		for j := len(c.Calls) - 1; j >= 0; j-- { // the first one is visited first
			todo = append(todo, visit{c.Calls[j], i})
		}
	}
	return t
}

// add adds a call to a node.
func (t *tree) add(i uint32, c *trace.Call) {
	t.Nodes[i].Sum.End(calls.Call{
		Took: int64(c.Duration), Self: int64(c.Self), Panicked: c.Panicked, Failed: c.Failed, Open: c.Open, Detached: c.Detached,
	})
	n := &t.nodes[i]
	if end := c.Start.Add(c.Duration); end.After(n.end) {
		n.end = end
	}
	if c.Start.Before(n.first.Start) {
		n.first = c
	}
	n.exited = n.exited || c.Exited
	n.recovered = n.recovered || c.Recovered
	n.escaped = n.escaped || c.Panicked && !c.Recovered
}

// choose returns which nodes have a span: at most so many, the outer ones.
func (t *tree) choose(most int) (has []bool) {
	has = make([]bool, len(t.nodes))
	has[0] = true
	order := t.Order()
	level := append([]uint32(nil), order.Of(0)...)
	for len(level) > 0 && most > 0 {
		var next []uint32
		for _, i := range level[:min(len(level), most)] {
			has[i] = true
			next = append(next, order.Of(i)...)
		}
		most -= len(level)
		level = next
	}
	for i := len(t.nodes) - 1; i > 0; i-- {
		if !has[i] {
			t.nodes[t.Nodes[i].Parent].leftOut += t.nodes[i].leftOut + int64(t.Nodes[i].Sum.Calls)
		}
	}
	return has
}

// span returns the span of a node, but for its ids.
func (t *tree) span(i int) spans.Span {
	n, sum := &t.nodes[i], &t.Nodes[i].Sum
	f := n.first.Func
	one := spans.Span{
		Name: f.Name, Start: n.first.Start.UnixNano(), End: n.end.UnixNano(), Failed: n.escaped || sum.Errors > 0,
	}
	if n.escaped {
		one.Exception = "panic" // whose value traces don't have
	}
	a := &one.Attributes
	a.Call(f.Name, f.File, f.Line, n.first.Goroutine)
	a.Measure("self_ns", sum.Self)
	if sum.Calls > 1 {
		a.Measure("calls", int64(sum.Calls))
		a.Measure("total_ns", sum.Total)
		a.Measure("min_ns", sum.Min)
		a.Measure("avg_ns", sum.Avg())
		a.Measure("max_ns", sum.Max)
	}
	if n.leftOut > 0 {
		a.Measure("calls_left_out", n.leftOut)
	}
	for _, m := range []struct {
		is   bool
		name string
	}{
		{sum.Panics > 0, "panicked"}, {n.recovered, "recovered"}, {n.exited, "goexit"}, {sum.Errors > 0, "error"},
		{sum.Open > 0, "open"}, {sum.Detached > 0, "detached"},
	} {
		if m.is {
			a.Mark(m.name)
		}
	}
	return one
}
