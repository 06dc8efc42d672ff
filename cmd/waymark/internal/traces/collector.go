package traces

import (
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/actions"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// A running is a goroutine in a trace.
type running struct {
	trace     *Trace
	goroutine uint64
	own       bool             // the root call is on the goroutine
	depth     int              // of the root call
	at        int              // in a tree: the node of the innermost call
	left      int              // in a tree: calls in progress that have no node
	ready     time.Duration    // how long the goroutine was ready before it ran, until its first call
	log       *actions.Element // in a file of actions
}

// A collector follows the goroutines of a process.
type collector struct {
	p       *recording.Process
	label   string // of the process, if there are several
	waits   bool   // the recording says when goroutines ran
	isRoot  func(site uint32) bool
	parents map[uint64]uint64
	ready   map[uint64]time.Duration // of goroutines without a call yet: how long they were ready before they ran
	in      map[uint64]*running
	sites   map[string]bool // names of recorded functions, once they are needed

	// before has the latest trace that a goroutine was in. Goroutines that have ended are among
	// them: so it is bounded. recent lists its keys, the oldest first from oldest on.
	before map[uint64]*running
	recent []uint64
	oldest int

	began func(r *running, c *calltree.Call) bool // reports whether the trace is wanted; nil: all are
	ended func(t *Trace)

	// Unless nil they are told of each call in a trace, before and after.
	enter func(r *running, c *calltree.Call)
	call  func(r *running, c *calltree.Call)
	start func(child, parent *running)
	over  func(r *running) // the goroutine has nothing more to do in the trace
}

const maxBefore = 1 << 14

func newCollector(p *recording.Process, several bool, root func(*function.Func) bool) *collector {
	c := &collector{p: p, isRoot: p.Matcher(root), parents: make(map[uint64]uint64), ready: make(map[uint64]time.Duration), in: make(map[uint64]*running), before: make(map[uint64]*running), waits: p.File.Info().Waiting}
	if several {
		c.label = p.Label
	}
	return c
}

func (c *collector) follower() recording.Follower {
	return recording.Follower{Enter: c.onEnter, Call: c.onCall, Wait: c.onWait, Start: c.onStart, End: c.onEnd}
}

func (c *collector) onStart(goroutine, parent uint64, origin uint32) {
	c.parents[goroutine] = parent
	r := c.in[parent]
	if r == nil && c.recorded(origin) {
		// A goroutine's start is recorded with its first event, when the trace may have ended.
		r = c.before[parent]
	}
	if r == nil || c.isRoot == nil && r.own && r.trace.Root.Name == "main.main" {
		return
	}
	child := &running{trace: r.trace, goroutine: goroutine}
	r.trace.Goroutines++
	c.in[goroutine] = child
	if c.start != nil {
		c.start(child, r)
	}
}

// onWait notes how long a new goroutine was ready.
func (c *collector) onWait(w *calltree.Call) {
	if w.Site == 0 {
		c.ready[w.Goroutine] = time.Duration(c.p.Scale.Nanoseconds(w.End - w.Wait.Ready))
	}
}

// recorded reports whether a go statement is in a recorded function, and so in a recorded call.
func (c *collector) recorded(origin uint32) bool {
	if c.sites == nil {
		c.sites = make(map[string]bool)
		c.p.File.Funcs(func(_ uint32, f tracefile.Func) bool {
			c.sites[f.Name] = true
			return true
		})
	}
	o, ok := c.p.File.Origin(origin)
	return ok && c.sites[o.Func]
}

// left notes that a goroutine has ended its part of a trace.
func (c *collector) left(goroutine uint64, r *running) {
	if _, ok := c.before[goroutine]; !ok {
		if len(c.recent) < maxBefore {
			c.recent = append(c.recent, goroutine)
		} else {
			delete(c.before, c.recent[c.oldest])
			c.recent[c.oldest] = goroutine
			c.oldest = (c.oldest + 1) % maxBefore
		}
	}
	c.before[goroutine] = r
}

func (c *collector) onEnd(goroutine uint64) {
	delete(c.parents, goroutine)
	delete(c.ready, goroutine)
	r := c.in[goroutine]
	delete(c.in, goroutine)
	if r != nil {
		c.left(goroutine, r)
		if c.over != nil {
			c.over(r)
		}
	}
}

func (c *collector) onEnter(call *calltree.Call) {
	r := c.in[call.Goroutine]
	ready, first := c.ready[call.Goroutine]
	if first {
		delete(c.ready, call.Goroutine)
	}
	if r == nil {
		if c.isRoot == nil && call.Depth > 0 || c.isRoot != nil && !c.isRoot(call.Site) {
			return
		}
		fn, ok := c.p.File.Func(call.Site)
		if !ok {
			return
		}
		t := &Trace{Root: &fn.Func, Parent: c.parents[call.Goroutine], Open: true, Waiting: c.waits, Ready: ready}
		t.Goroutine = recording.GoroutineID{Process: c.label, ID: call.Goroutine}
		at := c.p.File.Nanos(call.Began)
		t.Start = c.p.Since + time.Duration(at)
		t.StartTime = c.p.File.Info().Start.Add(time.Duration(at))
		r = &running{trace: t, goroutine: call.Goroutine, own: true, depth: call.Depth}
		if c.began != nil && !c.began(r, call) {
			return
		}
		c.in[call.Goroutine] = r
	}
	r.trace.Calls++
	r.ready = ready
	if c.enter != nil {
		c.enter(r, call)
	}
}

func (c *collector) onCall(call *calltree.Call) {
	r := c.in[call.Goroutine]
	if r == nil || call.Flags&calltree.Info != 0 {
		return
	}
	t := r.trace
	if call.Flags&calltree.Long != 0 { // its beginning was not told
		t.Calls++
		return
	}
	if call.Flags&calltree.Panicked != 0 {
		t.Panics++
	}
	if call.Flags&calltree.Failed != 0 {
		t.Errors++
	}
	if !t.Open {
		t.Detached++
	}
	t.Objects += call.Made.Objects
	t.Bytes += call.Made.Bytes
	if c.call != nil {
		c.call(r, call)
	}
	if !r.own || call.Depth != r.depth {
		return
	}
	t.Duration = time.Duration(c.p.Scale.Nanoseconds(call.End - call.Began))
	t.Open = call.Flags&calltree.Open != 0
	t.Off.Add(call.Off, c.p.Scale)
	const recovered = calltree.Panicked | calltree.Recovered
	t.Failed = call.Flags&calltree.Failed != 0 || call.Flags&recovered == calltree.Panicked
	delete(c.in, call.Goroutine)
	c.left(call.Goroutine, r)
	c.ended(t)
	if c.over != nil {
		c.over(r)
	}
}
