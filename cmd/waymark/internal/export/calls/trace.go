package calls

import (
	"strconv"

	"github.com/waymark-go/waymark/tracefile"
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

// A member says in which trace a goroutine is, if it is in one, and whether the root call is its own.
type member struct {
	trace *Trace
	own   bool
}

// members are those that have left their traces. A goroutine's start is recorded with its first
// event, when the call that has started it may have ended.
type members struct {
	before   map[uint64]member // by goroutine
	recent   []uint64          // the keys of before, the oldest first from oldest on
	oldest   int
	recorded map[string]bool // names of recorded functions, once they are needed
}

// maxBefore bounds what is kept of goroutines that have ended.
const maxBefore = 1 << 14

// join puts a goroutine that begins into the trace of the one that has started it. What main.main
// starts has traces of its own: else all that a program does would be one trace.
func (f *follower) join(g *Goroutine) {
	var in member
	if parent := f.goroutines[g.Parent]; parent != nil {
		in = parent.in
		if n := len(parent.open); n > 0 {
			g.starter = parent.open[n-1].id
		}
		if f.Start != nil {
			f.Start(parent, g)
		}
	}
	if in.trace == nil && f.fromRecorded(g.Origin) {
		in = f.before[g.Parent]
	}
	if in.trace != nil && !(in.own && in.trace.Root.Name == "main.main") {
		g.in = member{trace: in.trace}
	}
}

// fromRecorded reports whether a go statement is in a recorded function, and so in a recorded call.
func (f *follower) fromRecorded(o tracefile.Origin) bool {
	if f.recorded == nil {
		f.recorded = make(map[string]bool)
		f.process.File.Funcs(func(_ uint32, fn tracefile.Func) bool {
			f.recorded[fn.Name] = true
			return true
		})
	}
	return f.recorded[o.Func]
}

// leave notes that a goroutine has nothing more to do in its trace.
func (f *follower) leave(g *Goroutine) {
	if g.in.trace == nil {
		return
	}
	if _, ok := f.before[g.ID]; !ok {
		if len(f.recent) < maxBefore {
			f.recent = append(f.recent, g.ID)
		} else {
			delete(f.before, f.recent[f.oldest])
			f.recent[f.oldest] = g.ID
			f.oldest = (f.oldest + 1) % maxBefore
		}
	}
	f.before[g.ID] = g.in
	g.in = member{}
}
