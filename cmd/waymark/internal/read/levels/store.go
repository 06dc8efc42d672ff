package levels

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
)

// An index file is the magic, chunks of strokes, the tables of a contents, Meta as JSON, and a
// trailer:
//
//	trailer = off:u64 length:u32 crc:u32 magic      of Meta
//
// Meta has the places and checksums (CRC-32C) of the tables, and a chunk that of its strokes. All
// numbers are little endian. A file that was not written to its end has no trailer.
const (
	magic   = "wmlevel\n"
	version = 2
	trailer = 8 + 4 + 4 + len(magic)
)

// maxChunk is how many strokes a chunk has at most.
const maxChunk = 256

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Meta is what an index says of itself.
type Meta struct {
	Version  int
	Identity string // of the recording
	Shift    uint   // as in calltree.Sketch
	Levels   int
	Base     int    // lowest level of which there are strokes
	Slot     uint64 // ticks
	Zero     uint64 // clock at which the recording begins
	End      uint64 // and ends

	Events, Calls, Goroutines uint64
	Rows                      []calltree.Row // of the whole recording
	Problems                  calltree.Problems
	Mixed                     uint64
	Strokes                   uint64
	Damaged                   int64
	Lost                      uint64
	Made                      time.Duration // how long it took

	Tables [tables]table
}

// A table is where a table is.
type table struct {
	Off    int64
	Length int64
	CRC    uint32
	Raw    int64 // length of the rows
}

// pack compresses a table whose rows have so many bytes: first come the first bytes of all rows. Rows next to
// each other are alike, and so are most of their bytes.
func pack(rows []byte, width int) []byte {
	n := len(rows) / width
	turned := make([]byte, 0, len(rows))
	for i := range width {
		for row := range n {
			turned = append(turned, rows[row*width+i])
		}
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // errors are of bad levels
	w.Write(turned)
	w.Close()
	return b.Bytes()
}

// unpack returns the rows of what pack returned, and reports whether it is that.
func unpack(b []byte, raw int64, width int) ([]byte, bool) {
	const most = 1032 // times as long as b the result of flate can be
	if raw < 0 || raw > most*int64(len(b)) || raw%int64(width) != 0 {
		return nil, false
	}
	turned := make([]byte, raw)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(b)), turned); err != nil {
		return nil, false
	}
	rows := make([]byte, raw)
	n := len(rows) / width
	for i := range width {
		for row := range n {
			rows[row*width+i] = turned[i*n+row]
		}
	}
	return rows, true
}

const (
	laneTable = iota
	chunkTable
	slotTable
	siteTable
	tables
)

// contents are an index in memory, but for the strokes.
type contents struct {
	Meta
	lanes  []Lane // by id
	chunks []chunk
	slots  []slot
	sites  map[uint32]*[slots / 64]uint64
}

// A chunk is strokes of one lane and kind, in order.
type chunk struct {
	off        uint64
	start, end uint64 // clock: of the earliest, and of the latest
	length     uint32 // bytes
	crc        uint32
	kind       calltree.StrokeKind
	low, high  uint8 // lowest and highest level
	n          uint16
}

// next returns where the next chunk begins, as a rule.
func (c *chunk) next() uint64 { return c.off + uint64(c.length) }

// A writer writes a file from its beginning on.
type writer struct {
	*bufio.Writer
	off int64
}

func newWriter(f io.Writer) *writer {
	w := &writer{Writer: bufio.NewWriterSize(f, 1<<20)}
	w.Write([]byte(magic))
	return w
}

func (w *writer) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.off += int64(n)
	return n, err
}

// A chunker makes chunks of strokes.
type chunker struct {
	w       *writer
	buf     []byte
	at      chunk
	lane    uint64
	strokes []calltree.Stroke // of the chunk
	err     error
}

func newChunker(w *writer) *chunker { return &chunker{w: w} }

// add takes the next stroke, and appends the chunk before it to list if there is one that is full.
func (c *chunker) add(list []chunk, st *calltree.Stroke) []chunk {
	if c.at.n > 0 && (c.at.n == maxChunk || c.lane != st.Goroutine || c.at.kind != st.Kind) {
		list = c.flush(list)
	}
	if c.at.n == 0 {
		c.lane = st.Goroutine
		c.at = chunk{kind: st.Kind, start: st.Start, low: st.Low, off: uint64(c.w.off)}
		c.strokes = c.strokes[:0]
	}
	c.at.n++
	c.at.start, c.at.end = min(c.at.start, st.Start), max(c.at.end, st.End)
	c.at.low, c.at.high = min(c.at.low, st.Low), max(c.at.high, st.High)
	c.strokes = append(c.strokes, *st)
	return list
}

// flush ends the chunk.
func (c *chunker) flush(list []chunk) []chunk {
	if c.at.n == 0 {
		return list
	}
	before := c.at.start // which the table of chunks has
	c.buf = c.buf[:0]
	for i := range c.strokes {
		c.buf = appendStroke(c.buf, &c.strokes[i], before)
		before = c.strokes[i].Start
	}
	c.at.length, c.at.crc = uint32(len(c.buf)), crc32.Checksum(c.buf, castagnoli)
	if _, err := c.w.Write(c.buf); err != nil && c.err == nil {
		c.err = err
	}
	list = append(list, c.at)
	c.at.n = 0
	return list
}

