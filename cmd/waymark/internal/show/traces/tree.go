package traces

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/tracetext"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Node is a node of a tree, see package tracetext.
type Node struct {
	tracetext.Node
	parent int
	off    calls.Offs    // of Total and Self: when goroutines did not run
	ready  time.Duration // how long new goroutines were ready before they ran and made these calls
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

// ErrNoTrace says that no call has begun there and then.
var ErrNoTrace = errors.New("no trace of that key")

// Find returns the tree of the trace with a key. root is that of Options: what List says of the trace Find
// says, too. What it returns with an error is of the events that could be read. The error wraps ErrNoTrace if
// no call of the goroutine begins at that time. The tree has the arguments of calls as values prints them; nil:
// it has none.
func Find(set *tracefile.Set, filter *recording.Filter, root func(*function.Func) bool, key Key, values *value.Printer) (*Tree, []recording.Summary, error) {
	found, read, err := find(set, filter, root, key)
	if found == nil {
		return nil, read, errors.Join(err, fmt.Errorf("%w: %v", ErrNoTrace, key))
	}
	b := &treeBuilder{tree: Tree{Trace: found.trace}, nodes: make(map[nodeKey]int), values: values}
	f := from(filter, key)
	read, err = f.Follow(set, func(p *recording.Process) recording.Follower {
		c := keyed(p, set, root, key)
		c.Whole()
		c.start = func(child, starter *running) { child.Data.at = max(starter.Data.at, 0) } // the root call, if it has ended
		began := c.began
		c.began = func(r *running, call *calltree.Call) bool {
			r.Data.at = -1
			return began(r, call)
		}
		c.enter, c.call = b.enterOf(p), b.callOf(p)
		to := c.follower()
		if c.label == key.Goroutine.Process {
			to.Until = func(goroutine uint64) uint64 {
				until, ok := found.until[goroutine]
				if !ok {
					return 1 // it is in another trace, or in none
				}
				return until
			}
			to.Done = func(clock uint64) bool { return clock > found.last }
		}
		return to
	})
	b.order()
	return &b.tree, read, err
}

// from returns the filter of what is read of the trace with a key.
func from(filter *recording.Filter, key Key) recording.Filter {
	f := *filter
	f.From, f.To = max(key.Start-time.Microsecond, 0), 0 // clocks are rounded to ns
	return f
}

// keyed returns a collector which tells of the trace with a key only.
func keyed(p *recording.Process, set *tracefile.Set, root func(*function.Func) bool, key Key) *collector {
	c := newCollector(p, len(set.Processes) > 1, root)
	var begun *calltree.Call
	again := c.Again
	c.Root = func(call *calltree.Call) bool {
		if begun == nil {
			return call.Goroutine == key.Goroutine.ID
		}
		// In an older recording it matters what else is a trace. That is guessed where nobody says what a root call is.
		return !c.Knows() && (call.Site == begun.Site || again != nil && again(call) || again == nil && begun.Depth == 0 && call.Depth == 0)
	}
	c.began = func(r *running, call *calltree.Call) bool {
		if begun != nil {
			r.Data.other = true
			return true
		}
		if r.Data.trace.Key != key {
			return false
		}
		one := *call
		begun = &one
		return true
	}
	return c
}

// A found is what is known of the trace with a key.
type found struct {
	trace *Trace
	until map[uint64]uint64 // by goroutine: the clock from which on what it does is not part of the trace; 0: all is
	last  uint64            // clock of the last event that matters
}

// find looks for the trace with a key, and for what is part of it; it returns nil if there is none.
func find(set *tracefile.Set, filter *recording.Filter, root func(*function.Func) bool, key Key) (*found, []recording.Summary, error) {
	var one *found
	f := from(filter, key)
	read, err := f.Follow(set, func(p *recording.Process) recording.Follower {
		c := keyed(p, set, root, key)
		alive, over, last := 0, false, uint64(0)
		began := c.began
		c.began = func(r *running, call *calltree.Call) bool {
			if !began(r, call) {
				return false
			}
			if r.Data.other {
				return true
			}
			one = &found{trace: r.Data.trace, until: make(map[uint64]uint64)}
			one.until[r.Goroutine] = 0
			alive++
			return true
		}
		c.start = func(r, _ *running) {
			one.until[r.Goroutine] = 0
			alive++
		}
		c.leave = func(r *running, stays bool) {
			alive--
			if !stays {
				one.until[r.Goroutine] = r.Trace.End
			}
		}
		c.ended = func(r *running, _ *calltree.Call) {
			over, last = true, r.Trace.End+p.Scale.TicksOf(int64(recording.Linger))
		}
		to := c.follower()
		to.Done = func(clock uint64) bool {
			if one != nil && c.label == key.Goroutine.Process {
				one.last = clock
			}
			return over && (c.Knows() && alive == 0 || clock > last)
		}
		return to
	})
	return one, read, err
}

type treeBuilder struct {
	tree  Tree
	nodes map[nodeKey]int

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
		g := &r.Data
		key := nodeKey{g.at, c.Site, !r.Own && c.Depth == 0, b.args(p, c)}
		i, ok := b.nodes[key]
		if !ok {
			fn, known := p.File.Func(c.Site)
			if g.left > 0 || !known || len(b.tree.Nodes) == maxNodes {
				g.left++
				b.tree.Left++
				return
			}
			i = len(b.tree.Nodes)
			b.nodes[key] = i
			b.tree.Nodes = append(b.tree.Nodes, Node{Node: tracetext.Node{Name: fn.Name, Args: key.args, Goroutine: key.goroutine, Min: 1<<63 - 1}, parent: g.at})
		}
		b.tree.Nodes[i].Calls++
		b.tree.Nodes[i].ready += g.ready
		g.at = i
	}
}

func (b *treeBuilder) callOf(p *recording.Process) func(*running, *calltree.Call) {
	return func(r *running, c *calltree.Call) {
		g := &r.Data
		if g.left > 0 {
			g.left--
			return
		}
		n := &b.tree.Nodes[g.at]
		took := p.Scale.Nanoseconds(c.End - c.Began)
		n.Total += took
		n.Self += p.Scale.Nanoseconds(c.Self)
		c.Off.AddTo(&n.off, p.Scale)
		n.Min, n.Max = min(n.Min, took), max(n.Max, took)
		g.at = n.parent
		if c.Flags&calltree.Open != 0 {
			if n.Open++; r.Late() {
				return // how it ends is no part of the trace
			}
		} else if r.Late() {
			n.Detached++
		}
		if c.Flags&calltree.Panicked != 0 {
			n.Panics++
		}
		if c.Flags&calltree.Failed != 0 {
			n.Errors++
		}
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
