package format

import (
	"encoding/binary"
	"fmt"
)

// EventsHeader begins the payload of an Events block.
type EventsHeader struct {
	Stream    uint32
	Seq       uint64
	Clock     uint64 // when the chunk was handed out, before its first event
	Goroutine uint64 // that ran then; 0 if none had recorded yet
	Events    uint64
	Lost      uint64 // events dropped on the stream before this block
}

// ParseEventsHeader reads the header and returns the rest of the payload.
func ParseEventsHeader(payload []byte) (EventsHeader, []byte, error) {
	c := cursor{b: payload}
	stream := c.uvarint()
	if stream >= MaxStreams {
		c.fail(fmt.Sprintf("stream %d, not below %d", stream, MaxStreams))
	}
	h := EventsHeader{
		Stream: uint32(stream), Seq: c.uvarint(), Clock: c.uvarint(),
		Goroutine: c.uvarint(), Events: c.uvarint(), Lost: c.uvarint(),
	}
	return h, c.b, c.err
}

// A Decoder reads the events of one Events block. The zero value is ready for
// Reset; reusing one saves allocations.
type Decoder struct {
	m         model
	b         []byte // the payload
	pos       int    // in b
	clock     uint64
	goroutine uint64
	stream    uint32
	err       error
}

// Reset makes d read the given payload.
func (d *Decoder) Reset(payload []byte) (EventsHeader, error) {
	h, rest, err := ParseEventsHeader(payload)
	d.m.reset()
	d.b, d.pos = payload, len(payload)-len(rest)
	d.clock, d.goroutine, d.stream, d.err = h.Clock, h.Goroutine, h.Stream, err
	return h, err
}

// Err returns what reading stopped at, nil at the end of the block. It wraps ErrDamaged.
func (d *Decoder) Err() error { return d.err }

// Next reads the next event into ev and reports whether there was one. Fields
// that the event's kind does not use are zero, but for Clock, Goroutine and
// Stream. ev.Data is a part of the payload.
func (d *Decoder) Next(ev *Event) bool {
	var one [1]Event
	n := d.Read(one[:])
	*ev = one[0]
	return n > 0
}

// Read is Next for as many events as evs has room for, which takes a third of the time.
// It returns the number of events read, 0 at the end of the block or at damage.
func (d *Decoder) Read(evs []Event) int {
	clear(evs)
	n := 0
	event := false // the latest record is event n-1: values that follow belong to it
	for {
		calls := d.calls(evs[n:])
		n += calls
		if (calls > 0 || event) && !d.values(&evs[n-1]) {
			return n - 1
		}
		if n == len(evs) || d.pos == len(d.b) {
			return n
		}
		event = d.record(&evs[n])
		if d.err != nil {
			return n
		}
		if event {
			n++
		} else {
			evs[n] = Event{}
		}
	}
}

// calls reads events as long as they are enters and exits as predicted, with ticks in no more
// than two bytes, as most are. evs is empty of anything. It calls no
// function, so that all it needs stays in registers.
func (d *Decoder) calls(evs []Event) int {
	m := &d.m
	b, pos, clock := d.b, d.pos, d.clock
	stack, open, slot := m.stack[:cap(m.stack)], len(m.stack), m.slot
	n := 0
	for n < len(evs) && pos+1 < len(b) {
		// One byte or two: there is no branch, because which it is can't be predicted.
		w := uint64(b[pos]) | uint64(b[pos+1])<<8
		if w&0x8080 == 0x8080 {
			break
		}
		two := w >> 7 & 1
		v := w&0x7F | w>>1&0x3F80&-two
		ev := &evs[n]
		if tag := v & (1<<tagBits - 1); tag == tagExit {
			if open == 1 {
				break
			}
			open--
			top := stack[open]
			ev.Kind, ev.Site, ev.Token = Exit, top.site(), top.token()
			slot = contextOf(top.site(), 1)
		} else {
			p := m.next[slot%predictions]
			if tag != tagPredicted || p.site() == 0 || open == len(stack) {
				break
			}
			site, token := p.site(), stack[open-1].token()+p.more()
			stack[open] = frame(p)&^(1<<SiteShift-1) | frame(token)
			open++
			ev.Site, ev.Token = site, token // the zero Kind is Enter
			slot = contextOf(site, 0)
		}
		clock += v >> tagBits
		ev.Clock, ev.Goroutine, ev.Stream = clock, d.goroutine, d.stream
		pos += 1 + int(two)
		n++
	}
	d.pos, d.clock, m.stack, m.slot = pos, clock, stack[:open], slot
	return n
}