// finish writes what comes behind the strokes.
func (c *contents) finish(w *writer) error {
	le := binary.LittleEndian
	put := func(i int, b []byte) {
		packed := pack(b, widths[i])
		c.Tables[i] = table{w.off, int64(len(packed)), crc32.Checksum(packed, castagnoli), int64(len(b))}
		w.Write(packed)
	}
	var b []byte
	var before Lane
	for i := range c.lanes {
		b = c.lanes[i].append(b, &before)
	}
	put(laneTable, b)
	b = b[:0]
	var last chunk
	for i := range c.chunks {
		k := &c.chunks[i]
		b = le.AppendUint64(b, k.off-last.next())
		b = le.AppendUint64(b, k.start-last.start)
		b = le.AppendUint64(b, k.end-k.start)
		last = *k
		b = le.AppendUint32(b, k.length)
		b = le.AppendUint32(b, k.crc)
		b = append(b, byte(k.kind), k.low, k.high, 0)
		b = le.AppendUint16(b, k.n)
	}
	put(chunkTable, b)
	b = b[:0]
	for _, s := range c.slots {
		b = le.AppendUint64(b, s.events)
		b = le.AppendUint64(b, s.panics)
	}
	put(slotTable, b)
	b = b[:0]
	for _, site := range slices.Sorted(maps.Keys(c.sites)) {
		b = le.AppendUint32(b, site)
		for _, word := range c.sites[site] {
			b = le.AppendUint64(b, word)
		}
	}
	put(siteTable, b)
	meta, err := json.Marshal(&c.Meta)
	if err != nil {
		return err
	}
	b = le.AppendUint64(nil, uint64(w.off))
	b = le.AppendUint32(b, uint32(len(meta)))
	b = le.AppendUint32(b, crc32.Checksum(meta, castagnoli))
	b = append(b, magic...)
	w.Write(meta)
	w.Write(b)
	return w.Flush() // which returns the first error
}

const (
	chunkBytes = 8 + 8 + 8 + 4 + 4 + 4 + 2
	slotBytes  = 16
	siteBytes  = 4 + slots/8
)

var widths = [tables]int{laneTable: laneBytes, chunkTable: chunkBytes, slotTable: slotBytes, siteTable: siteBytes}

// load reads an index, but for its strokes. Errors wrap errDamaged if it is none, or not whole, or of
// another version.
func load(f *os.File) (*contents, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := fi.Size()
	damaged := func(what string) error { return fmt.Errorf("%s: %s is %w", f.Name(), what, errDamaged) }
	read := func(off, length int64, sum uint32, what string) ([]byte, error) {
		if off < 0 || length < 0 || off > size || length > size-off {
			return nil, damaged(what)
		}
		b := make([]byte, length)
		if _, err := f.ReadAt(b, off); err != nil {
			return nil, err
		}
		if crc32.Checksum(b, castagnoli) != sum {
			return nil, damaged(what)
		}
		return b, nil
	}
	if size < int64(trailer+len(magic)) {
		return nil, damaged("the file")
	}
	le := binary.LittleEndian
	b := make([]byte, trailer)
	if _, err := f.ReadAt(b, size-int64(trailer)); err != nil {
		return nil, err
	}
	if string(b[16:]) != magic {
		return nil, damaged("the trailer")
	}
	meta, err := read(int64(le.Uint64(b)), int64(le.Uint32(b[8:])), le.Uint32(b[12:]), "the head")
	if err != nil {
		return nil, err
	}
	c := new(contents)
	if err := json.Unmarshal(meta, &c.Meta); err != nil || c.Version != version || c.Slot == 0 || c.Levels < 1 || c.Levels > maxLevels || c.Shift > 62 {
		return nil, damaged("the head")
	}
	var parts [tables][]byte
	for i, t := range c.Tables {
		packed, err := read(t.Off, t.Length, t.CRC, "a table")
		if err != nil {
			return nil, err
		}
		rows, ok := unpack(packed, t.Raw, widths[i])
		if !ok {
			return nil, damaged("a table")
		}
		parts[i] = rows
	}
	var last chunk
	for b := parts[chunkTable]; len(b) >= chunkBytes; b = b[chunkBytes:] {
		k := chunk{
			off: last.next() + le.Uint64(b), start: last.start + le.Uint64(b[8:]), length: le.Uint32(b[24:]), crc: le.Uint32(b[28:]),
			kind: calltree.StrokeKind(b[32]), low: b[33], high: b[34], n: le.Uint16(b[36:]),
		}
		k.end = k.start + le.Uint64(b[16:])
		c.chunks = append(c.chunks, k)
		last = k
	}
	c.lanes = make([]Lane, 0, len(parts[laneTable])/laneBytes)
	var before Lane
	for b := parts[laneTable]; len(b) >= laneBytes; b = b[laneBytes:] {
		var l Lane
		l.parse(b, &before)
		if l.chunk < 0 || l.chunks < 0 || l.chunk+l.chunks > len(c.chunks) {
			return nil, damaged("the table of lanes")
		}
		c.lanes = append(c.lanes, l)
	}
	for b := parts[slotTable]; len(b) >= slotBytes; b = b[slotBytes:] {
		c.slots = append(c.slots, slot{le.Uint64(b), le.Uint64(b[8:])})
	}
	if len(c.slots) != slots {
		return nil, damaged("the table of slots")
	}
	c.sites = make(map[uint32]*[slots / 64]uint64)
	for b := parts[siteTable]; len(b) >= siteBytes; b = b[siteBytes:] {
		words := new([slots / 64]uint64)
		for i := range words {
			words[i] = le.Uint64(b[4+8*i:])
		}
		c.sites[le.Uint32(b)] = words
	}
	return c, nil
}
