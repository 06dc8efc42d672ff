//go:build linux && amd64

package patch

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Call is one that has begun or ended. Times are in ticks.
type Call struct {
	Site      *Site
	Goroutine uint64
	Began     uint64
	Ended     uint64 // 0: it has not
	End       End
	Callees   uint64   // time of patched functions that it called
	Caller    *Call    // the patched function that has called it, directly or not; nil: none
	Stack     []uint64 // return addresses in the file, the innermost first, if they are recorded
	Args      []byte   // as they were copied, see Values.Args; nil: they weren't
	Results   []byte   // the same, of a call that has returned
	Recovered bool     // it has recovered a panic itself
	Failed    bool     // it has returned an error, as its last result
	Unsure    bool     // events were lost meanwhile: this may be the end of another call, whose beginning is among them

	token uint32
	begun place // where its beginning was
}

// A place is a part of a P's events, all of one goroutine, in which none were lost.
type place struct{ stream, part uint32 }

// An End is how a call ended.
type End uint8

// Ends of calls.
const (
	Returned End = iota // also where the end was dropped
	Panicked            // a panic has left it
	Exited              // runtime.Goexit has left it
)

// A Follower makes calls of events.
type Follower struct {
	Begin, End func(*Call)                   // called in the order of time; Call is valid until End returns
	Spawn      func(goroutine, child uint64) // nil, or called when a goroutine starts another one
	Hit        func(*Call)                   // nil, or called where a line is reached: the call has Args, which are variables
	Over       func(goroutine uint64)        // nil, or called when a goroutine has ended

	target     *Target
	queues     []queue
	goroutines map[uint64]*goroutine // that have calls in progress
	lost       uint64                // clock until which events were lost, the latest such
	spare      []*Call
}

// A goroutine has calls, and panics that go on.
type goroutine struct {
	stack     []*Call
	unwinding []unwinding
}

// An unwinding is a panic or a Goexit: End says which. It has left calls below its base: those above are of deferred
// functions.
type unwinding struct {
	end   End
	token uint32
	base  int
}

// A queue is events of one of the scheduler's Ps that have not been told.
type queue struct {
	part      uint32 // grows with each switch to another goroutine, and each time that events were lost
	goroutine uint64 // of the latest one
	chunk     uint64 // number of the chunk that was added last
	end       int    // until where
	events    []event
	next      int
	fails     bool       // the next event is the end of a call that returns an error
	stacks    [][]uint64 // of the events that have one, in their order
	copies    [][]byte   // the same
}

type event struct {
	clock, word, goroutine uint64 // the goroutine's id, with bits of what the event has
	at                     place
}

// Bits that no goroutine's id has.
const (
	hasStack = 1 << 63
	hasCopy  = 1 << 62
	hasError = 1 << 61
)

// Follow makes a follower of a target.
func (t *Target) Follow() *Follower {
	return &Follower{target: t, goroutines: make(map[uint64]*goroutine)}
}

