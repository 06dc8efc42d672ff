package calltree

import "github.com/waymark-go/waymark/tracefile"

// Off is time in which goroutines with open calls did not run, in ticks.
type Off struct {
	Runnable uint64                        // they were ready, and had no processor
	Waiting  [tracefile.WaitReasons]uint64 // by tracefile.WaitReason
}

// Sum returns all of it.
func (o *Off) Sum() uint64 {
	sum := o.Runnable
	for _, n := range o.Waiting {
		sum += n
	}
	return sum
}

func (o *Off) add(p *Off) {
	o.Runnable += p.Runnable
	for i, n := range p.Waiting {
		o.Waiting[i] += n
	}
}

func (o *Off) subtract(p *Off) {
	o.Runnable -= p.Runnable
	for i, n := range p.Waiting {
		o.Waiting[i] -= n
	}
}

// Offs are the parts of Total and Self of calls in which their goroutines did not run. In the rest
// of Total and Self the goroutines ran. Those of no call are nil.
type Offs struct{ Total, Self Off }

// addOff adds what a call was off. outermost is whether its time is in Total.
func addOff(to **Offs, call *Offs, outermost bool) {
	if *to == nil {
		*to = new(Offs)
	}
	if outermost {
		(*to).Total.add(&call.Total)
	}
	(*to).Self.add(&call.Self)
}

// An openOff is what an open call was off. Few calls are: those that were not have none.
type openOff struct {
	frame   int // on the stack
	all     Off
	callees Off // of that, in calls that it made and that are counted
}

// offOf returns the openOff of a frame, which is the innermost one of those that have one.
func (g *goroutine) offOf(frame int) *openOff {
	if n := len(g.offs); n == 0 || g.offs[n-1].frame < frame {
		g.offs = append(g.offs, openOff{frame: frame})
	}
	return &g.offs[len(g.offs)-1]
}

// innermostOff returns the openOff of the innermost frame, nil if that has none.
func (g *goroutine) innermostOff(frame int) *openOff {
	if n := len(g.offs); n > 0 && g.offs[n-1].frame == frame {
		return &g.offs[n-1]
	}
	return nil
}

// passOff gives what the call of the innermost frame was off to its caller, if there is one. If the call
// is counted, none of it is the caller's own.
func (g *goroutine) passOff(frame int, counted bool) {
	n := len(g.offs) - 1
	o := &g.offs[n]
	if counted {
		o.callees = o.all
	}
	switch {
	case frame == 0:
		g.offs = g.offs[:n]
	case n > 0 && g.offs[n-1].frame == frame-1:
		up := &g.offs[n-1]
		up.all.add(&o.all)
		up.callees.add(&o.callees)
		g.offs = g.offs[:n]
	default:
		o.frame = frame - 1
	}
}

// addOff adds what the call of f, which has ended and is counted, was off to all that adds calls up.
func (b *Builder) addOff(g *goroutine, f *frame, o *openOff) *Offs {
	call := &Offs{o.all, o.all}
	call.Self.subtract(&o.callees)
	addOff(&b.rows[f.row].Off, call, f.slot != notOutermost)
	if b.paths != nil {
		addOff(&b.paths.Nodes[f.node].Sum.off, call, true)
	}
	addOff(&g.Off, call, g.kept == 0)
	return call
}

// A pause is what an event Waited says. floor is the clock of the goroutine's event before, as far
// as that is known. If that event is a Waited, floor is when its wait ended.
type pause struct {
	tracefile.Wait
	floor uint64
	flags Flags // Open: it has not ended; Cut: its end was lost
}

// waited counts that g did not run until p.Ago before the given clock.
func (b *Builder) waited(g *goroutine, p *pause, clock uint64) {
	n := len(g.stack)
	// A new goroutine says with its first event how long it was ready. One whose start was not read is older.
	fresh := clock == g.Start && g.Parent != 0
	clock -= min(p.Ago, clock)
	if n > 0 && clock > b.opt.From {
		// Clocks of CPUs may differ: what was before the event before is no part of the wait.
		from := max(clock-min(p.Total, clock), p.floor, g.floor, g.stack[n-1].enter, b.opt.From)
		from = min(from, clock)
		ready := max(clock-min(p.Runnable, clock), from)
		o := g.offOf(n - 1)
		o.all.Runnable += clock - ready
		o.all.Waiting[p.Reason] += ready - from
		if p.More > 0 {
			b.mixed += 1 + p.More
		}
		if (b.opt.OnWait != nil || b.opt.Sketch != nil) && g.kept > 0 {
			b.tellWait(g, p, from, ready, clock)
		}
	} else if n == 0 && fresh && (b.opt.OnWait != nil || b.opt.Sketch != nil) && clock > b.opt.From {
		b.call = Call{
			Goroutine: g.ID, Start: max(clock-min(p.Total, clock), b.opt.From), End: clock, Wait: &Wait{p.Reason, clock - min(p.Runnable, clock), p.Waker},
		}
		b.call.Began = b.call.Start
		b.tellOff(g)
	}
	g.floor = clock
}

// tellWait tells OnWait that g did not run between two clocks.
func (b *Builder) tellWait(g *goroutine, p *pause, from, ready, to uint64) {
	n := len(g.stack) - 1
	for g.stack[n].row == leftOut {
		n--
	}
	b.call = Call{
		Goroutine: g.ID, Site: g.stack[n].site, Depth: g.kept, Start: from, Began: from, End: to,
		Flags: p.flags, Wait: &Wait{p.Reason, ready, p.Waker},
	}
	b.tellOff(g)
}

// tellOff tells of the wait that b.call is.
func (b *Builder) tellOff(g *goroutine) {
	if b.opt.OnWait != nil {
		b.opt.OnWait(&b.call)
	}
	if b.opt.Sketch != nil {
		b.sketchWait(g, &b.call)
	}
}

// unparked takes an event of g at the given clock for the end of its wait, where the record of that was
// lost.
func (b *Builder) unparked(g *goroutine, event tracefile.Kind, clock uint64) {
	if g.parked != 0 {
		if event != tracefile.Waited {
			b.parked(g, clock, Cut)
		}
		g.parked = 0
	}
}

// parked counts that g has not run since it parked.
func (b *Builder) parked(g *goroutine, end uint64, flags Flags) {
	if g.parked != 0 && end > g.parked {
		// Nobody knows since when it was ready.
		b.waited(g, &pause{Wait: tracefile.Wait{Reason: g.reason, Total: end - g.parked}, flags: flags}, end)
	}
	g.parked = 0
}
