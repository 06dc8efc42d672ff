package traces

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A State is what a goroutine does.
type State uint8

const (
	Running State = iota
	Runnable
	Waiting
)

var states = [...]string{"running", "runnable", "waiting"}

func (s State) String() string { return states[s] }

// A Segment is a part of a critical path: a goroutine in one state.
type Segment struct {
	Start, Duration time.Duration // Start is since the root call began
	Goroutine       uint64
	Func            *function.Func // the function of Parts[0]
	Parts           []Part         // the innermost calls of that time, the longest time first; they add up to Duration
	State           State
	Reason          tracefile.WaitReason // of Waiting
	Ender           uint64               // of Waiting: the goroutine that ended it, as by unlocking; 0 if none is known

	// Waker is the goroutine that had made this one ready when the segment began, or had started it.
	// The segment before is that one's, if it was recorded. 0 if it was none.
	Waker   uint64
	Started bool

	from, to uint64 // clock
}

// A Part is the time that a segment spent in calls of a function themselves.
type Part struct {
	Func     *function.Func // nil: in no recorded call
	Args     string         // of the calls, if they were asked for and recorded
	Duration time.Duration

	ticks uint64
}

// A Critical is the critical path of a trace. It goes from the end of the root call back to what
// made its goroutine ready. From there it goes back on that goroutine, and so on. Where that
// goroutine begins, and its starter is not recorded, the path goes on with the one that waited.
// What is on it could not be faster without the trace being faster.
type Critical struct {
	Trace    *Trace
	Segments []Segment // in the order of time; they add up to the trace's duration
}

// A pause is a time in which a goroutine did not run. Times are clocks.
type pause struct {
	from, ready, to uint64
	waker           uint64
	reason          tracefile.WaitReason
	first           bool // since it was made
}

// A past is what is known of a goroutine while a trace lasts.
type past struct {
	pauses  []pause // in the order of their ends
	parent  uint64
	started uint64 // clock of its first event; 0 if that was before
}

// lateWait is how long after its end a wait may be said.
const lateWait = 100 * time.Millisecond

// mostPauses bounds the memory for the pauses of a trace, of 40 bytes each.
const mostPauses = 2 << 20

// FindCritical returns the critical path of the trace with a key. The recording must say when
// goroutines ran. With values it shows arguments. Errors are as of Find.
func FindCritical(set *tracefile.Set, filter *recording.Filter, key Key, values *value.Printer) (*Critical, []recording.Summary, error) {
	f := from(filter, key)
	w := &walker{past: make(map[uint64]*past)}
	read, err := f.Follow(set, func(p *recording.Process) recording.Follower { return w.follow(p, set, key) })
	switch {
	case w.trace == nil:
		return nil, read, errors.Join(err, fmt.Errorf("%w: %v", ErrNoTrace, key))
	case w.pauses > mostPauses:
		return nil, read, fmt.Errorf("%v: goroutines stop more than %s times while it lasts: too often for its critical path", key, units.Count(mostPauses))
	}
	c := &Critical{w.trace, w.walk()}
	n := &namer{p: w.p, segments: make(map[uint64][]*Segment), stacks: make(map[uint64]*stack), left: len(c.Segments), values: values}
	for i := range c.Segments {
		s := &c.Segments[i]
		n.segments[s.Goroutine] = append(n.segments[s.Goroutine], s)
	}
	_, nameErr := f.Follow(set, n.follow)
	n.end()
	for i := range c.Segments {
		n.finish(&c.Segments[i])
	}
	return c, read, errors.Join(err, nameErr)
}

// A walker gathers what goroutines do while a trace lasts, and walks back through it.
type walker struct {
	p        *recording.Process
	trace    *Trace
	from, to uint64 // clocks of the root call
	ended    bool
	past     map[uint64]*past
	pauses   int
	segments []Segment // the latest first
}