// Add takes the events of a part, which Tell tells.
func (f *Follower) Add(p *Part) {
	for int(p.Head.Stream) >= len(f.queues) {
		f.queues = append(f.queues, queue{})
	}
	q := &f.queues[p.Head.Stream]
	if p.From == format.ChunkHeader || p.From != q.end || p.Head.Seq != q.chunk { // else it goes on where the last part ended
		q.goroutine = p.Goroutine()
	}
	if p.From == format.ChunkHeader && p.Head.Lost > 0 {
		f.lost = max(f.lost, p.Head.Clock)
		q.part++
	}
	q.chunk, q.end = p.Head.Seq, p.End
	if q.next > 0 {
		q.events, q.next = append(q.events[:0], q.events[q.next:]...), 0
	}
	list := p.Records()
	for i := 0; i < len(list); i++ {
		r := list[i]
		code, value, ok := codeOf(r)
		switch {
		case ok && code == format.CodeGo:
			q.goroutine = value
			q.part++
		case ok && code == trampoline.CodeStack:
			pcs, n := stackOf(list, i)
			i += n
			if last := len(q.events) - 1; n > 0 && last >= 0 && q.events[last].goroutine&hasStack == 0 {
				q.stacks = append(q.stacks, f.target.inFile(pcs))
				q.events[last].goroutine |= hasStack
			}
		case ok && code == trampoline.CodeCopied:
			b, n := copyOf(list, i)
			i += n
			if last := len(q.events) - 1; last >= 0 && q.events[last].goroutine&hasCopy == 0 {
				q.copies = append(q.copies, slices.Clone(b))
				q.events[last].goroutine |= hasCopy
			}
		case ok && code == format.CodeError:
			q.fails = true
		default:
			e := event{r.Clock, r.Word, q.goroutine, place{p.Head.Stream, q.part}}
			if q.fails {
				e.goroutine |= hasError
				q.fails = false
			}
			q.events = append(q.events, e)
		}
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
			e := &first.events[first.next]
			var stack []uint64
			if e.goroutine&hasStack != 0 {
				stack, first.stacks = first.stacks[0], first.stacks[1:]
				e.goroutine &^= hasStack
			}
			var copied []byte
			if e.goroutine&hasCopy != 0 {
				copied, first.copies = first.copies[0], first.copies[1:]
				e.goroutine &^= hasCopy
			}
			fails := e.goroutine&hasError != 0
			e.goroutine &^= hasError
			f.tell(e, stack, copied, fails)
			first.next++
		}
	}
}

// inFile returns a copy of addresses in the process, as the file has them.
func (t *Target) inFile(pcs []uint64) []uint64 {
	list := slices.Clone(pcs)
	for i := range list {
		list[i] -= t.bias
	}
	return list
}

func (f *Follower) tell(e *event, stack []uint64, copied []byte, fails bool) {
	if code, value, ok := codeOf(format.Record{Word: e.word}); ok {
		if code == format.CodeInfo {
			f.hit(e, int(value), stack, copied)
		} else {
			f.mark(e, code, value)
		}
		return
	}
	site := int(e.word >> format.SiteShift & format.SiteMask)
	if site == 0 || site >= len(f.target.sites) {
		return
	}
	token, ends := uint32(e.word), e.word&format.ExitBit != 0
	g := f.goroutines[e.goroutine]
	if g == nil {
		if ends {
			return
		}
		g = new(goroutine)
		f.goroutines[e.goroutine] = g
	}
	// Calls that are deeper than this one are gone: a panic has left them. So is one in the same place, if another
	// one begins there.
	for n := len(g.stack); n > 0 && (g.stack[n-1].token > token || !ends && g.stack[n-1].token == token); n = len(g.stack) {
		f.left(g, e)
	}
	g.settle(token)
	if !ends {
		c := f.take()
		*c = Call{Site: f.target.sites[site], Goroutine: e.goroutine, Began: e.clock, Stack: stack, Args: copied, token: token, begun: e.at}
		if n := len(g.stack); n > 0 {
			c.Caller = g.stack[n-1]
		}
		g.stack = append(g.stack, c)
		f.Begin(c)
		return
	}
	if n := len(g.stack); n > 0 && g.stack[n-1].token == token && g.stack[n-1].Site.Number == uint32(site) {
		g.stack[n-1].Results, g.stack[n-1].Failed = copied, fails
		f.end(g, e, Returned)
	}
	f.forget(e.goroutine, g)
}

// hit tells that a line was reached.
func (f *Follower) hit(e *event, site int, stack []uint64, copied []byte) {
	if f.Hit != nil && site > 0 && site < len(f.target.sites) && f.target.sites[site].Line != nil {
		f.Hit(&Call{Site: f.target.sites[site], Goroutine: e.goroutine, Began: e.clock, Ended: e.clock, Stack: stack, Args: copied})
	}
}

