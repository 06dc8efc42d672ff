package calltree

import "github.com/waymark-go/waymark/tracefile"

// sketching is what a digester has for a Sketch: strokes of the calls that begin and end in a span.
// It doesn't know the caller of the calls at the span's bottom. Of these it draws strokes of level
// 0 only, which the joiner puts together with those of other spans.
type sketching struct {
	pen
	nears []near // of x.stack
	base  near   // of the calls at the bottom of the span

	slot    int    // of the latest event
	slotEnd uint64 // clock at which the next one begins
	stamp   uint32 // of the rows that are noted in the slot
	counted uint64 // events noted
}

// entered says that a function was called in a slot.
type entered struct {
	slot int
	site uint32
}

// slotEvents are the events of a slot.
type slotEvents struct {
	slot int
	n    uint64
}

// begin begins a block.
func (k *sketching) begin() {
	k.slotEnd, k.counted = 0, 0
}

// turn goes on to the slot of a clock reading.
func (k *sketching) turn(d *digest, clock uint64) {
	k.note(d)
	k.slot = k.slotAt(clock)
	k.slotEnd = k.Zero + uint64(k.slot+1)*k.Slot
	k.stamp++
}

func (k *sketching) slotAt(clock uint64) int { return k.Sketch.slot(clock) }

// note adds the events of the slot until now.
func (k *sketching) note(d *digest) {
	if n := d.events - k.counted; n > 0 {
		d.slotEvents = append(d.slotEvents, slotEvents{k.slot, n})
	}
	k.counted = d.events
}

// enter says that a call begins, which will be the innermost of n.
func (k *sketching) enter(d *digest, r *rowState, site uint32, n int) {
	if r.stamp != k.stamp {
		r.stamp = k.stamp
		d.entered = append(d.entered, entered{k.slot, site})
	}
	if n > len(k.nears) {
		k.nears = append(k.nears, near{})
	}
}

// exit ends the call that was the innermost, with n others around it in the span.
func (k *sketching) exit(f *localFrame, n int, clock uint64) {
	c := newFinished(f.enter, clock, f.frameKey, 0)
	if f.row&failedRow != 0 {
		c.flags = Failed
	}
	s := &k.nears[n]
	if n > 0 {
		k.end(&c, s, &k.nears[n-1], uint32(n))
		return
	}
	level := k.LevelOf(clock - c.start)
	c.deep = s.deep
	if level >= 0 {
		k.finishTo(s, level, 1)
		s.reset()
		k.flush()
		k.single(&c, level, 0)
		return
	}
	if s.short.calls > 0 {
		c.flags |= s.short.flags
	}
	s.reset()
	m := &k.base.short
	if m.calls > 0 {
		if limit := k.Limit(0); c.start > m.end && c.start-m.end >= limit || m.end-m.start >= limit {
			k.flush()
		}
	}
	m.join(&c.stretch)
}

// flush draws what is pending at the bottom of the span.
func (k *sketching) flush() {
	if m := &k.base.short; m.calls > 0 {
		k.draw(m, 0, 0, 0)
		k.drawn[len(k.drawn)-1].Ready = m.weight // which the joiner needs
		m.calls = 0
	}
}

// endSpan hands over what is known of the span with n open calls.
func (k *sketching) endSpan(d *digest, n int) {
	k.flush()
	d.strokes = append(d.strokes, k.drawn...)
	k.drawn = k.drawn[:0]
	for i := range k.nears[:n] {
		d.nears = append(d.nears, k.nears[i])
		k.nears[i] = near{}
	}
}

// sketchSpan draws the strokes of the next span of p, the calls below which are open.
func (b *Builder) sketchSpan(g *goroutine, p *place, end int) {
	base := uint32(len(g.stack))
	up := g.nearOf(len(g.stack))
	b.pen.kind = Shorts
	for ; p.stroke < end; p.stroke++ {
		st := &p.d.strokes[p.stroke]
		if st.Depth == 0 {
			b.pen.span(st, up, base)
			continue
		}
		st.Depth += base
		b.told(g, st)
	}
	b.drawn(g)
}

