package traces

import (
	"errors"
	"fmt"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A rowKey is what keeps nodes of the same caller apart.
type rowKey struct {
	site      uint32
	goroutine bool
	args      string
}

// maxNodes bounds a tree. A recursion has a node for each of its levels.
const maxNodes = 1 << 20

// A Tree is the calls of a trace. Calls of the same function with the same callers are one node, and
// with the same arguments if these are shown.
type Tree struct {
	calls.Trace
	Of   *Trace
	Left uint64 // calls that are in no node, because there are too many nodes
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
	b := &treeBuilder{tree: Tree{Of: found.trace}, rows: make(map[rowKey]uint32), values: values}
	f := from(filter, key)
	read, err = f.Follow(set, func(p *recording.Process) recording.Follower {
		c := keyed(p, set, root, key)
		c.Whole()
		c.start = func(child, starter *running) {
			if child.Data.at = starter.Data.at; len(b.tree.Nodes) > 1 {
				child.Data.at = max(child.Data.at, 1) // the root call, if it has ended
			}
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
	tree   Tree
	rows   map[rowKey]uint32
	values *value.Printer // of arguments; nil: they are not shown
}

func (b *treeBuilder) enterOf(p *recording.Process) func(*running, *calltree.Call) {
	return func(r *running, c *calltree.Call) {
		g := &r.Data
		key := rowKey{c.Site, !r.Own && c.Depth == 0, arguments(b.values, new(recorded.Receivers), p, c)}
		row, ok := b.rows[key]
		if ok {
			_, ok = b.tree.Has(g.at, row)
		}
		fn, known := p.File.Func(c.Site)
		if !ok && (g.left > 0 || !known || len(b.tree.Nodes) > maxNodes) {
			g.left++
			b.tree.Left++
			return
		}
		if _, ok := b.rows[key]; !ok {
			row = uint32(len(b.rows))
			b.rows[key] = row
		}
		g.at = b.tree.Begin(g.at, row, fn.Name, key.args, key.goroutine)
		b.tree.Nodes[g.at].Sum.Ready += int64(g.ready)
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
		g.at = n.Parent
		is := func(flag calltree.Flags) bool { return c.Flags&flag != 0 }
		open := is(calltree.Open)
		ends := !open || !r.Late() // else how it ends is no part of the trace
		n.Sum.End(calls.Call{
			Took: p.Scale.Nanoseconds(c.End - c.Began), Self: p.Scale.Nanoseconds(c.Self), Open: open, Detached: r.Late(),
			Panicked: ends && is(calltree.Panicked), Failed: ends && is(calltree.Failed),
		})
		if c.Off != nil {
			c.Off.AddTo(n.Sum.OwnOff(), p.Scale)
		}
	}
}
