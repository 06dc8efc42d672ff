// Package tracetest writes trace files of programs that never ran, for tests of
// what reads them. It builds on package format alone, so that package tracefile's
// own tests can use it.
package tracetest

import (
	"encoding/binary"
	"strconv"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Clock is that of the program, and relates it to others.
type Clock struct {
	Hz    uint64 // ticks per second
	Start uint64 // ticks at the start of the recording
	Unix  int64  // ns at the start
	Mono  int64  // ns at the start
}

// At returns the pair of readings at clock.
func (c Clock) At(clock uint64) format.ClockPair {
	ticks := clock - c.Start
	ns := int64(ticks/c.Hz*1e9 + ticks%c.Hz*1e9/c.Hz)
	return format.ClockPair{Clock: clock, UnixNano: c.Unix + ns, MonoNano: c.Mono + ns}
}

// A Writer puts a file together.
type Writer struct {
	File  []byte
	Seq   uint64 // of the latest chunk
	Clock Clock

	// IndexEvery is after how many blocks of events there is an Index block, 0 for none. Last is
	// whether there is one at the end, too. What has been taken out of File before is Taken bytes long.
	IndexEvery int
	Last       bool
	Outlines   bool // all of them, however long
	Taken      int64

	enc      format.Encoder
	outliner format.Outliner
	indexer  format.Indexer
	blocks   int // of events
}

// New begins a file with its header, Meta and first Clock block. meta adds to the
// facts that every file has, or replaces them.
func New(c Clock, meta ...format.KeyValue) *Writer {
	w := &Writer{File: format.AppendHeader(nil), Clock: c}
	w.indexer.Begin()
	w.enc.Outliner = &w.outliner
	w.Block(format.BlockMeta, format.AppendMeta(nil, append([]format.KeyValue{
		{Key: format.MetaProgram, Value: "/bin/prog"},
		{Key: format.MetaGo, Value: "go1.26.8"},
		{Key: format.MetaGOOS, Value: "linux"},
		{Key: format.MetaGOARCH, Value: "amd64"},
		{Key: format.MetaHost, Value: "host"},
		{Key: format.MetaCPUs, Value: "2"},
		{Key: format.MetaPID, Value: "42"},
		{Key: format.MetaClock, Value: "tsc"},
		{Key: format.MetaHz, Value: strconv.FormatUint(c.Hz, 10)},
	}, meta...)))
	w.Pair(c.Start)
	return w
}

// Block appends a block.
func (w *Writer) Block(kind format.BlockKind, payload []byte) {
	w.File = format.AppendBlock(w.File, kind, payload)
}

// Pair appends a Clock block.
func (w *Writer) Pair(clock uint64) {
	w.Block(format.BlockClock, format.AppendClock(nil, w.Clock.At(clock)))
}

// Sites appends a table of sites with the ids from base on.
func (w *Writer) Sites(base uint32, pkg string, sites []format.Site) {
	w.Facility(base, pkg, sites, format.Facility{})
}

// Facility is Sites for a package of which some functions have directives.
func (w *Writer) Facility(base uint32, pkg string, sites []format.Site, f format.Facility) {
	table := format.AppendTable(nil, pkg, sites)
	if len(f.Functions) > 0 {
		table = format.AppendFacility(table, sites, f)
	}
	w.Block(format.BlockSites, format.AppendSites(nil, base, string(table)))
}

// Chunk appends the records of a chunk and returns the header of the chunk.
func (w *Writer) Chunk(stream uint32, goroutine uint64, recs []format.Record) format.Chunk {
	w.Seq++
	h := format.Chunk{State: format.ChunkFull, Stream: stream, Seq: w.Seq, Clock: recs[0].Clock - 1, Goroutine: goroutine}
	w.Events(h, recs)
	return h
}

// Values returns the records of the values of the event before them. data is what package value
// reads.
func Values(clock uint64, data []byte) []format.Record {
	word := uint64(format.FirstCode)<<format.SiteShift | format.CodeValues<<format.CodeShift | uint64(len(data))
	list := []format.Record{{Clock: clock, Word: word}}
	for ; len(data) > 0; data = data[min(len(data), format.RecordSize):] {
		var b [format.RecordSize]byte
		copy(b[:], data)
		list = append(list, format.Record{Clock: binary.LittleEndian.Uint64(b[:8]), Word: binary.LittleEndian.Uint64(b[8:])})
	}
	return list
}

// Events appends the records of the chunk h, and returns how many records count as events.
func (w *Writer) Events(h format.Chunk, recs []format.Record) int {
	start := len(w.File)
	payload, n := w.enc.Append(nil, h, recs)
	w.Block(format.BlockEvents, payload)
	if w.Outlines {
		w.indexer.Share = 1
	}
	w.indexer.Events(w.File, start, h, n, w.outliner.Outline())
	if w.blocks++; w.IndexEvery > 0 && w.blocks%w.IndexEvery == 0 {
		w.Index()
	}
	return n
}

// Index appends an Index block.
func (w *Writer) Index() { w.File = w.indexer.AppendTo(w.File, w.Taken) }

// Take returns what has been written, and makes File empty.
func (w *Writer) Take() []byte {
	w.indexer.Written(w.File)
	b := w.File
	w.Taken += int64(len(b))
	w.File = nil
	return b
}

// End appends the last Clock block and the End block. t lacks its clock.
func (w *Writer) End(clock uint64, t format.Trailer) {
	if w.Last {
		w.Index()
	}
	w.Pair(clock)
	t.Clock = clock
	w.Block(format.BlockEnd, format.AppendTrailer(nil, t))
}