// follow returns what is to be told of a process.
func (w *walker) follow(p *recording.Process, set *tracefile.Set, key Key) recording.Follower {
	c := keyed(p, set, nil, key)
	began := c.began
	c.began = func(r *running, call *calltree.Call) bool {
		if !began(r, call) {
			return false
		}
		if r.Data.other {
			return true
		}
		w.p, w.trace = p, r.Data.trace
		return true
	}
	c.ended = func(_ *running, call *calltree.Call) { w.ended, w.from, w.to = true, call.Began, call.End }
	to := c.follower()
	enter := to.Enter
	to.Enter = func(call *calltree.Call) {
		enter(call)
		if c.label == key.Goroutine.Process {
			w.of(call.Goroutine)
		}
	}
	to.Event = func(ev *tracefile.Event) {
		if c.label == key.Goroutine.Process {
			w.event(ev)
		}
	}
	to.Done = func(clock uint64) bool {
		// A wait may be said late.
		return w.pauses > mostPauses || w.ended && p == w.p && p.File.Nanos(clock) > p.File.Nanos(w.to)+int64(lateWait)
	}
	return to
}

func (w *walker) of(goroutine uint64) *past {
	g := w.past[goroutine]
	if g == nil {
		g = new(past)
		w.past[goroutine] = g
	}
	return g
}

// event notes starts and pauses.
func (w *walker) event(ev *tracefile.Event) {
	switch ev.Kind {
	case tracefile.Start:
		g := w.of(ev.Goroutine)
		g.parent, g.started = ev.Value, ev.Clock
	case tracefile.Waited:
		g, said := w.of(ev.Goroutine), ev.Wait()
		to := ev.Clock - min(said.Ago, ev.Clock)
		g.pauses = append(g.pauses, pause{
			to - min(said.Total, to), to - min(said.Runnable, to), to, said.Waker, said.Reason, ev.Clock == g.started,
		})
		w.pauses++
	}
}

// A hop is where the walk left a waiting goroutine for the one that has woken it.
type hop struct {
	goroutine uint64
	pause
}

// walk returns the segments.
func (w *walker) walk() []Segment {
	id, now := w.trace.Goroutine.ID, w.to
	var hops []hop
	// back goes on where nobody knows what the goroutine waited for: it did not exist before.
	back := func() {
		for n := len(hops); n > 0; n-- {
			h := hops[n-1]
			hops = hops[:n-1]
			if id = h.goroutine; h.from < now {
				w.add(Segment{Goroutine: id, State: Waiting, Reason: h.reason, Ender: h.waker}, h.from, now)
				now = h.from
				return
			}
		}
		id = w.trace.Goroutine.ID
	}
	start := func(parent uint64) {
		if w.past[parent] != nil {
			id = parent
		} else {
			back()
		}
	}
	for now > w.from {
		g := w.of(id)
		p, ok := g.before(now)
		switch {
		case !ok && g.started >= now && id != w.trace.Goroutine.ID:
			back()
		case !ok && g.started > w.from && g.started < now:
			// Since when it was ready before nobody knows.
			w.add(Segment{Goroutine: id, State: Running, Waker: g.parent, Started: true}, g.started, now)
			now = g.started
			start(g.parent)
		case !ok:
			w.add(Segment{Goroutine: id, State: Running}, w.from, now)
			now = w.from
		default:
			s := Segment{Goroutine: id, State: Running}
			if p.ready < p.to {
				w.add(s, p.to, now)
				s.State, now = Runnable, p.to
			}
			s.Waker, s.Started = p.waker, p.first && p.reason == tracefile.WaitNone
			w.add(s, p.ready, now)
			now = p.ready
			switch {
			case s.Started && id != w.trace.Goroutine.ID:
				start(p.waker)
			case p.waker != 0 && p.waker != id && w.past[p.waker] != nil:
				hops = append(hops, hop{id, p})
				id = p.waker
			default:
				w.add(Segment{Goroutine: id, State: Waiting, Reason: p.reason, Ender: p.waker}, p.from, now)
				now = p.from
			}
		}
	}
	slices.Reverse(w.segments)
	return w.segments
}

// before returns the latest pause that is over at a clock. No later one is asked for any more.
func (g *past) before(clock uint64) (p pause, ok bool) {
	for n := len(g.pauses); n > 0; n-- {
		p = g.pauses[n-1]
		g.pauses = g.pauses[:n-1]
		if p.to <= clock {
			return p, true
		}
	}
	return pause{}, false
}

// add adds a segment between two clocks, as far as it is in the trace and lasts.
func (w *walker) add(s Segment, from, to uint64) {
	if from = max(from, w.from); from >= to {
		return
	}
	at := func(clock uint64) time.Duration { return time.Duration(w.p.Scale.Nanoseconds(clock - w.from)) }
	s.from, s.to, s.Start, s.Duration = from, to, at(from), at(to)-at(from)
	w.segments = append(w.segments, s)
}
