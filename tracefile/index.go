package tracefile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// maxEventsHeader is how long the header of an Events payload can get, bytes:
// six uvarints.
const maxEventsHeader = 6 * 10

// An indexer finds the blocks of a file. Those that hold events are checked when they are read.
// Until then their lengths are taken on trust. Only a place where no block begins makes the indexer
// look closer.
type indexer struct {
	f       *File
	win     window
	buf     []byte
	streams map[uint32]*stream
	first   uint64       // the earliest clock of an Events block
	end     int64        // offset at which searching for blocks ends
	others  []otherBlock // that an index lists, the last one first

	// The stream whose last block ends where the next one is expected, but
	// hasn't been checked. nil if what is there has.
	unchecked *stream

	// What searching for blocks may still read, in bytes. Each place that looks like a header costs
	// reading the whole block. A file made of nothing else must not take time by the square of its
	// size.
	budget int64

	indexBudget int64 // the same for Index blocks
}

// buildIndex fills in f from the blocks of its file.
func buildIndex(f *File) error {
	x := indexer{
		f:       f,
		win:     window{r: f.r},
		streams: make(map[uint32]*stream),
		first:   ^uint64(0),
		budget:  4*f.size + 4*format.MaxPayload,

		indexBudget: 2*f.size + 1<<20,
	}
	from, to, err := x.indexed()
	if err == nil && from > 0 {
		if err = x.scan(format.HeaderSize, from); err == nil {
			err = x.readOthers()
		}
		f.tail = to
	}
	if err == nil {
		err = x.scan(max(to, format.HeaderSize), f.size)
	}
	if err == nil {
		err = x.finish()
	}
	if err != nil {
		return err
	}
	f.setTimeline(x.first)
	return nil
}

// scan takes in the blocks from one offset to another, at which the file ends or a block begins.
func (x *indexer) scan(off, end int64) error {
	x.end = end
	for off < end || x.unchecked != nil && end == x.f.size {
		next, err := x.block(off)
		if errors.Is(err, format.ErrDamaged) {
			if x.endless(off) {
				break
			}
			if off, err = x.retract(off); err == nil && off < end {
				next, err = x.resync(off)
			} else {
				next = off
			}
		}
		if err != nil {
			return err
		}
		off = next
	}
	x.unchecked = nil
	return nil
}

// partEnd is what a part ends with.
var partEnd = []format.BlockKind{format.BlockOutlines, format.BlockIndex, format.BlockClock, format.BlockEnd}

// endless reports whether a kill came while the recorder wrote the end of a part, and the written
// part of that end is at off. It is a block that tells nothing of the program, and that the file's
// end cuts. All that happened in such a part was written before.
func (x *indexer) endless(off int64) bool {
	if _, rotated := x.f.meta[format.MetaPart]; !rotated || x.end != x.f.size || off >= x.end {
		return false
	}
	b, err := x.win.at(off, format.BlockHeader)
	if err != nil {
		return false
	}
	h, err := format.ParseBlock(b)
	return err == nil && off+format.BlockHeader+int64(h.Length) > x.end &&
		slices.Contains(partEnd, h.Kind)
}

// block takes in the block at off and gives the offset of the next one.
func (x *indexer) block(off int64) (next int64, err error) {
	b, err := x.win.at(off, format.BlockHeader+maxEventsHeader)
	if err != nil {
		return 0, err
	}
	h, err := format.ParseBlock(b)
	if err != nil {
		return 0, err
	}
	next = off + format.BlockHeader + int64(h.Length)
	if next > x.end {
		return 0, format.ErrDamaged
	}
	if h.Kind == format.BlockEvents {
		b = b[format.BlockHeader:]
		err = x.events(off, b[:min(len(b), h.Length)], h.Length)
	} else {
		var payload []byte
		if payload, x.buf, err = x.f.readBlock(off, h.Length, x.buf); err == nil {
			err = x.f.parse(h.Kind, payload)
		}
		if err == nil && h.Kind == format.BlockGap {
			next, err = x.f.gap(payload, next)
		}
		if err == nil {
			x.unchecked = nil
		}
	}
	if err != nil {
		return 0, err
	}
	x.f.blocks++
	x.f.tail = next
	return next, nil
}

