package traces

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/tracetext"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Node is a node of a tree, see package tracetext.
type Node struct {
	tracetext.Node
	parent int
	off    recording.Offs // of Total and Self: when goroutines did not run
	ready  time.Duration  // how long new goroutines were ready before they ran and made these calls
}

type nodeKey struct {
	parent    int
	site      uint32
	goroutine bool
	args      string
}

// maxNodes bounds a tree. A recursion has a node for each of its levels.
const maxNodes = 1 << 20

// A Tree is the calls of a trace. Calls of the same function with the same callers are one node, and
// with the same arguments if these are shown.
type Tree struct {
	Trace *Trace
	Nodes []Node // callees behind their callers, in the order of their first calls
	Left  uint64 // calls that are in no node, because there are too many nodes
}

// lateStart is how long after the end of a trace goroutines may make their first calls that the
// trace has started.
const lateStart = 100 * time.Millisecond

// ErrNoTrace says that no call has begun there and then.
var ErrNoTrace = errors.New("no trace of that key")

// Find returns the tree of the trace with a key. What it returns with an error is of the events that
// could be read. The error wraps ErrNoTrace if no call of the goroutine begins at that time.
func Find(set *tracefile.Set, filter *recording.Filter, key Key) (*Tree, []recording.Summary, error) {
	return FindWithArgs(set, filter, key, nil)
}

// FindWithArgs is Find for a tree with the arguments of calls, as values prints them; nil: without.
func FindWithArgs(set *tracefile.Set, filter *recording.Filter, key Key, values *value.Printer) (*Tree, []recording.Summary, error) {
	f := *filter
	if f.From = key.Start - time.Microsecond; f.From < 0 { // clocks are rounded to ns
		f.From = 0
	}
	f.To = 0
	b := &treeBuilder{nodes: make(map[nodeKey]int), values: values}
	several := len(set.Processes) > 1
	read, err := f.Follow(set, func(p *recording.Process) recording.Follower {
		c := newCollector(p, several, func(*function.Func) bool { return true })
		c.began = func(r *running, _ *calltree.Call) bool {
			if b.tree.Trace != nil || r.trace.Key != key {
				return false
			}
			b.tree.Trace = r.trace
			b.alive++
			r.at = -1
			return true
		}
		c.ended = func(*Trace) {}
		c.start = func(child, parent *running) { b.alive++; child.at = max(parent.at, 0) } // the root call, if it has ended
		c.over = func(*running) { b.alive-- }
		c.enter, c.call = b.enterOf(p), b.callOf(p)
		to := c.follower()
		to.Done = func(clock uint64) bool {
			// A goroutine's start is recorded with its first event, which may be later.
			return b.tree.Trace != nil && b.alive == 0 && p.Since+time.Duration(p.File.Nanos(clock)) > b.tree.Trace.Start+b.tree.Trace.Duration+lateStart
		}
		return to
	})
	if b.tree.Trace == nil {
		return nil, read, errors.Join(err, fmt.Errorf("%w: %v", ErrNoTrace, key))
	}
	b.order()
	return &b.tree, read, err
}

type treeBuilder struct {
	tree  Tree
	nodes map[nodeKey]int
	alive int // goroutines that are in the trace

	values *value.Printer // of arguments; nil: they are not shown
}

// args returns the arguments of a call, "" if they are not shown or were not recorded.
func (b *treeBuilder) args(p *recording.Process, c *calltree.Call) string {
	if b.values == nil || c.Args == nil {
		return ""
	}
	fn, _ := p.File.Func(c.Site)
	list, err := value.Decode(c.Args, p.File.Type)
	return b.values.List(list, fn.Args, err != nil)
}

func (b *treeBuilder) enterOf(p *recording.Process) func(*running, *calltree.Call) {
	return func(r *running, c *calltree.Call) {
		key := nodeKey{r.at, c.Site, !r.own && c.Depth == 0, b.args(p, c)}
		i, ok := b.nodes[key]
		if !ok {
			fn, known := p.File.Func(c.Site)
			if r.left > 0 || !known || len(b.tree.Nodes) == maxNodes {
				r.left++
				b.tree.Left++
				return
			}
			i = len(b.tree.Nodes)
			b.nodes[key] = i
			b.tree.Nodes = append(b.tree.Nodes, Node{Node: tracetext.Node{Name: fn.Name, Args: key.args, Goroutine: key.goroutine, Min: 1<<63 - 1}, parent: r.at})
		}
		b.tree.Nodes[i].Calls++
		b.tree.Nodes[i].ready += r.ready
		r.at = i
	}
}

func (b *treeBuilder) callOf(p *recording.Process) func(*running, *calltree.Call) {
	return func(r *running, c *calltree.Call) {
		if r.left > 0 {
			r.left--
			return
		}
		n := &b.tree.Nodes[r.at]
		took := p.Scale.Nanoseconds(c.End - c.Began)
		n.Total += took
		n.Self += p.Scale.Nanoseconds(c.Self)
		n.off.Add(c.Off, p.Scale)
		n.Min, n.Max = min(n.Min, took), max(n.Max, took)
		if c.Flags&calltree.Panicked != 0 {
			n.Panics++
		}
		if c.Flags&calltree.Failed != 0 {
			n.Errors++
		}
		if c.Flags&calltree.Open != 0 {
			n.Open++
		}
		if !r.trace.Open {
			n.Detached++
		}
		r.at = n.parent
	}
}

// order puts callees behind their callers.
func (b *treeBuilder) order() {
	nodes := b.tree.Nodes
	first, next := make([]int, len(nodes)), make([]int, len(nodes)) // callees, by caller; 0 is none, as no node calls the first one
	for i := len(nodes) - 1; i > 0; i-- {
		next[i], first[nodes[i].parent] = first[nodes[i].parent], i
	}
	var list []Node
	for i, depth := 0, 0; len(nodes) > 0; {
		n := nodes[i]
		n.Depth = depth
		list = append(list, n)
		if first[i] != 0 {
			i, depth = first[i], depth+1
			continue
		}
		for i != 0 && next[i] == 0 {
			i, depth = nodes[i].parent, depth-1
		}
		if i == 0 {
			break
		}
		i = next[i]
	}
	b.tree.Nodes = list
}
