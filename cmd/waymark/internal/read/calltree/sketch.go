package calltree

import "math/bits"

// A Sketch asks for a recording as one sees it from afar, at several levels. It shows the calls
// that took long, one by one, and stretches of shorter ones. It goes with no filter: all of the
// recording is read.
//
// At level 0 calls are short that take less than 1<<Shift ticks. From each level to the next the
// limit is four times as long. A level has the calls that are not short. It also has the short
// calls that these have made, and those that have no caller. Neighbours among these short calls
// are one Stroke if less than the limit is between them. The Stroke ends when it is as long as the
// limit. What short calls made is in no stroke of the level. So there is about one stroke for a
// limit's time and call that is not short, however many calls there were.
//
// The functions are called by one goroutine at a time. Strokes come when they are complete, those of a
// goroutine of the same depth and kind in order.
type Sketch struct {
	Shift  uint // of the limit at level 0
	Levels int

	Slot uint64 // ticks of a slot
	Zero uint64 // clock at which slot 0 begins

	OnStroke    func(*Stroke)               // valid until it returns
	OnGoroutine func(*Goroutine)            // whose calls have all ended; valid until it returns
	OnEntered   func(slot int, site uint32) // a call of the function begins in the slot; told at least once
	OnEvents    func(slot int, n uint64)    // so many more events in the slot
	OnPanic     func(goroutine, clock uint64)
	Again       func() // what was told until now is void: it is told again
}

// A StrokeKind says what a Stroke is of.
type StrokeKind uint8

const (
	OneCall StrokeKind = iota // a call that is not short
	Shorts                    // short calls
	OneWait                   // a time in which the goroutine did not run, which is not short
	Waits                     // shorter ones, with the time between them
)

// A Stroke is a call, or several that are drawn as one; or a wait, or several.
type Stroke struct {
	Kind      StrokeKind
	Low, High uint8 // levels that it is drawn at
	Goroutine uint64
	Start     uint64 // clock
	End       uint64
	Depth     uint32 // 0 for root calls, and for waits
	Deep      uint32 // how many more calls were open inside at a time, at most
	Flags     Flags  // of a call; of several what any had of Panicked and Failed, calls that they made too

	Site  uint32 // of Shorts: the function that took more than half of Busy, if one did; of waits their reason
	Token uint32 // of OneCall
	Calls uint64 // or waits
	Busy  uint64 // ticks that the calls took together; of waits those until the goroutine was ready
	Ready uint64 // of waits: ticks in which it was ready
	Waker uint64 // of OneWait
}

// Limit returns the ticks that calls take at least which are not short at a level.
func (s *Sketch) Limit(level int) uint64 { return 1 << min(s.Shift+2*uint(level), 63) }

// LevelOf returns the highest level at which a call that takes so many ticks is not short, -1 if
// there is none.
func (s *Sketch) LevelOf(ticks uint64) int {
	if ticks>>s.Shift == 0 {
		return -1
	}
	return min((bits.Len64(ticks)-1-int(s.Shift))/2, s.Levels-1)
}

// slot returns the slot of a clock reading.
func (s *Sketch) slot(clock uint64) int { return int((max(clock, s.Zero) - s.Zero) / s.Slot) }

// A stretch is short calls, or short waits, that are to become one stroke.
type stretch struct {
	start, end uint64
	calls      uint64 // 0 if there is none
	busy       uint64
	ready      uint64
	weight     uint64 // by how much site is ahead of all others together
	site       uint32
	deep       uint32
	flags      Flags
	level      uint8
}

const flagsOfShorts = Panicked | Failed

// join adds calls that follow.
func (m *stretch) join(c *stretch) {
	if m.calls == 0 {
		level := m.level
		*m = *c
		m.level = level
		return
	}
	m.start, m.end = min(m.start, c.start), max(m.end, c.end)
	m.calls += c.calls
	m.busy += c.busy
	m.ready += c.ready
	m.deep = max(m.deep, c.deep)
	m.flags |= c.flags & flagsOfShorts
	switch {
	case m.site == c.site:
		m.weight += c.weight
	case c.weight > m.weight:
		m.site, m.weight = c.site, c.weight-m.weight
	default:
		m.weight -= c.weight
	}
}

// near is what is known of the calls that an open call made, as far as it has not become strokes.
type near struct {
	short stretch   // of level 0
	upper []stretch // of the other levels, few
	deep  uint32
}

// at returns the stretch of a level.
func (s *near) at(level int) *stretch {
	if level == 0 {
		return &s.short
	}
	for i := range s.upper {
		if m := &s.upper[i]; int(m.level) == level {
			return m
		}
	}
	if n := len(s.upper); n == cap(s.upper) { // many goroutines have some: no more room than they need
		s.upper = append(make([]stretch, 0, n+2), s.upper...)
	}
	s.upper = append(s.upper, stretch{level: uint8(level)})
	return &s.upper[len(s.upper)-1]
}

