//go:build linux && amd64

package patch

import (
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Call is one that has begun or ended. Times are in ticks.
type Call struct {
	Site      *Site
	Goroutine uint64
	Began     uint64
	Ended     uint64 // 0: it has not
	Returned  bool   // else a panic or Goexit has left it; a call counts as returned if ends of its function were dropped
	Callees   uint64 // time of patched functions that it called
	Caller    *Call  // the patched function that has called it, directly or not; nil: none

	token uint32
}

// A Follower makes calls of events.
type Follower struct {
	Begin, End func(*Call) // called in the order of time; Call is valid until End returns

	target *Target
	queues []queue
	stacks map[uint64][]*Call // by goroutine
	spare  []*Call
}

// A queue is events of one of the scheduler's Ps that have not been told.
type queue struct {
	goroutine uint64 // of the latest one
	known     bool
	events    []event
	next      int
}

type event struct {
	clock, word, goroutine uint64
}

// Follow makes a follower of a target.
func (t *Target) Follow() *Follower { return &Follower{target: t, stacks: make(map[uint64][]*Call)} }

// Add takes the events of a part, which Tell tells.
func (f *Follower) Add(p *Part) {
	for int(p.Head.Stream) >= len(f.queues) {
		f.queues = append(f.queues, queue{})
	}
	q := &f.queues[p.Head.Stream]
	if !q.known || p.From == format.ChunkHeader {
		q.goroutine, q.known = p.Goroutine(), true
	}
	if q.next > 0 {
		q.events, q.next = append(q.events[:0], q.events[q.next:]...), 0
	}
	for _, r := range p.Records() {
		if other, ok := Switch(r); ok {
			q.goroutine = other
			continue
		}
		q.events = append(q.events, event{r.Clock, r.Word, q.goroutine})
	}
}

// Tell tells the events until a clock: those of all Ps are known until then.
func (f *Follower) Tell(until uint64) {
	for {
		var first *queue
		next := until // the clock at which another queue's turn is
		for i := range f.queues {
			q := &f.queues[i]
			if q.next == len(q.events) {
				continue
			}
			switch clock := q.events[q.next].clock; {
			case first == nil && clock < until:
				first = q
			case first != nil && clock < first.events[first.next].clock:
				next = min(next, first.events[first.next].clock)
				first = q
			default:
				next = min(next, clock)
			}
		}
		if first == nil {
			return
		}
		for more := true; more; more = first.next < len(first.events) && first.events[first.next].clock <= next && first.events[first.next].clock < until {
			f.tell(&first.events[first.next])
			first.next++
		}
	}
}

func (f *Follower) tell(e *event) {
	site := int(e.word >> format.SiteShift & format.SiteMask)
	if site == 0 || site >= len(f.target.sites) {
		return
	}
	token, stack := uint32(e.word), f.stacks[e.goroutine]
	ends := e.word&format.ExitBit != 0
	// Calls that are deeper than this one are gone: a panic has left them. So is one in the same place, if another
	// one begins there.
	for n := len(stack); n > 0 && (stack[n-1].token > token || !ends && stack[n-1].token == token); n = len(stack) {
		f.end(stack[n-1], e.clock, false)
		stack = stack[:n-1]
	}
	if !ends {
		c := f.take()
		*c = Call{Site: f.target.sites[site], Goroutine: e.goroutine, Began: e.clock, token: token}
		if len(stack) > 0 {
			c.Caller = stack[len(stack)-1]
		}
		f.stacks[e.goroutine] = append(stack, c)
		f.Begin(c)
		return
	}
	if n := len(stack); n > 0 && stack[n-1].token == token && stack[n-1].Site.Number == uint32(site) {
		f.end(stack[n-1], e.clock, true)
		stack = stack[:n-1]
	}
	if len(stack) == 0 {
		delete(f.stacks, e.goroutine)
		return
	}
	f.stacks[e.goroutine] = stack
}

func (f *Follower) take() *Call {
	if n := len(f.spare); n > 0 {
		c := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return c
	}
	return new(Call)
}

func (f *Follower) end(c *Call, clock uint64, returned bool) {
	if !returned {
		_, dropped := f.target.Dropped(c.Site.Number)
		returned = dropped > 0
	}
	c.Ended, c.Returned = clock, returned
	if c.Caller != nil {
		c.Caller.Callees += clock - min(c.Began, clock)
	}
	f.End(c)
	f.spare = append(f.spare, c)
}

// Drop forgets calls in progress of functions that aren't patched any more: their ends will not be told.
func (f *Follower) Drop() {
	for goroutine, stack := range f.stacks {
		if stack = slices.DeleteFunc(stack, func(c *Call) bool { return !c.Site.on }); len(stack) == 0 {
			delete(f.stacks, goroutine)
		} else {
			f.stacks[goroutine] = stack
		}
	}
}
