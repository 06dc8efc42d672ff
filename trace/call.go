package trace

import (
	"sort"
	"time"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/value"
)

// A Call is a single call of a trace, with the calls that it made.
type Call struct {
	Func     *Func
	Start    time.Time
	Duration time.Duration // cumulative: of the call
	Self     time.Duration // exclusive: Duration without the calls that it made on its goroutine

	// Go says that this is an outermost call of a goroutine that the call above has started, or has set
	// the timer for that did. With Handed the goroutine ran before: the call above has handed work to
	// it, see Handoff.
	Go, Handed bool
	Goroutine  uint64

	Panicked  bool // a panic ended the call, or the call recovered a panic
	Recovered bool // the call recovered a panic, and returned
	Failed    bool // the call returned an error
	Exited    bool // runtime.Goexit ended the call
	Detached  bool // the call ended after the root call, or not yet
	Open      bool // the call had not ended when the trace was completed: Duration is until then, or less

	Calls []*Call // in the order in which they began

	// Args and Results are those that Watch has seen. In the tree of a trace each is a value.Value, which prints
	// itself, if Options.Values is set and the function was built with arguments and results; else they
	// are nil. Value is that of the latest panic that Watch has seen.
	Args    []any
	Results []any
	Value   any

	// Root is the root call, of a call that Watch has seen. While that is in progress other goroutines may
	// read its Func, Start, Goroutine and Args.
	Root *Call

	// Lost is the number of calls that are not in the tree, because a bound was reached. Only root
	// calls that Watch has seen have it: Trace.Lost is that of others.
	Lost uint64

	up       *Call
	from, to time.Duration // since the trace's start
}

// Call returns the root call, with all calls below it. Each call of Call makes a new tree.
func (t *Trace) Call() *Call {
	var root *Call
	begun := make(map[uint64][]*Call) // calls of goroutines in the order in which they began
	outer := make(map[uint64]*Call)   // what is above the outermost calls of goroutines
	for i := range t.strands {
		s := &t.strands[i]
		var above *Call
		if i > 0 {
			if above = starter(begun[s.Parent], s); above == nil { // the goroutine s.Parent was in no call
				above = outer[s.Parent]
			}
			if above == nil {
				above = root
			}
			outer[s.Goroutine] = above
		}
		list := t.calls(s, above)
		begun[s.Goroutine] = append(begun[s.Goroutine], list...)
		if i == 0 && len(list) > 0 {
			root = list[0]
		}
		if root == nil { // no event was gathered
			root = &Call{Func: t.Root, Start: t.Start, Duration: t.Duration, Self: t.Duration, Goroutine: t.Goroutine, to: t.Duration}
		}
	}
	if root != nil {
		root.sort()
	}
	return root
}

// calls makes the calls of a strand, and puts the outermost ones below the call that started the
// goroutine.
func (t *Trace) calls(s *gather.Strand, above *Call) (list []*Call) {
	at, rest := above, s.Values
	values := func(ev *gather.Event) (list []any) {
		var data []byte
		if data, rest = rest[:ev.Size], rest[ev.Size:]; len(data) == 0 || t.types == nil {
			return nil
		}
		known, _ := value.Decode(data, t.types.Find) // those that there was room for
		for _, v := range known {
			list = append(list, v)
		}
		return list
	}
	last := t.Duration
	if n := len(s.Events); n > 0 {
		last = max(last, s.Events[n-1].At)
	}
	end := func(c *Call, to time.Duration) {
		c.to = to
		c.Duration = max(to-c.from, 0)
		c.Self = max(c.Self+c.Duration, 0)
		if c.up != nil && !c.Go {
			c.up.Self -= c.Duration
		}
	}
	walk(s, func(ev *gather.Event) {
		c := &Call{Func: ev.Func, Start: t.Start.Add(ev.At), Goroutine: s.Goroutine, Args: values(ev), from: ev.At, to: -1, up: at}
		c.Go = at != nil && at == above
		c.Handed = c.Go && s.Handed
		if at != nil {
			at.Calls = append(at.Calls, c)
		}
		list = append(list, c)
		at = c
	}, func(ev *gather.Event, how outcome) {
		c := at
		c.Results = values(ev)
		c.Panicked, c.Recovered, c.Failed, c.Exited, c.Detached = how.panicked, how.recovered, how.failed, how.exited, ev.At > t.Duration
		end(c, ev.At)
		at = c.up
	})
	for c := at; c != nil && c != above; c = c.up {
		c.Open, c.Detached = true, true
		end(c, last)
	}
	return list
}

// starter returns the call that has started a goroutine, among those of the goroutine that it made
// it; nil if it isn't there.
func starter(list []*Call, s *gather.Strand) *Call {
	n := sort.Search(len(list), func(i int) bool { return list[i].from > s.Started })
	if s.By == nil || n == 0 {
		return nil
	}
	for c := list[n-1]; c != nil && c.Goroutine == list[0].Goroutine; c = c.up { // the calls in progress are among these
		if c.Func == s.By && c.to >= s.Started {
			return c
		}
	}
	return nil
}

// sort puts calls into the order in which they began: goroutines were added behind.
func (c *Call) sort() {
	sort.SliceStable(c.Calls, func(i, j int) bool { return c.Calls[i].from < c.Calls[j].from })
	for _, below := range c.Calls {
		below.sort()
	}
}