// pending reports whether there is something in the stretch of a level.
func (s *near) pending(level int) bool {
	if level == 0 {
		return s.short.calls > 0
	}
	for i := range s.upper {
		if m := &s.upper[i]; int(m.level) == level {
			return m.calls > 0
		}
	}
	return false
}

func (s *near) reset() { s.short.calls, s.upper, s.deep = 0, s.upper[:0], 0 }

// A pen draws strokes into a list. They lack the goroutine.
type pen struct {
	*Sketch
	kind  StrokeKind // of several
	drawn []Stroke
}

// put adds short calls to the stretch of a level.
func (p *pen) put(s *near, level int, c *stretch, depth uint32) {
	if level >= p.Levels {
		return
	}
	m := s.at(level)
	if m.calls > 0 {
		if limit := p.Limit(level); c.start > m.end && c.start-m.end >= limit || m.end-m.start >= limit {
			p.finish(s, level, depth)
			m = s.at(level)
		}
	}
	m.join(c)
}

// finish makes a stroke of what is in the stretch of a level, and passes it to the level above.
func (p *pen) finish(s *near, level int, depth uint32) {
	m := s.at(level)
	c := *m
	m.calls = 0
	p.draw(&c, level, level, depth)
	p.put(s, level+1, &c, depth)
}

// finishTo does finish for the levels up to one.
func (p *pen) finishTo(s *near, level int, depth uint32) {
	for l := 0; l <= level; l++ {
		if s.pending(l) {
			p.finish(s, l, depth)
		}
	}
}

// finishAll ends the stretches of a goroutine.
func (p *pen) finishAll(s *near) {
	var c stretch
	low := 0
	for level := range p.Levels {
		if !s.pending(level) {
			continue
		}
		m := s.at(level)
		if c.calls > 0 {
			p.draw(&c, low, level-1, 0)
			m.join(&c)
		}
		c, low = *m, level
	}
	if c.calls > 0 {
		p.draw(&c, low, p.Levels-1, 0)
	}
	s.reset()
}

func (p *pen) draw(c *stretch, low, high int, depth uint32) {
	p.drawn = append(p.drawn, Stroke{
		Kind: p.kind, Low: uint8(low), High: uint8(high), Start: c.start, End: c.end, Depth: depth, Deep: c.deep,
		Flags: c.flags & flagsOfShorts, Site: c.site, Calls: c.calls, Busy: c.busy, Ready: c.ready,
	})
}

// A finished call or wait is a stretch of one; token and waker are those of its stroke.
type finished struct {
	stretch
	token uint32
	waker uint64
}

// newFinished returns a call that ended.
func newFinished(start, end uint64, key frameKey, flags Flags) finished {
	start = min(start, end)
	return finished{stretch{start: start, end: end, calls: 1, busy: end - start, weight: end - start, site: key.site, flags: flags}, key.token, 0}
}

// end takes a call that ended, what is known of the calls it made, and of those that its caller made.
func (p *pen) end(c *finished, s, up *near, depth uint32) {
	level := p.LevelOf(c.end - c.start)
	c.deep = s.deep
	up.deep = max(up.deep, s.deep+1)
	if level < 0 {
		if s.short.calls > 0 {
			c.flags |= s.short.flags
		}
		s.reset()
		p.put(up, 0, &c.stretch, depth)
		return
	}
	p.finishTo(s, level, depth+1)
	s.reset()
	p.one(c, level, up, depth)
}

// one draws a call, or a wait, that is not short up to the given level.
func (p *pen) one(c *finished, level int, up *near, depth uint32) {
	p.finishTo(up, level, depth)
	p.single(c, level, depth)
	p.put(up, level+1, &c.stretch, depth)
}

func (p *pen) single(c *finished, level int, depth uint32) {
	p.drawn = append(p.drawn, Stroke{
		Kind: p.kind - 1, High: uint8(level), Start: c.start, End: c.end, Depth: depth, Deep: c.deep,
		Flags: c.flags, Site: c.site, Token: c.token, Calls: 1, Busy: c.busy, Ready: c.ready, Waker: c.waker,
	})
}

// span takes the stroke of a span that has no caller there: up is of the call that is open below it.
func (p *pen) span(st *Stroke, up *near, depth uint32) {
	c := stretch{
		start: st.Start, end: st.End, calls: st.Calls, busy: st.Busy, weight: st.Ready, site: st.Site, deep: st.Deep, flags: st.Flags,
	}
	up.deep = max(up.deep, st.Deep+1)
	if st.Kind == Shorts {
		p.put(up, 0, &c, depth)
		return
	}
	c.weight = c.busy
	p.one(&finished{c, st.Token, 0}, int(st.High), up, depth)
}
