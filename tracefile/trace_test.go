package tracefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/format"
)

// A traceWriter writes the trace of a program that never ran.
type traceWriter struct {
	file []byte
	enc  format.Encoder
	seq  uint64
}

const (
	testHz    = 2_000_000_000
	testStart = 1_000_000           // ticks
	testUnix  = 1_700_000_000 * 1e9 // ns
	testMono  = 5_000_000_000       // ns
	testSites = 64
)

// pairAt gives the clock pair at clock, with a clock of testHz.
func pairAt(clock uint64) format.ClockPair {
	ns := int64(clock-testStart) / 2
	return format.ClockPair{Clock: clock, UnixNano: testUnix + ns, MonoNano: testMono + ns}
}

// newTrace begins a file with its Meta, Clock and Sites blocks; meta adds to the
// facts that every file has.
func newTrace(meta ...format.KeyValue) *traceWriter {
	w := &traceWriter{file: format.AppendHeader(nil)}
	w.block(format.BlockMeta, format.AppendMeta(nil, append([]format.KeyValue{
		{Key: format.MetaProgram, Value: "/bin/prog"},
		{Key: format.MetaGo, Value: "go1.26.8"},
		{Key: format.MetaGOOS, Value: "linux"},
		{Key: format.MetaGOARCH, Value: "amd64"},
		{Key: format.MetaHost, Value: "host"},
		{Key: format.MetaCPUs, Value: "2"},
		{Key: format.MetaPID, Value: "42"},
		{Key: format.MetaClock, Value: "tsc"},
		{Key: format.MetaHz, Value: fmt.Sprint(testHz)},
	}, meta...)))
	w.clock(testStart)
	var sites []format.Site
	for i := 0; i < testSites; i++ {
		sites = append(sites, format.Site{Name: fmt.Sprintf("example.com/m/p.F%d", i), File: fmt.Sprintf("p%d.go", i/8), Line: 10 * i})
	}
	w.block(format.BlockSites, format.AppendSites(nil, 1, string(format.AppendTable(nil, "example.com/m/p", sites))))
	return w
}

func (w *traceWriter) block(kind format.BlockKind, payload []byte) {
	w.file = format.AppendBlock(w.file, kind, payload)
}

func (w *traceWriter) clock(clock uint64) {
	w.block(format.BlockClock, format.AppendClock(nil, pairAt(clock)))
}

// chunk writes the records of a chunk and gives its header.
func (w *traceWriter) chunk(stream uint32, goroutine uint64, recs []format.Record) format.Chunk {
	w.seq++
	h := format.Chunk{State: format.ChunkFull, Stream: stream, Seq: w.seq, Clock: recs[0].Clock - 1, Goroutine: goroutine}
	w.events(h, recs)
	return h
}

func (w *traceWriter) events(h format.Chunk, recs []format.Record) {
	payload, _ := w.enc.Append(nil, h, recs)
	w.block(format.BlockEvents, payload)
}

func (w *traceWriter) end(clock uint64, t format.Trailer) {
	w.clock(clock)
	t.Clock = clock
	w.block(format.BlockEnd, format.AppendTrailer(nil, t))
}

func (w *traceWriter) open(t testing.TB) *File {
	t.Helper()
	return openBytes(t, w.file)
}

func openBytes(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A walker makes the records of a goroutine that calls functions at random, in
// the way programs do: each function calls the same few others.
type walker struct {
	rnd   *rand.Rand
	clock uint64
	stack []format.Record // the open calls
}

func newWalker(seed int64, clock uint64) *walker {
	return &walker{rnd: rand.New(rand.NewSource(seed)), clock: clock}
}

// walk appends n enters and exits, on average gap ticks apart. The clock stays
// odd or even.
func (w *walker) walk(recs []format.Record, n, gap int) []format.Record {
	for ; n > 0; n-- {
		w.clock += 2 * uint64(1+w.rnd.Intn(gap))
		depth := len(w.stack)
		if depth > 0 && (depth > 12 || w.rnd.Intn(2) == 0) {
			r := w.stack[depth-1]
			w.stack = w.stack[:depth-1]
			recs = append(recs, format.Record{Clock: w.clock, Word: r.Word | format.ExitBit})
			continue
		}
		site, token := uint64(1), uint64(128)
		if depth > 0 {
			caller := w.stack[depth-1].Word
			site = 1 + (caller>>format.SiteShift*7+uint64(w.rnd.Intn(8))/6)%testSites
			token = uint64(uint32(caller)) + 64 + site%4*16
		}
		r := format.Record{Clock: w.clock, Word: site<<format.SiteShift | token}
		w.stack = append(w.stack, r)
		recs = append(recs, r)
	}
	return recs
}

func word(code, value uint64) uint64 {
	return format.FirstCode<<format.SiteShift | code<<format.CodeShift | value
}

// all reads the events of f.
func all(t testing.TB, f *File) []format.Event {
	t.Helper()
	var evs []format.Event
	var ev format.Event
	e := f.Events()
	for e.Next(&ev) {
		ev.Data = bytes.Clone(ev.Data)
		evs = append(evs, ev)
	}
	if err := e.Err(); err != nil {
		t.Fatal(err)
	}
	return evs
}

// blockOffsets gives the offsets of the blocks of a file that is not damaged, and its end.
func blockOffsets(file []byte) []int {
	offs := []int{format.HeaderSize}
	for off := format.HeaderSize; off < len(file); {
		off += format.BlockHeader + int(binary.LittleEndian.Uint32(file[off+8:]))
		offs = append(offs, off)
	}
	return offs
}
