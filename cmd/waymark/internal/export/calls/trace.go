package calls

import (
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// A Trace is a root call with what it makes, also on goroutines that it starts: as `waymark traces`
// has them. Of calls that a filter leaves out nobody knows here.
type Trace struct {
	ID        uint64 // of the root call
	Root      *Function
	Process   *Process
	Goroutine uint64
	Began     int64 // when the root call did

	several bool // processes
}

// Key names the trace, as the list of `waymark traces` does.
func (t *Trace) Key() string {
	key := strconv.FormatUint(t.Goroutine, 10) + "-" + strconv.FormatInt(t.Began, 10)
	if t.several {
		key = t.Process.Label + "/" + key
	}
	return key
}

// trace returns the trace that begins with a call.
func (f *follower) trace(c *Call) *Trace {
	return &Trace{ID: c.ID, Root: c.Function, Process: c.Goroutine.Process, Goroutine: c.Goroutine.ID, Began: c.Began, several: f.several}
}

// A strand is what a goroutine does in a trace.
type strand = recording.Strand[*Trace]

// newMembers returns what knows the goroutines of traces. Of goroutines that outlive the trace that started
// them, which are out, later calls are traces of their own.
func (f *follower) newMembers(out map[uint64]bool) {
	m := recording.NewMembers[*Trace](f.process.Process)
	m.Default = true
	m.Root = func(c *calltree.Call) bool { return c.Depth == 0 || out[c.Goroutine] }
	m.Again = func(c *calltree.Call) bool { return out[c.Goroutine] }
	m.Begin = func(s *strand, c *calltree.Call) bool {
		s.Data = f.trace(&f.call)
		return true
	}
	m.Join = func(s, starter *strand) { s.Data = starter.Data }
	m.Over = func(*strand, *calltree.Call) {}
	m.Leave = func(*strand, bool) {}
	f.members = m
}

// spawn notes that a goroutine starts another one: in which call.
func (f *follower) spawn(goroutine, child, clock uint64) {
	f.members.Spawn(goroutine, child, clock)
	parent := f.goroutines[goroutine]
	if parent == nil {
		parent = f.spawned.Get(goroutine) // it has no calls, and works in that which has started it
	}
	if parent == nil {
		return
	}
	g := &Goroutine{Process: f.process, ID: child, Spawned: f.at(clock)}
	f.startedBy(g, parent)
	f.spawned.Put(child, g)
}

// startedBy notes the call of parent that has started g.
func (f *follower) startedBy(g, parent *Goroutine) {
	switch n := len(parent.open); {
	case n > 0:
		g.starter = parent.open[n-1].id
	case !parent.begun:
		g.starter = parent.starter
	}
	if f.Start != nil {
		f.Start(parent, g)
	}
}