// mark tells what isn't a call.
func (f *Follower) mark(e *event, code, value uint64) {
	if code == format.CodeSpawn && f.Spawn != nil {
		f.Spawn(e.goroutine, value)
	}
	if g := f.goroutines[e.goroutine]; g != nil {
		f.unwind(g, e, code, uint32(value))
		f.forget(e.goroutine, g)
	}
	if code == format.CodeEnd && f.Over != nil {
		f.Over(e.goroutine)
	}
}

// unwind ends the calls that a goroutine leaves.
func (f *Follower) unwind(g *goroutine, e *event, code uint64, token uint32) {
	switch code {
	case format.CodePanic, format.CodeGoexit:
		u := unwinding{Panicked, token, 0}
		if code == format.CodeGoexit {
			u.end = Exited
		}
		f.leave(g, token, e)
		g.settle(token - 1) // another one in the same place shows that the first is over
		u.base = len(g.stack)
		g.unwinding = append(g.unwinding, u)
	case format.CodeRecover:
		f.leave(g, token, e)
		if n := len(g.stack); n > 0 && g.stack[n-1].token == token {
			g.stack[n-1].Recovered = true
		}
		// A Goexit that began deeper goes on: no recovery ends it.
		g.unwinding = slices.DeleteFunc(g.unwinding, func(u unwinding) bool { return u.end == Panicked && u.token > token })
	case format.CodeEnd:
		for len(g.stack) > 0 {
			f.left(g, e)
		}
	}
}

// leave ends the calls that are deeper than a token.
func (f *Follower) leave(g *goroutine, token uint32, e *event) {
	for n := len(g.stack); n > 0 && g.stack[n-1].token > token; n = len(g.stack) {
		f.left(g, e)
	}
}

// settle forgets the panics that began deeper than a frame in which the goroutine goes on.
func (g *goroutine) settle(token uint32) {
	for n := len(g.unwinding); n > 0 && g.unwinding[n-1].token > token; n-- {
		g.unwinding = g.unwinding[:n-1]
	}
}

// left ends the innermost call, which has not returned: the latest of the panics that began above it has left it.
func (f *Follower) left(g *goroutine, e *event) {
	end, i := Panicked, len(g.stack)-1
	for _, u := range g.unwinding {
		if u.base > i {
			end = u.end
		}
	}
	if _, dropped := f.target.Dropped(g.stack[i].Site.Number); dropped > 0 {
		end = Returned
	}
	f.end(g, e, end)
}

// forget forgets a goroutine that has nothing in progress.
func (f *Follower) forget(id uint64, g *goroutine) {
	if len(g.stack) == 0 {
		delete(f.goroutines, id)
	}
}

func (f *Follower) take() *Call {
	if n := len(f.spare); n > 0 {
		c := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return c
	}
	return new(Call)
}

// end ends the innermost call, as an event shows. Where a goroutine was on one P all the time, alone, and nothing was lost
// there, that is the call's own end.
func (f *Follower) end(g *goroutine, e *event, end End) {
	n := len(g.stack) - 1
	c := g.stack[n]
	g.stack = g.stack[:n]
	for i := range g.unwinding {
		g.unwinding[i].base = min(g.unwinding[i].base, n)
	}
	begins, ends := f.target.Dropped(c.Site.Number)
	c.Ended, c.End = e.clock, end
	c.Unsure = begins > 0 && ends > 0 && c.begun != e.at && (c.Began < f.lost || f.target.drain.losing)
	if c.Caller != nil {
		c.Caller.Callees += e.clock - min(c.Began, e.clock)
	}
	f.End(c)
	f.spare = append(f.spare, c)
}

// Drop forgets calls in progress of functions that aren't patched any more: their ends will not be told.
func (f *Follower) Drop() {
	for id, g := range f.goroutines {
		g.stack = slices.DeleteFunc(g.stack, func(c *Call) bool { return !c.Site.on || c.Site.record.Count })
		for i := range g.unwinding {
			g.unwinding[i].base = min(g.unwinding[i].base, len(g.stack))
		}
		f.forget(id, g)
	}
}
