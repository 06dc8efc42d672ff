package tracefile

import (
	"errors"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Range is a part of a recording's time: the clock readings from From to To, with both. A To of 0
// is the end of the recording; the zero Range is all of the recording.
type Range struct{ From, To uint64 }

// end returns the last clock reading of r.
func (r Range) end() uint64 {
	if r.To == 0 {
		return never - 1
	}
	return min(r.To, never-1)
}

// Events reads the events of a File in the order of time, in the manner of
// bufio.Scanner. It holds one block of each stream in memory.
type Events struct {
	f       *File
	to      uint64    // the last clock that is wanted
	cursors []*cursor // of the streams
	tree    tree      // of their next events' clocks
	cur     *cursor   // the stream that is being read; nil at the end
	limit   uint64    // clock of the next event elsewhere: cur goes on until it passes it
	skipped struct {
		bytes  int64
		blocks int
	}
	err error
}

// A cursor is a place in a stream.
type cursor struct {
	blockReader
	s      *stream
	next   int     // index of the block after the one that is being read
	clock  uint64  // of the latest event decoded
	events []Event // decoded, the next one first; a part of batch
}

// Events begins to read the events from the first one: it reads the first block
// of each stream.
func (f *File) Events() *Events { return f.EventsIn(Range{}) }

// EventsIn is Events for those in a range. Reading begins with the block of each stream that holds
// the range's beginning, as the index has it: nothing before is read. If the clock of a stream went
// back there, see Events.Next, events have the clocks that they would have without what was before.
func (f *File) EventsIn(r Range) *Events {
	e := &Events{f: f, to: r.end()}
	if len(f.streams) == 0 {
		return e
	}
	clocks := make([]uint64, len(f.streams))
	for i, s := range f.streams {
		c := &cursor{blockReader: blockReader{f: f}, s: s, next: s.at(r.From)}
		e.cursors = append(e.cursors, c)
		clocks[i] = e.fill(c)
		for clocks[i] < r.From {
			for len(c.events) > 0 && c.events[0].Clock < r.From {
				c.events = c.events[1:]
			}
			if len(c.events) > 0 {
				clocks[i] = c.events[0].Clock
			} else {
				clocks[i] = e.fill(c)
			}
		}
	}
	e.tree = newTree(clocks)
	e.choose(e.tree.winner().clock)
	return e
}

// Next reads the next event into ev and reports whether there was one; if not, Err
// tells whether it was because of an error. ev.Data is valid until the next call.
//
// Clocks never decrease from one event to the next. Where the CPUs' counters
// disagree and the clock of a stream went back, its events get the latest clock
// before that. Events of different streams with the same clock come in no
// particular order, but always in the same.
func (e *Events) Next(ev *Event) bool {
	c := e.cur
	if c == nil {
		return false
	}
	if len(c.events) == 0 || c.events[0].Clock > e.limit {
		if c = e.turn(c); c == nil {
			return false
		}
	}
	*ev = c.events[0]
	c.events = c.events[1:]
	return true
}

// Err returns the error that ended reading: one of the operating system, never damage.
func (e *Events) Err() error { return e.err }

// Skipped returns how much has been left out until now because it was damaged, in
// the blocks that hold events. Info().Damaged has what was found elsewhere, too.
func (e *Events) Skipped() (bytes int64, blocks int) {
	return e.skipped.bytes, e.skipped.blocks
}

// turn returns the cursor of the next event, nil at the end. c, the current one,
// has reached the end of its batch or an event that is later than another's.
func (e *Events) turn(c *cursor) *cursor {
	var clock uint64
	if len(c.events) > 0 {
		clock = c.events[0].Clock
	} else {
		clock = e.fill(c)
	}
	if clock == never || clock > e.limit {
		e.choose(clock)
	}
	return e.cur
}

// choose makes the stream with the earliest clock the current one. clock is the
// next of the one that was it until now.
func (e *Events) choose(clock uint64) {
	w, limit := e.tree.replace(clock)
	e.cur, e.limit = e.cursors[w.stream], min(limit, e.to)
	if w.clock > e.to || e.err != nil {
		e.cur = nil
	}
}

// fill decodes the next events of c's stream and gives the first one's clock,
// never at the end.
func (e *Events) fill(c *cursor) uint64 {
	for {
		if n := c.dec.Read(c.batch[:]); n > 0 {
			c.events = c.batch[:n]
			for i := range c.events {
				ev := &c.events[i]
				c.clock = max(c.clock, min(ev.Clock, never-1))
				ev.Clock = c.clock
			}
			return c.events[0].Clock
		}
		if c.dec.Err() != nil {
			e.skip(&c.s.blocks[c.next-1])
		}
		if !e.load(c) {
			return never
		}
	}
}

// load opens the next block of c's stream that is not damaged.
func (e *Events) load(c *cursor) bool {
	for e.err == nil && c.next < len(c.s.blocks) {
		b := &c.s.blocks[c.next]
		c.next++
		err := c.open(b)
		if err == nil {
			c.clock = max(c.clock, min(c.header.Clock, never-1))
			return true
		}
		if !errors.Is(err, format.ErrDamaged) {
			e.err = err
			return false
		}
		e.skip(b)
	}
	return false
}

// skip counts b as damaged.
func (e *Events) skip(b *block) {
	e.f.spoil(b)
	e.skipped.bytes += b.size()
	e.skipped.blocks++
}