// nearOf returns what is known of the calls that frame n-1 of g made, or of root calls if n is 0.
func (g *goroutine) nearOf(n int) *near {
	for n >= len(g.nears) {
		g.nears = append(g.nears, near{})
	}
	return &g.nears[n]
}

// drawn tells of the strokes that the pen has drawn.
func (b *Builder) drawn(g *goroutine) {
	for i := range b.pen.drawn {
		b.told(g, &b.pen.drawn[i])
	}
	b.pen.drawn = b.pen.drawn[:0]
}

func (b *Builder) told(g *goroutine, st *Stroke) {
	st.Goroutine = g.ID
	b.opt.Sketch.OnStroke(st)
}

// sketchEnd takes the call of frame n, which ended.
func (b *Builder) sketchEnd(g *goroutine, f *frame, n int, clock uint64, flags Flags) {
	c := newFinished(f.enter, clock, f.frameKey, flags)
	g.nearOf(n + 1) // first, as it may move the others
	b.pen.kind = Shorts
	b.pen.end(&c, &g.nears[n+1], &g.nears[n], uint32(n))
	b.drawn(g)
}

// sketchLong takes a counted call that took long. The calls that it made are drawn beside it.
func (b *Builder) sketchLong(g *goroutine, ev *tracefile.Event, begin, clock uint64) {
	c := newFinished(begin, clock, frameKey{ev.Site, ev.Token}, Long)
	b.pen.kind = Shorts
	depth := uint32(len(g.stack))
	if level := b.pen.LevelOf(clock - begin); level >= 0 {
		b.pen.single(&c, level, depth)
	} else {
		b.pen.put(g.nearOf(len(g.stack)), 0, &c.stretch, depth)
	}
	b.drawn(g)
	b.opt.Sketch.OnEntered(b.opt.Sketch.slot(clock), ev.Site)
}

// sketchWait takes a time in which g did not run.
func (b *Builder) sketchWait(g *goroutine, w *Call) {
	c := finished{waker: w.Wait.Waker}
	c.stretch = stretch{start: w.Start, end: w.End, calls: 1, site: uint32(w.Wait.Reason), flags: w.Flags}
	ready := min(max(w.Wait.Ready, w.Start), w.End)
	c.busy, c.ready = ready-w.Start, w.End-ready
	c.weight = w.End - w.Start
	b.pen.kind = Waits
	if level := b.pen.LevelOf(w.End - w.Start); level >= 0 {
		b.pen.one(&c, level, &g.waits, 0)
	} else {
		b.pen.put(&g.waits, 0, &c.stretch, 0)
	}
	b.drawn(g)
}

// sketchForget draws what is left of a goroutine.
func (b *Builder) sketchForget(g *goroutine) {
	b.pen.kind = Shorts
	b.pen.finishAll(g.nearOf(0))
	b.pen.kind = Waits
	b.pen.finishAll(&g.waits)
	b.drawn(g)
	b.opt.Sketch.OnGoroutine(&g.Goroutine)
}

// sketchEvent counts an event that is read by itself.
func (b *Builder) sketchEvent(ev *tracefile.Event) {
	s := b.opt.Sketch
	slot := s.slot(ev.Clock)
	if counts(ev.Kind) && ev.Kind != tracefile.End {
		s.OnEvents(slot, 1)
	}
	if ev.Kind == tracefile.Enter && ev.Site < maxSites {
		s.OnEntered(slot, ev.Site)
	}
}

// sketchDigest counts the events of a digest.
func (b *Builder) sketchDigest(d *digest) {
	s := b.opt.Sketch
	for _, e := range d.entered {
		s.OnEntered(e.slot, e.site)
	}
	for _, e := range d.slotEvents {
		s.OnEvents(e.slot, e.n)
	}
}
