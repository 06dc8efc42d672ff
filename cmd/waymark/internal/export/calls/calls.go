// Package calls tells the calls of recordings one after the other, as formats of events and of rows
// want them. A call has names, nanoseconds, an id, and values as text.
//
//	read, err := calls.Tell(set, filter, calls.Options{}, calls.Listener{Begin: begin, End: end})
//
// Memory grows with the calls that are open and the goroutines alive, not with the recording.
package calls

import (
	"bytes"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// Options say what is told.
type Options struct {
	// Whole keeps the arguments of a call until End. Without it only Begin has them.
	Whole bool

	// Traces says that Trace of calls is of interest: recordings are read once more for it.
	Traces bool

	// Progress, unless nil, is called now and then with how much of the time has been read.
	Progress func(done, all time.Duration)
}

// A Listener is told of calls. Its first error ends the reading.
type Listener struct {
	Begin func(*Call) error // unless nil; Single calls have no beginning
	End   func(*Call) error

	// Start, unless nil, is told that a goroutine has started another, whose calls come later, if any.
	// Both are valid until it returns.
	Start func(parent, child *Goroutine)

	// Wait, unless nil, is told when a goroutine runs again that did not run while it had a call open
	// that the filter shows. If the filter selects no calls, Wait is also told of the time before the
	// goroutine's first call. The Wait is valid until it returns.
	Wait func(*Wait) error
}

// A Wait is time in which a goroutine did not run. Times are ns as those of calls.
type Wait struct {
	Goroutine  *Goroutine
	Start, End int64
	Ready      int64  // from then on it was ready, and had no processor
	Reason     string // why it did not run until then, as tracefile.WaitReason
	Waker      uint64 // the goroutine that made it ready; 0 if it was none, or is unknown
}

// A Goroutine is one that makes calls.
type Goroutine struct {
	Process *Process
	ID      uint64
	Parent  uint64           // id of the goroutine that has started it, 0 if unknown
	Origin  tracefile.Origin // the go statement, zero if unknown
	Spawned int64            // when the go statement was executed, as times of calls; 0 if unknown
	Own     any              // the listener's; nil at first

	open    []open
	begun   bool   // a call has been told
	starter uint64 // see Call.Starter
}

// A Process is one of a set.
type Process struct {
	*recording.Process
	Index int // in the set
	PID   int

	functions map[uint32]*Function // by site
	self      []uint64             // by index of a Function: ticks that its calls have taken
}

// A Function is an instrumented function that was called.
type Function struct {
	tracefile.Func
	Index int // from 0 on, in the order of first calls
}

// A Call is one call. Times are ns since the start of the set's first recording.
type Call struct {
	ID, Caller uint64 // from 1 on in the order of beginnings; Caller is 0 for root calls
	Starter    uint64 // of root calls: the call that has started the goroutine, as far as known; else 0
	Trace      *Trace // nil for Single calls outside of traces
	Goroutine  *Goroutine
	Function   *Function
	Depth      int   // 0 for root calls
	First      bool  // of the goroutine's calls
	Start      int64 // within the window
	Began      int64 // before Start if the window begins later than the call

	// When the call ends.
	End      int64 // within the window
	Duration int64 // End - Start, as the clock has it
	Self     int64 // Duration without the calls that it made; see Tell
	Flags    calltree.Flags

	// SelfOff is the part of Self in which the goroutine did not run; nil if it always did, or if that was
	// not recorded. It is valid until the Listener returns.
	SelfOff *calls.Off

	// Recursive: a call of the same function is around it. Durations of other calls of a function add
	// up to its total.
	Recursive bool

	args, results, panicked []byte
}

// Single reports whether the call is told by End only. Such a call is one of an info function,
// which takes no time. Or it is a counted call that began before what is read: its callees were
// told before it.
func (c *Call) Single() bool { return c.Flags&(calltree.Info|calltree.Long) != 0 }

// open is a call that has begun.
type open struct {
	id    uint64
	trace *Trace
	args  []byte
}

// A teller makes Calls of what the model tells.
type teller struct {
	Options
	Listener
	functions map[function.Identity]*Function
	last      uint64 // id
	call      Call   // what the Listener is given
	waited    Wait   // the same
	off       calls.Off
	err       error

	several     bool          // processes
	from, until time.Duration // of what is read
	events      uint64
}

// Tell tells the listener the calls of all processes of a set that the filter shows, in the order
// of time. Self times are rounded so that the sum of a function is that of its ticks. On an error,
// what could be read has been told.
func Tell(set *tracefile.Set, filter *recording.Filter, o Options, l Listener) ([]recording.Summary, error) {
	t := &teller{Options: o, Listener: l, functions: make(map[function.Identity]*Function), several: len(set.Processes) > 1, from: filter.From, until: set.Duration()}
	if filter.To > 0 {
		t.until = min(t.until, filter.To)
	}
	var out []map[uint64]bool
	if o.Traces {
		var err error
		if out, err = recording.Outliving(set, filter); len(out) == 0 {
			return nil, err
		}
	}
	index := 0
	read, err := filter.Follow(set, func(p *recording.Process) recording.Follower {
		f := &follower{teller: t, process: &Process{Process: p, Index: index, PID: p.File.Info().PID, functions: make(map[uint32]*Function)},
			goroutines: make(map[uint64]*Goroutine)}
		if o.Traces {
			f.newMembers(out[index])
		} else {
			f.newMembers(nil)
		}
		index++
		to := recording.Follower{Enter: f.enter, Call: f.exit, Start: f.start, End: f.end, Spawn: f.spawn, Done: f.done}
		if l.Wait != nil {
			to.Wait = f.wait
		}
		return to
	})
	if t.err != nil {
		err = t.err
	}
	return read, err
}

// A follower follows a process.
type follower struct {
	*teller
	process    *Process
	goroutines map[uint64]*Goroutine
	spawned    recording.Recent[*Goroutine] // those that were started, and have no event yet
	members    *recording.Members[*Trace]
}

func (f *follower) goroutine(id uint64) *Goroutine {
	g := f.goroutines[id]
	if g == nil {
		g = &Goroutine{Process: f.process, ID: id}
		f.goroutines[id] = g
	}
	return g
}

func (f *follower) start(goroutine, parent uint64, origin uint32) {
	g := f.spawned.Take(goroutine)
	if g != nil {
		f.goroutines[goroutine] = g
	} else if g = f.goroutine(goroutine); !f.members.Knows() && f.goroutines[parent] != nil {
		f.startedBy(g, f.goroutines[parent])
	}
	g.Parent = parent
	g.Origin, _ = f.process.File.Origin(origin)
	f.members.Start(goroutine, parent, origin)
}

func (f *follower) end(g *calltree.Goroutine) {
	f.members.End(g)
	delete(f.goroutines, g.ID)
}

// progressStep is the number of events between two calls of Progress.
const progressStep = 1 << 18

func (f *follower) done(clock uint64) bool {
	if f.events++; f.events%progressStep == 0 && f.Progress != nil {
		now := f.process.Since + time.Duration(f.process.File.Nanos(clock))
		f.Progress(now-f.from, f.until-f.from)
	}
	return f.err != nil
}

// function returns the function of a site. Sites of one function share it.
func (f *follower) function(site uint32) *Function {
	fn := f.process.functions[site]
	if fn == nil {
		known, _ := f.process.File.Func(site)
		fn = f.teller.functions[known.Identity()]
		if fn == nil {
			identity := known.Identity()
			for _, text := range []*string{&known.Name, &known.Package, &known.File} {
				*text = strings.ToValidUTF8(*text, "\ufffd") // as formats want it
			}
			fn = &Function{known, len(f.teller.functions)}
			f.teller.functions[identity] = fn
		}
		f.process.functions[site] = fn
	}
	return fn
}

// at returns a clock as ns since the start of the first recording.
func (f *follower) at(clock uint64) int64 {
	return int64(f.process.Since) + f.process.File.Nanos(clock)
}

// begin fills in what is known of a call when it begins.
func (f *follower) begin(g *Goroutine, c *calltree.Call) {
	f.last++
	f.call = Call{ID: f.last, Goroutine: g, Function: f.function(c.Site), Depth: c.Depth, First: !g.begun, Flags: c.Flags}
	g.begun = true
	f.times(c)
	if n := min(c.Depth, len(g.open)); n > 0 {
		f.call.Caller = g.open[n-1].id
	} else {
		f.call.Starter = g.starter
	}
	in := f.members.Of(g.ID)
	if !f.call.Single() {
		in = f.members.Enter(c)
	}
	if in != nil {
		f.call.Trace = in.Data
	} else if !f.call.Single() { // of a function that nobody knows
		f.call.Trace = f.trace(&f.call)
	}
}

func (f *follower) times(c *calltree.Call) {
	f.call.Start = f.at(c.Start)
	f.call.Began = f.call.Start
	if c.Began < c.Start {
		f.call.Began = f.at(c.Began)
	}
}

func (f *follower) enter(c *calltree.Call) {
	if f.err != nil {
		return
	}
	g := f.goroutine(c.Goroutine)
	f.begin(g, c)
	begun := open{id: f.last, trace: f.call.Trace}
	if f.Whole {
		begun.args = bytes.Clone(c.Args)
	}
	g.open = append(g.open[:min(c.Depth, len(g.open))], begun)
	if f.Begin != nil {
		f.call.args = c.Args
		f.err = f.Begin(&f.call)
	}
}

func (f *follower) exit(c *calltree.Call) {
	if f.err != nil {
		return
	}
	g := f.goroutine(c.Goroutine)
	if c.Flags&(calltree.Info|calltree.Long) != 0 {
		f.begin(g, c)
		f.call.args = c.Args
	} else {
		begun := &g.open[c.Depth]
		f.call = Call{ID: begun.id, Trace: begun.trace, Goroutine: g, Function: f.function(c.Site), Depth: c.Depth, Flags: c.Flags, args: begun.args}
		if c.Depth > 0 {
			f.call.Caller = g.open[c.Depth-1].id
		} else {
			f.call.Starter = g.starter
		}
		begun.args = nil
		g.open = g.open[:c.Depth]
		f.times(c)
	}
	scale := f.process.Scale
	f.call.End = f.at(c.End)
	f.call.Duration = scale.Nanoseconds(c.End - c.Start)
	f.call.Self = f.self(f.call.Function.Index, c.Self)
	if c.Off != nil {
		f.off = calls.Off{}
		c.Off.Self.AddTo(&f.off, scale)
		f.call.SelfOff = &f.off
	}
	f.call.results, f.call.panicked, f.call.Recursive = c.Results, c.Panic, c.Recursive
	f.err = f.End(&f.call)
	if in := f.members.Of(g.ID); in != nil && !f.call.Single() {
		f.members.Exit(in, c)
	}
}

func (f *follower) wait(c *calltree.Call) {
	if f.err != nil {
		return
	}
	w := &f.waited
	*w = Wait{Goroutine: f.goroutine(c.Goroutine), Start: f.at(c.Start), End: f.at(c.End), Reason: c.Wait.Reason.String(), Waker: c.Wait.Waker}
	w.Ready = min(max(f.at(c.Wait.Ready), w.Start), w.End)
	f.err = f.Wait(w)
}

// self returns the self time of a call of a function in ns.
func (f *follower) self(function int, ticks uint64) int64 {
	p := f.process
	for len(p.self) <= function {
		p.self = append(p.self, 0)
	}
	before := p.Scale.Nanoseconds(p.self[function])
	p.self[function] += ticks
	return p.Scale.Nanoseconds(p.self[function]) - before
}
