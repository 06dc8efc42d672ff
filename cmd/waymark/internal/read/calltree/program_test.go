package calltree

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/waymark-go/waymark/tracefile"
)

// A program acts out goroutines that call, defer, panic, recover and exit, and
// writes down both the events of a recording and what really happened. It never
// looks at a token to know the latter.
type program struct {
	rand    *rand.Rand
	calm    bool // no panics and Goexits; goroutines may still run at the end
	events  []tracefile.Event
	calls   []*node // root calls
	current *node
	id      uint64 // of the goroutine
	clock   uint64
	fuel    int // calls that the goroutine may still make
}

// A node is a call as it was. One that is unwound without an event of its own
// lasts until the event that shows it, as the package comment says.
type node struct {
	site       uint32
	goroutine  uint64
	parent     *node
	children   []*node
	start, end uint64
	failed     uint64 // clock at which it said that it returns an error; 0 if it doesn't
	flags      Flags
	fate       Flags // of the unwinding that has left it
}

// An outcome is how control leaves a function. flags are those of an unwinding,
// if it is one. sp is the stack depth from which deferred functions are called.
// exits is that of a Goexit below it, which goes on when the panic is recovered.
type outcome struct {
	flags Flags
	sp    uint32
	exits uint32
}

const (
	programSites = 12 // sites from here on are those of inlined functions
	maxLevel     = 14
)

// run returns the events of a program, in order of time over all goroutines, which
// move between streams, and its root calls.
func (p *program) run(goroutines int) ([]tracefile.Event, []*node) {
	var all []tracefile.Event
	var open []*node
	for i := range goroutines {
		p.goroutine(uint64(i+1), p.rand.Uint64N(3000))
		all = append(all, p.events...)
		if p.current != nil {
			open = append(open, p.current)
		}
	}
	slices.SortStableFunc(all, func(x, y tracefile.Event) int { return cmp.Compare(x.Clock, y.Clock) })
	for _, n := range open {
		for ; n != nil; n = n.parent {
			n.end, n.flags = all[len(all)-1].Clock, Open
		}
	}
	return all, p.calls
}

func (p *program) goroutine(id, start uint64) {
	p.id, p.clock, p.fuel, p.events, p.current = id, start, p.rand.IntN(300), nil, nil
	const sp = 64 // of an uninstrumented function that recovers whatever comes
	p.emit(tracefile.Start, 0, 0)
	p.events[0].Value, p.events[0].Origin = id/2, uint32(id%5)
	if p.calm && p.rand.IntN(2) == 0 {
		// Calls until the recording ends in the middle of one.
		defer func() {
			if r := recover(); r != nil && r != recordingEnds {
				panic(r)
			}
		}()
		p.fuel = 1 << 30
	}
	var o outcome
	for p.fuel > 0 && o.flags != Exited {
		if o = p.call(sp, 0); o.flags == Panicked {
			o = p.recover(o, nil, sp)
		}
	}
	p.emit(tracefile.End, 0, 0)
	p.gone(nil, Exited)
}

const recordingEnds = "the recording ends"

func (p *program) emit(kind tracefile.Kind, site, token uint32) {
	if len(p.events) > 1000 {
		panic(recordingEnds)
	}
	p.clock += p.rand.Uint64N(40)
	stream := uint32(0)
	if n := len(p.events); n > 0 {
		stream = p.events[n-1].Stream
	}
	if p.rand.IntN(30) == 0 {
		stream = p.rand.Uint32N(4)
		p.clock++ // moving takes time, and events of one time on two streams are in no order
	}
	p.events = append(p.events, tracefile.Event{Clock: p.clock, Goroutine: p.id, Stream: stream, Kind: kind, Site: site, Token: token})
}

func (p *program) enter(site, token uint32) *node {
	p.emit(tracefile.Enter, site, token)
	p.fuel--
	n := &node{site: site, goroutine: p.id, parent: p.current, start: p.clock}
	if n.parent == nil {
		p.calls = append(p.calls, n)
	} else {
		n.parent.children = append(n.parent.children, n)
	}
	p.current = n
	return n
}

