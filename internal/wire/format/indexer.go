package format

// An Indexer makes the Index blocks of a file that is being written. With them readers find the
// blocks of a large file without looking at each. Begin it before anything is written. An indexer
// that has not begun does nothing.
//
// Its methods take what is to be written to the file next. The file's blocks are listed in order.
// Once bytes get lost or come twice, the file gets no more Index blocks: readers look for its blocks.
type Indexer struct {
	// Share is how many times longer than its outline a block is, at least. Readers read the block
	// itself if there is no outline.
	Share int

	on       bool
	w        IndexWriter
	enc      Encoder // of outlines
	outlines []byte
	listed   int   // bytes of what is to be written that are listed, or are an Index block
	end      int64 // offset in the file behind these
	from     int64 // offset of the first block in w
	previous int64 // offset of the latest Index block
	events   int   // blocks of events in the file
}

// fewestIndexed is how many blocks of events a file has at least that gets an index. If there are
// fewer the reader looks at all in no time.
const fewestIndexed = 64

// outlinesAtOnce is how many bytes of outlines are kept in memory until they are written.
const outlinesAtOnce = 256 << 10

// Begin begins the index of a file, whose header is still to be written.
func (x *Indexer) Begin() {
	*x = Indexer{Share: OutlineShare, on: true, listed: HeaderSize, end: HeaderSize, from: HeaderSize}
}

// Stop ends the index: what has been listed will not be written.
func (x *Indexer) Stop() { x.on = false }

// list lists the blocks in buf, as far as they aren't listed. None is of events.
func (x *Indexer) list(buf []byte) {
	if x.listed > len(buf) {
		x.on = false // what has been listed was not written
	}
	for x.on && x.listed < len(buf) {
		h, err := ParseBlock(buf[x.listed:])
		if err != nil || h.Kind == BlockEvents {
			x.on = false
			return
		}
		x.w.Add(&IndexEntry{Kind: h.Kind, Length: h.Length})
		x.skip(BlockHeader + h.Length)
	}
}

// skip notes that the next bytes of what is to be written are in the index.
func (x *Indexer) skip(n int) {
	x.listed += n
	x.end += int64(n)
}

// Events lists the block of the chunk h, the last one in buf, that begins at start.
func (x *Indexer) Events(buf []byte, start int, h Chunk, events int, outline Outline) {
	x.list(buf[:start])
	if !x.on {
		return
	}
	n := len(buf) - start
	e := IndexEntry{
		Kind: BlockEvents, Length: n - BlockHeader,
		EventsHeader: EventsHeader{Stream: h.Stream, Seq: h.Seq, Clock: h.Clock, Events: uint64(events), Lost: h.Lost},
		Starts:       outline.Starts, MoreStarts: !outline.Whole || len(outline.Starts) > MaxStarts,
	}
	if outline.Whole {
		before := len(x.outlines)
		x.outlines, _ = x.enc.Append(x.outlines, h, outline.Records)
		if e.Outline = len(x.outlines) - before; e.Outline > e.Length/x.Share {
			x.outlines, e.Outline = x.outlines[:before], 0
		}
	}
	x.w.Add(&e)
	x.skip(n)
	x.events++
}

// Written lists what is left of buf, which has been written.
func (x *Indexer) Written(buf []byte) {
	x.list(buf)
	x.listed = 0
}

// Full reports whether it is time for an Index block.
func (x *Indexer) Full() bool {
	return x.on && (x.w.Len() >= IndexEvery || len(x.outlines) >= outlinesAtOnce || x.end-x.from >= IndexBytes)
}

// Wanted reports whether the file is large enough for a last Index block.
func (x *Indexer) Wanted() bool {
	return x.on && x.w.Len() > 0 && (x.previous > 0 || x.events >= fewestIndexed)
}

// Size returns how many bytes AppendTo adds at most.
func (x *Indexer) Size() int {
	if !x.on {
		return 0
	}
	return 2*BlockHeader + len(x.outlines) + x.w.Size() + 64
}

// AppendTo appends an Index block to buf, with all blocks since the one before. The file has size
// bytes before buf.
func (x *Indexer) AppendTo(buf []byte, size int64) []byte {
	x.list(buf)
	if !x.on || x.end != size+int64(len(buf)) {
		x.on = false
		return buf
	}
	if len(x.outlines) > 0 {
		buf = AppendBlock(buf, BlockOutlines, x.outlines)
		x.list(buf)
	}
	start := len(buf)
	buf = x.w.AppendTo(BeginBlock(buf, BlockIndex), uint64(x.end), uint64(x.previous), uint64(x.from))
	buf = EndBlock(buf, start)
	x.previous = x.end
	x.skip(len(buf) - x.listed)
	x.from = x.end
	x.outlines = x.outlines[:0]
	x.w.Reset()
	return buf
}