// events takes in an Events block whose payload begins with head.
func (x *indexer) events(off int64, head []byte, length int) error {
	h, _, err := format.ParseEventsHeader(head)
	if err != nil {
		return err
	}
	if h.Events > uint64(length) {
		return fmt.Errorf("%d events in a block of %d bytes: %w", h.Events, length, format.ErrDamaged)
	}
	s := x.stream(h.Stream)
	s.blocks = append(s.blocks, block{
		off: off, seq: h.Seq, lost: h.Lost, clock: h.Clock, length: uint32(length), events: uint32(h.Events), started: true})
	x.first = min(x.first, h.Clock)
	x.unchecked = s
	return nil
}

// stream returns the stream with the given id.
func (x *indexer) stream(id uint32) *stream {
	s := x.streams[id]
	if s == nil {
		s = &stream{id: id}
		x.streams[id] = s
	}
	return s
}

// retract is called when no block begins at off. If that is because the block
// before has a wrong length, it takes that one out and gives its offset.
func (x *indexer) retract(off int64) (int64, error) {
	s := x.unchecked
	x.unchecked = nil
	if s == nil {
		return off, nil
	}
	last := &s.blocks[len(s.blocks)-1]
	if whole, err := x.check(last.off, int(last.length)); whole || err != nil {
		return off, err
	}
	off = last.off
	s.blocks = s.blocks[:len(s.blocks)-1]
	x.f.blocks--
	x.f.tail = off
	return off, nil
}

// resync finds the first block behind off that is whole, and counts what is
// before it as damaged.
func (x *indexer) resync(off int64) (int64, error) {
	at, whole := off, false
	for !whole {
		var err error
		if at, err = x.find(at + 1); err == nil && at < x.end {
			whole, err = x.whole(at)
		}
		if err != nil {
			return 0, err
		}
		if at >= x.end || x.budget < 0 {
			at = x.end
			break
		}
	}
	x.f.damaged += at - off
	return at, nil
}

// find returns the offset of the first block magic from at on, or the end of the file.
func (x *indexer) find(at int64) (int64, error) {
	magic := format.BlockMagic()
	for {
		if _, err := x.win.at(at, format.BlockHeader); err != nil {
			return 0, err
		}
		b := x.win.rest(at)
		if len(b) < format.BlockHeader {
			return x.f.size, nil
		}
		if i := bytes.Index(b, magic); i >= 0 {
			return at + int64(i), nil
		}
		at += int64(len(b) - len(magic) + 1) // the magic may begin in the last bytes
	}
}

// whole reports whether the block at off is what was written.
func (x *indexer) whole(off int64) (bool, error) {
	b, err := x.win.at(off, format.BlockHeader)
	if err != nil {
		return false, err
	}
	h, err := format.ParseBlock(b)
	if err != nil || off+format.BlockHeader+int64(h.Length) > x.end {
		return false, nil
	}
	if x.budget -= int64(h.Length); x.budget < 0 {
		return false, nil
	}
	return x.check(off, h.Length)
}

// check reads the block at off and reports whether it is what was written.
func (x *indexer) check(off int64, length int) (bool, error) {
	var err error
	if _, x.buf, err = x.f.readBlock(off, length, x.buf); errors.Is(err, format.ErrDamaged) {
		return false, nil
	}
	return err == nil, err
}

// finish puts the streams in order.
func (x *indexer) finish() error {
	f := x.f
	for _, s := range x.streams {
		if err := x.order(s); err != nil {
			return err
		}
		for i := range s.blocks {
			f.found.events += uint64(s.blocks[i].events)
			f.found.lost += s.blocks[i].lost
		}
		f.streams = append(f.streams, s)
	}
	slices.SortFunc(f.streams, func(a, b *stream) int { return cmp.Compare(a.id, b.id) })
	return nil
}

