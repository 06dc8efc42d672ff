package format

import "encoding/binary"

// Blocks that help readers to find others.
const (
	BlockIndex    BlockKind = 13
	BlockOutlines BlockKind = 14
)

// Limits of an index.
const (
	// IndexEvery is how many blocks a writer lists in one Index block. They are few, as readers have
	// to look for the blocks behind the last one. They are enough that reading all Index blocks takes
	// few steps.
	IndexEvery = 1024

	// IndexBytes is how many bytes of blocks a writer lists in one Index block, about.
	IndexBytes = 8 << 20

	// MaxStarts is how many goroutine starts of one block are listed.
	MaxStarts = 64

	// OutlineShare is an Indexer's Share of recordings.
	OutlineShare = 4
)

// An Index lists the blocks from one offset in the file to another, where its own block begins.
type Index struct {
	At       uint64 // offset of the Index block
	Previous uint64 // offset of the Index block before, 0 if it is the first
	From     uint64 // offset of the first block that is listed
	Entries  []IndexEntry
}

// An IndexEntry is a block of a file. Only Events blocks have more than kind and length.
type IndexEntry struct {
	Kind   BlockKind
	Length int // of the payload, bytes
	EventsHeader
	Outline int // length of its outline in the Outlines block at the end of the list; 0 if there is none

	// Starts are the block's goroutine starts; MoreStarts says that there are more than could be listed.
	Starts     []GoroutineStart
	MoreStarts bool
}

// A GoroutineStart is the start of a goroutine.
type GoroutineStart struct {
	Clock, Goroutine, Parent uint64
	Origin                   uint32
}

// An IndexWriter puts the payload of an Index block together. The zero value is ready to use.
type IndexWriter struct {
	entries []byte
	n       int
	delta   indexDelta
}

// indexDelta is what numbers of an entry are told by, as differences.
type indexDelta struct{ seq, clock uint64 }

// Len returns the number of blocks that are listed.
func (w *IndexWriter) Len() int { return w.n }

// Size returns how long the payload gets at most, bytes.
func (w *IndexWriter) Size() int { return len(w.entries) + 4*binary.MaxVarintLen64 }

// Reset empties the list.
func (w *IndexWriter) Reset() { *w = IndexWriter{entries: w.entries[:0]} }

// Add lists a block.
func (w *IndexWriter) Add(e *IndexEntry) {
	b := binary.AppendUvarint(append(w.entries, byte(e.Kind)), uint64(e.Length))
	if e.Kind == BlockEvents {
		b = binary.AppendUvarint(b, uint64(e.Stream))
		b = binary.AppendVarint(b, int64(e.Seq-w.delta.seq))
		b = binary.AppendVarint(b, int64(e.Clock-w.delta.clock))
		w.delta = indexDelta{e.Seq, e.Clock}
		b = binary.AppendUvarint(b, e.Events)
		b = binary.AppendUvarint(b, e.Lost)
		b = binary.AppendUvarint(b, uint64(e.Outline))
		starts := e.Starts
		if e.MoreStarts {
			b, starts = binary.AppendUvarint(b, MaxStarts+1), nil
		} else {
			b = binary.AppendUvarint(b, uint64(len(starts)))
		}
		for _, s := range starts {
			b = binary.AppendUvarint(b, s.Clock-e.Clock)
			b = binary.AppendUvarint(b, s.Goroutine)
			b = binary.AppendUvarint(b, s.Parent)
			b = binary.AppendUvarint(b, uint64(s.Origin))
		}
	}
	w.entries = b
	w.n++
}

// AppendTo appends the payload of the Index block at an offset.
func (w *IndexWriter) AppendTo(dst []byte, at, previous, from uint64) []byte {
	dst = binary.AppendUvarint(dst, at)
	dst = binary.AppendUvarint(dst, previous)
	dst = binary.AppendUvarint(dst, from)
	dst = binary.AppendUvarint(dst, uint64(w.n))
	return append(dst, w.entries...)
}

// ParseIndex reads the payload of an Index block. It is an error if the lengths of the blocks don't
// add up to the part of the file that the index says it lists.
func ParseIndex(payload []byte) (Index, error) {
	c := cursor{b: payload}
	x := Index{At: c.uvarint(), Previous: c.uvarint(), From: c.uvarint()}
	n := c.count(2)
	if x.From > x.At || uint64(n) > (x.At-x.From)/BlockHeader {
		c.fail("more blocks than there is room for")
		n = 0
	}
	x.Entries = make([]IndexEntry, 0, min(n, 1<<16)) // a file says any number
	off, outlines := x.From, 0
	var delta indexDelta
	for i := n; i > 0 && c.err == nil; i-- {
		e := IndexEntry{Kind: BlockKind(c.byte())}
		length := c.uvarint()
		if length > MaxPayload || e.Kind == BlockEvents && length > MaxEvents {
			c.fail("bad length of a block")
			break
		}
		e.Length = int(length)
		off += BlockHeader + length
		if e.Kind == BlockEvents {
			c.events(&e, delta)
			delta = indexDelta{e.Seq, e.Clock}
			outlines += e.Outline
		}
		x.Entries = append(x.Entries, e)
	}
	if last := len(x.Entries) - 1; outlines > 0 && (last < 0 || x.Entries[last].Kind != BlockOutlines || x.Entries[last].Length != outlines) {
		c.fail("bad outlines")
	}
	if c.err == nil && (len(c.b) > 0 || off != x.At || x.From < HeaderSize || x.Previous > x.From) {
		c.fail("bad index")
	}
	return x, c.err
}

// events reads what an index says of an Events block.
func (c *cursor) events(e *IndexEntry, delta indexDelta) {
	stream := c.uvarint()
	if stream >= MaxStreams {
		c.fail("bad stream")
	}
	e.Stream = uint32(stream)
	e.Seq = delta.seq + uint64(c.varint())
	e.Clock = delta.clock + uint64(c.varint())
	e.Events, e.Lost = c.uvarint(), c.uvarint()
	outline := c.uvarint()
	if e.Events > uint64(e.Length) || outline > uint64(e.Length) {
		c.fail("bad numbers of a block")
		return
	}
	e.Outline = int(outline)
	n := c.uvarint()
	if e.MoreStarts = n > MaxStarts; e.MoreStarts || n == 0 || c.err != nil {
		return
	}
	e.Starts = make([]GoroutineStart, 0, min(n, uint64(len(c.b)/4)))
	for ; n > 0 && c.err == nil; n-- {
		e.Starts = append(e.Starts, GoroutineStart{e.Clock + c.uvarint(), c.uvarint(), c.uvarint(), uint32(c.uvarint())})
	}
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.fail("bad number")
		return 0
	}
	c.b = c.b[n:]
	return v
}