// exit ends a call with an event of its own.
func (p *program) exit(n *node, token uint32, o outcome) {
	if o.flags == 0 && p.current == n && p.rand.IntN(4) == 0 {
		p.emit(tracefile.Error, n.site, 0)
		n.failed = p.clock
	}
	p.emit(tracefile.Exit, n.site, token)
	p.gone(n, o.flags)
	p.gone(n.parent, o.flags)
}

// gone ends the calls within n, as the latest event has shown that they are over.
func (p *program) gone(n *node, flags Flags) {
	for p.current != n {
		p.current.end = p.clock
		p.current.flags |= cmp.Or(p.current.fate, flags)
		p.current = p.current.parent
	}
}

// call acts out a call from the frame at sp.
func (p *program) call(sp uint32, level int) outcome {
	token := sp + 16 + 8*p.rand.Uint32N(20)
	n := p.enter(1+p.rand.Uint32N(programSites), token)
	o := p.body(token, level, 0)
	p.leave(n, o)
	if p.rand.IntN(3) > 0 { // has no defers, so its exit is where it returns
		if o.flags == 0 {
			p.exit(n, token, o)
		}
		return o
	}
	recovers := p.rand.IntN(2) == 0
	for i := range p.rand.IntN(4) {
		if recovers && i == 1 && o.flags == Panicked {
			o = p.recover(o, n, token)
			n.flags |= Panicked | Recovered
		}
		if p.fuel > 0 && level < maxLevel {
			o = p.deferred(o, level)
			p.leave(n, o)
		}
	}
	p.exit(n, token, o)
	return o
}

// leave notes how the calls in n have been left, of which that is not known yet.
func (p *program) leave(n *node, o outcome) {
	if o.flags == 0 {
		return
	}
	for c := p.current; c != n; c = c.parent {
		c.fate = cmp.Or(c.fate, o.flags)
	}
}

// recover acts out that a function with this token recovers a panic: n, or one that isn't instrumented and has
// been called by n.
func (p *program) recover(o outcome, n *node, token uint32) outcome {
	p.emit(tracefile.Recover, 0, token)
	p.gone(n, Panicked)
	if o.exits == 0 {
		return outcome{sp: token}
	}
	p.emit(tracefile.Goexit, 0, token)
	return outcome{Exited, o.exits, 0}
}

// deferred acts out a deferred call during o.
func (p *program) deferred(o outcome, level int) outcome {
	d := p.call(o.sp, level+1)
	switch {
	case d.flags == 0:
		return o
	case d.flags == Panicked && d.exits == 0 && o.flags == Exited:
		d.exits = o.sp
	case d.flags == Panicked && d.exits == 0:
		d.exits = o.exits
	}
	return d
}

// body acts out what a function does between its entry and its return, if it has
// the given number of inlined callers.
func (p *program) body(token uint32, level, inlined int) outcome {
	for p.fuel > 0 && level < maxLevel {
		o := outcome{sp: token}
		switch p.rand.IntN(9) {
		case 0, 1, 2:
			o = p.call(token, level+1)
		case 3: // through an uninstrumented function that recovers
			above, sp := p.current, token+16
			if o = p.call(sp, level+1); o.flags == Panicked {
				if o = p.recover(o, above, sp); o.flags == 0 {
					o = outcome{sp: token}
				}
			}
		case 4: // of a function that was inlined
			n := p.enter(programSites+1+uint32(inlined), token)
			if o = p.body(token, level+1, inlined+1); o.flags == 0 {
				p.exit(n, token, o)
			}
		case 5:
			if !p.calm && p.rand.IntN(2) == 0 {
				p.emit(tracefile.Panic, 0, token+8*p.rand.Uint32N(2))
				return outcome{Panicked, token + 40, 0}
			}
		case 6:
			if !p.calm && p.rand.IntN(20) == 0 {
				p.emit(tracefile.Goexit, 0, token)
				return outcome{Exited, token + 40, 0}
			}
		default:
			return o
		}
		if o.flags != 0 {
			return o
		}
	}
	return outcome{sp: token}
}
