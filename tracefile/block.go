package tracefile

import (
	"fmt"
	"sort"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A stream is the Events blocks of one of the scheduler's Ps.
type stream struct {
	id     uint32
	blocks []block // by seq, each once
}

// at returns the index of the block in which events from the given clock on begin. By the blocks'
// headers it is the last one before which all events are earlier.
func (s *stream) at(clock uint64) int {
	n := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].clock >= clock })
	return max(n-1, 0)
}

// A block locates an Events block. There is one for every 4,000 events or so of
// the file: this is what memory grows with.
type block struct {
	off    int64 // of its header in the file
	seq    uint64
	lost   uint64
	clock  uint64 // of the header: no event of the block is earlier
	length uint32 // of the payload, bytes
	events uint32

	// Where its outline is, see File.outline; outlines is 0 if it has none.
	outlines, outline uint32
	outlineLength     uint16

	indexed bool // an index lists it
	started bool // it may have goroutine starts that no index lists
	damaged bool // found so when its turn came
}

// size returns the bytes that the block takes in the file.
func (b *block) size() int64 { return format.BlockHeader + int64(b.length) }

// spoil notes that b is damaged.
func (f *File) spoil(b *block) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !b.damaged {
		b.damaged = true
		f.damaged += b.size()
		f.found.events -= uint64(b.events)
		f.found.lost -= b.lost
		if len(f.parts) > 0 {
			p, off := f.part(b.off)
			at := *b
			at.off, at.damaged = off, false
			p.spoil(&at)
		}
	}
}

// batch is how many events are decoded at once: enough to make the loop worth
// it, few enough that they stay in the first-level cache.
const batch = 64

// A blockReader decodes Events blocks, one after the other.
type blockReader struct {
	f      *File
	header format.EventsHeader
	dec    format.Decoder
	buf    []byte // the block
	batch  [batch]format.Event
}

// open makes dec read b. Errors wrap format.ErrDamaged if b is not what was written.
func (r *blockReader) open(b *block) error {
	var payload []byte
	var err error
	if payload, r.buf, err = r.f.readBlock(b.off, int(b.length), r.buf); err != nil {
		return err
	}
	if r.header, err = r.dec.Reset(payload); err == nil && !b.is(&r.header) {
		// The index was wrong, or the program, which goes on, has given the block back and used its
		// place again.
		err = fmt.Errorf("block at byte %d is another one than was found there: %w", b.off, format.ErrDamaged)
	}
	return err
}

// is reports whether h is the header of the block.
func (b *block) is(h *format.EventsHeader) bool {
	return h.Seq == b.seq && h.Clock == b.clock && h.Events == uint64(b.events) && h.Lost == b.lost
}

// openOutline makes dec read the outline of b, and reports whether there is one.
func (r *blockReader) openOutline(b *block) bool {
	payload := r.f.outline(b)
	if payload == nil {
		return false
	}
	var err error
	r.header, err = r.dec.Reset(payload)
	return err == nil && r.header.Seq == b.seq && r.header.Clock == b.clock
}

// each calls do for each event of b. Errors are those of open; do may have been
// called before one.
func (r *blockReader) each(b *block, do func(ev *Event)) error {
	if err := r.open(b); err != nil {
		return err
	}
	for n := r.dec.Read(r.batch[:]); n > 0; n = r.dec.Read(r.batch[:]) {
		events := r.batch[:n]
		for i := range events {
			do(&events[i])
		}
	}
	return r.dec.Err()
}

// readBlock reads the block at off, header and payload, by way of buf, which it
// returns to be used again. Errors wrap format.ErrDamaged if the block is not
// what was written.
func (f *File) readBlock(off int64, length int, buf []byte) (payload, grown []byte, err error) {
	n := format.BlockHeader + length
	if cap(buf) < n {
		// Blocks of one stream are of about the same size.
		buf = make([]byte, n+n/4)
	}
	buf = buf[:n]
	if got, err := f.r.ReadAt(buf, off); got < n {
		if isEOF(err) {
			err = fmt.Errorf("block at byte %d cut off: %w", off, format.ErrDamaged)
		}
		return nil, buf, err
	}
	b, err := format.ParseBlock(buf)
	if err == nil {
		err = b.Check(buf[format.BlockHeader:])
	}
	if err != nil {
		return nil, buf, fmt.Errorf("block at byte %d: %w", off, err)
	}
	return buf[format.BlockHeader:], buf, nil
}

// CountIn returns how many events there are in the blocks that hold those of a range, as their
// headers tell it. They are at least as many as EventsIn gives for that range, and what EventsIn
// has to read.
func (f *File) CountIn(r Range) (events uint64) {
	for _, s := range f.streams {
		for _, b := range s.blocks[s.at(r.From):] {
			if b.clock > r.end() {
				break
			}
			events += uint64(b.events)
		}
	}
	return events
}
