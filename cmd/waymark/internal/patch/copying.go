//go:build linux && amd64

package patch

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A copying copies the records of a part.
type copying struct {
	*source
	p         *Part
	list      []format.Record
	from      int // records before are copied, or left out
	goroutine uint64
	ended     bool
}

// room makes sure that so many bytes find room in the stream's chunk, of records from this clock on; else it begins another
// one. It returns the chunk, nil where the recording ends.
func (c *copying) room(n int, clock uint64) []byte {
	stream := c.p.Head.Stream
	if i, ok := c.open[stream]; ok && int(binary.LittleEndian.Uint32(c.chunk(i)[32:]))+n > format.ChunkSize {
		c.close(stream, clock)
	}
	if _, ok := c.open[stream]; !ok && (c.ended || !c.begin(stream, clock, c.goroutine, 0)) {
		c.ended = true
		return nil
	}
	return c.chunk(c.open[stream])
}

// write appends bytes of whole records, the first of which has this clock.
func (c *copying) write(b []byte, clock uint64) {
	if chunk := c.room(len(b), clock); chunk != nil {
		end := int(binary.LittleEndian.Uint32(chunk[32:]))
		binary.LittleEndian.PutUint32(chunk[32:], uint32(end+copy(chunk[end:], b)))
	}
}

// until copies records before one that isn't copied as it is.
func (c *copying) until(to int) {
	if to > c.from {
		c.write(c.p.Bytes[c.p.From+c.from*format.RecordSize:c.p.From+to*format.RecordSize], c.list[c.from].Clock)
	}
	c.from = max(c.from, to)
}

// ends writes the ends that are due until a clock, before the record i. The stream stays in the order of time.
func (c *copying) ends(i int, clock uint64) {
	due := c.due[c.p.Head.Stream]
	for len(due) > 0 && due[0].clock <= clock {
		e := due[0]
		due = due[1:]
		c.until(i)
		at := e.clock
		if chunk, ok := c.open[c.p.Head.Stream]; ok { // what is recovered after a kill ends where time goes back
			at = max(at, binary.LittleEndian.Uint64(c.chunk(chunk)[16:]))
		}
		b := append(codeRecord(at, format.CodeGo, e.goroutine), codeRecord(at, format.CodeEnd, 0)...)
		if c.goroutine != 0 {
			b = append(b, codeRecord(at, format.CodeGo, c.goroutine)...)
		}
		c.write(b, at)
	}
	if c.due[c.p.Head.Stream] = due; len(due) == 0 {
		delete(c.due, c.p.Head.Stream)
	}
}

// append copies a part's records. Of the goroutines' beginnings, which are at each switch, it leaves those that are earlier
// than all before, and none of goroutines that do nothing but end. Streams come in no order: of several beginnings readers
// take the earliest, and an end may come before all else that the goroutine did.
func (s *source) append(p *Part) {
	c := copying{source: s, p: p, list: p.Records(), goroutine: p.Goroutine()}
	event := format.Record{} // the latest call that began or ended, or line
	for i := 0; i < len(c.list); i++ {
		r := c.list[i]
		code, value, ok := codeOf(r)
		if len(s.due) > 0 && !(ok && (code == trampoline.CodeStack || code == trampoline.CodeCopied)) { // they belong to what is before
			c.ends(i, r.Clock)
		}
		if !ok {
			event = r
			continue
		}
		switch code {
		case format.CodeInfo:
			event = r
		case format.CodeGo:
			if s.copied != nil { // a chunk may begin anywhere then
				c.until(i)
			}
			c.goroutine = value
		case trampoline.CodeStack: // a task wants it
			if s.copied != nil {
				c.room((i-c.from)*format.RecordSize+mostValues, event.Clock)
			}
			c.until(i)
			i += follows(c.list, i)
			c.from = i + 1
		case trampoline.CodeCopied: // in the chunk of its event
			b, n := copyOf(c.list, i)
			values := s.values(event, b)
			c.room((i-c.from)*format.RecordSize+len(values), event.Clock)
			c.until(i)
			i += n
			c.from = i + 1
			if len(values) > 0 {
				c.write(values, event.Clock)
				c.held()
			}
		case format.CodeStart:
			next, _, _ := codeOf(record(c.list, i+2))
			first, ok := s.started[c.goroutine]
			switch {
			case ok && first <= r.Clock:
				c.until(i)
				c.from = i + 2
			case next == format.CodeEnd:
				note(s.early, c.goroutine, c.list[i+2].Clock)
				c.until(i)
				c.from, i = i+3, i+2
			default:
				note(s.started, c.goroutine, r.Clock)
				s.end(c.goroutine, p.Head.Stream)
				c.until(i)
				start := recordBytes(r.Clock, r.Word)
				if c.from = i + 2; i+1 < len(c.list) {
					origin := c.list[i+1]
					start = append(start, codeRecord(origin.Clock, format.CodeOrigin, s.origin(origin.Word&format.ValueMask))...)
				}
				c.write(start, r.Clock)
			}
		}
	}
	c.until(len(c.list))
}

// mostValues is more than values take in a recording, bytes.
const mostValues = 16 << 10

// held notes that the stream's chunk holds values.
func (c *copying) held() {
	if i, ok := c.open[c.p.Head.Stream]; ok {
		binary.LittleEndian.PutUint32(c.chunk(i)[chunkFlags:], format.HeldValues)
	}
}

// values returns the records of what was copied of a call that has begun or ended; nil: the recording has none of it.
func (s *source) values(event format.Record, copied []byte) []byte {
	n, v := int(event.Word>>format.SiteShift&format.SiteMask), s.copied
	if _, value, ok := codeOf(event); ok {
		n = int(value)
	}
	if v == nil || n == 0 || n >= len(s.t.sites) {
		return nil
	}
	signature := v.OfSite(s.t.sites[n])
	if signature == nil {
		return nil
	}
	plan, wanted := signature.Args, s.args || s.t.sites[n].Line != nil
	if s.t.sites[n].Line == nil && event.Word&format.ExitBit != 0 {
		plan, wanted = signature.Results, s.results
	}
	if !wanted {
		return nil
	}
	data := plan.Values(copied, v)
	if len(data) == 0 || len(data) > mostValues/2 {
		return nil
	}
	s.describeTypes()
	b := codeRecord(event.Clock, format.CodeValues, uint64(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, -len(b)&(format.RecordSize-1))...)
}

// record returns a record of a list; none, where it has ended.
func record(list []format.Record, i int) (r format.Record) {
	if i < len(list) {
		r = list[i]
	}
	return r
}

// end lets a stream have the end of a goroutine, if that came early.
func (s *source) end(goroutine uint64, stream uint32) {
	clock, ok := s.early[goroutine]
	if !ok {
		return
	}
	delete(s.early, goroutine)
	s.due[stream] = append(s.due[stream], ending{goroutine, clock})
	slices.SortFunc(s.due[stream], func(a, b ending) int { return cmp.Compare(a.clock, b.clock) })
}

func codeRecord(clock, code, value uint64) []byte {
	return recordBytes(clock, format.FirstCode<<format.SiteShift|code<<format.CodeShift|value)
}

func recordBytes(clock, word uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, clock), word)
}