// order sorts the blocks of s and leaves out repeated ones: the first that is
// not damaged counts.
func (x *indexer) order(s *stream) error {
	slices.SortStableFunc(s.blocks, func(a, b block) int { return cmp.Compare(a.seq, b.seq) })
	kept := s.blocks[:0]
	for rest := s.blocks; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].seq == rest[0].seq {
			n++
		}
		one := rest[0]
		if n > 1 {
			var found bool
			var err error
			if one, found, err = x.firstWhole(rest[:n]); err != nil {
				return err
			} else if !found {
				rest = rest[n:]
				continue
			}
		}
		kept, rest = append(kept, one), rest[n:]
	}
	s.blocks = kept
	return nil
}

// firstWhole returns the first of the blocks that is whole, if any is, and counts
// those that are not.
func (x *indexer) firstWhole(blocks []block) (first block, found bool, err error) {
	for _, b := range blocks {
		whole, err := x.check(b.off, int(b.length))
		if err != nil {
			return first, false, err
		}
		if !whole {
			x.f.damaged += b.size()
		} else if !found {
			first, found = b, true
		}
	}
	return first, found, nil
}

// parse takes in a block that holds no events. Whoever made the file chose the names in it: they are
// made printable here, for all who print them.
func (f *File) parse(kind format.BlockKind, payload []byte) error {
	switch kind {
	case format.BlockMeta:
		meta, err := format.ParseMeta(payload)
		for _, kv := range meta {
			if kv.Key != format.MetaArena { // which is opened, and not printed
				kv.Value = names.Printable(kv.Value)
			}
			f.meta[kv.Key] = kv.Value
		}
		return err
	case format.BlockClock:
		p, err := format.ParseClock(payload)
		if err == nil {
			f.pairs = append(f.pairs[:min(len(f.pairs), 1)], p)
		}
		return err
	case format.BlockSites:
		base, pkg, sites, facility, err := format.ParseSites(payload)
		if err == nil {
			pkg = names.Printable(pkg)
			names.MakePrintable(&sites)
			f.funcs.add(newFuncTable(base, pkg, sites, facility))
		}
		return err
	case format.BlockOrigins:
		origins, err := format.ParseOrigins(payload)
		names.MakePrintable(&origins)
		for _, o := range origins {
			f.origins[o.ID] = o
		}
		return err
	case format.BlockTypes:
		types, err := value.ParseTypes(payload)
		names.MakePrintable(&types)
		for _, t := range types {
			f.types[t.ID] = t
		}
		return err
	case format.BlockTests:
		tests, err := format.ParseTests(payload)
		if err != nil {
			return err
		}
		for _, t := range tests {
			f.tests = append(f.tests, testEvent(t))
		}
		return nil
	case format.BlockGroups:
		list, err := format.ParseGroups(payload)
		names.MakePrintable(&list)
		if err == nil {
			f.groups.Add(list)
		}
		return err
	case format.BlockStarts:
		return f.given.start(payload)
	case format.BlockCounts:
		return f.addCounts(payload)
	case format.BlockObjects:
		return f.addObjects(payload)
	case format.BlockEnd:
		t, err := format.ParseTrailer(payload)
		if err == nil {
			f.trailer = &t
		}
		return err
	}
	return nil // a kind of a later version
}

// A window reads short pieces in ascending order, several at once if they are
// close together. Where blocks are long, as they mostly are, most of the file
// is never read.
type window struct {
	r   io.ReaderAt
	off int64
	b   []byte // what is at off
	buf [4096]byte
}

// at returns n bytes at off, fewer at the end of the file. They are valid until
// the next call.
func (w *window) at(off int64, n int) ([]byte, error) {
	if i := off - w.off; i >= 0 && i+int64(n) <= int64(len(w.b)) {
		return w.b[i:][:n], nil
	}
	got, err := w.r.ReadAt(w.buf[:], off)
	if err != nil && !isEOF(err) {
		return nil, err
	}
	w.off, w.b = off, w.buf[:got]
	return w.b[:min(n, got)], nil
}

// rest returns what the window holds from off on.
func (w *window) rest(off int64) []byte { return w.b[off-w.off:] }