// record reads a record into ev, which is empty, and reports whether it is an event.
func (d *Decoder) record(ev *Event) bool {
	m := &d.m
	v := d.uvarint()
	d.clock += v >> tagBits
	ev.Clock, ev.Goroutine, ev.Stream = d.clock, d.goroutine, d.stream
	switch v & (1<<tagBits - 1) {
	case tagExit:
		open := len(m.stack)
		if open == 1 {
			d.fail("exit without a call")
			return false
		}
		top := m.stack[open-1]
		m.stack = m.stack[:open-1]
		ev.Kind, ev.Site, ev.Token = Exit, top.site(), top.token()
		m.after(top.site(), 1)
	case tagPredicted:
		p := m.next[m.slot%predictions]
		if p.site() == 0 {
			d.fail("no prediction")
			return false
		}
		d.enter(ev, p)
	case tagEnter:
		p := predict(d.site(), uint32(d.varint()))
		m.next[m.slot%predictions] = p
		d.enter(ev, p)
	default:
		return d.other(ev)
	}
	return true
}

func (d *Decoder) enter(ev *Event, p prediction) {
	ev.Kind, ev.Site, ev.Token = Enter, p.site(), d.m.top()+p.more()
	d.m.stack = append(d.m.stack, frameOf(ev.Site, ev.Token))
	d.m.after(ev.Site, 0)
}

// values reads the values of ev if they are next. It reports whether all went well.
func (d *Decoder) values(ev *Event) bool {
	if i := d.pos; i+1 < len(d.b) && d.b[i] == tagOther && d.b[i+1] == CodeValues {
		d.pos += 2
		ev.Data = d.bytes()
	}
	return d.err == nil
}

// other reads a record with a code and reports whether it is an event.
func (d *Decoder) other(ev *Event) bool {
	switch code := d.uvarint(); code {
	case CodeGo:
		d.goroutine = d.uvarint()
		d.m.goroutine()
		ev.Kind, ev.Goroutine = Go, d.goroutine
	case CodeStart:
		ev.Kind, ev.Value, ev.Origin = Start, d.uvarint(), uint32(d.uvarint())
	case CodeEnd:
		d.m.goroutine()
		ev.Kind = End
	case CodeExit:
		ev.Kind, ev.Site, ev.Token = Exit, d.site(), uint32(d.uvarint())
		d.m.exit(ev.Site, ev.Token)
		d.m.after(ev.Site, 1)
	case CodePanic:
		ev.Kind, ev.Token = Panic, uint32(d.uvarint())
	case CodeRecover:
		ev.Kind, ev.Token = Recover, uint32(d.uvarint())
		d.m.unwind(ev.Token)
	case CodeGoexit:
		ev.Kind, ev.Token = Goexit, uint32(d.uvarint())
	case CodeValues: // of nothing
		d.bytes()
		return false
	case CodeInfo, CodeError:
		rest := cursor{b: d.bytes()}
		site := rest.uvarint()
		if rest.err != nil || site > SiteMask {
			d.fail("bad site of an event")
			return false
		}
		ev.Kind, ev.Site = Marker, uint32(site)
		if code == CodeError {
			ev.Kind = Error
		}
	case CodeLong:
		rest := cursor{b: d.bytes()}
		site, token, ticks := rest.uvarint(), rest.uvarint(), rest.uvarint()
		if rest.err != nil || site-1 >= FirstCode-1 {
			d.fail("bad long call")
			return false
		}
		ev.Kind, ev.Site, ev.Token, ev.Value = Long, uint32(site), uint32(token), ticks
	case CodeParked:
		rest := cursor{b: d.bytes()}
		ev.Kind, ev.Value = Parked, rest.uvarint()
	case CodeWaited:
		ev.Kind, ev.Data = Waited, d.bytes()
		rest := cursor{b: ev.Data}
		ev.Value = rest.uvarint()
	case CodeMade:
		ev.Kind, ev.Data = Made, d.bytes()
		rest := cursor{b: ev.Data}
		ev.Value = rest.uvarint()
	case CodeSpawn:
		rest := cursor{b: d.bytes()}
		ev.Kind, ev.Value = Spawn, rest.uvarint()
	case CodeSkew:
		d.clock -= d.uvarint()
		return false
	default:
		if code < CodeSkip {
			d.fail(fmt.Sprintf("unknown code %d", code))
		}
		d.bytes()
		return false
	}
	return true
}

// site reads a site's id.
func (d *Decoder) site() uint32 {
	v := d.uvarint()
	if v-1 >= FirstCode-1 {
		d.fail(fmt.Sprintf("bad site id %d", v))
		return 0
	}
	return uint32(v)
}

func (d *Decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b[d.pos:])
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.pos += n
	return v
}

func (d *Decoder) varint() int64 {
	v, n := binary.Varint(d.b[d.pos:])
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.pos += n
	return v
}

func (d *Decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)-d.pos) {
		d.fail("bad length")
		return nil
	}
	b := d.b[d.pos : d.pos+int(n)]
	d.pos += int(n)
	return b
}

func (d *Decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%s at byte %d of the block: %w", what, d.pos, ErrDamaged)
	}
	d.pos = len(d.b)
}
