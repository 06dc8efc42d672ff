package calltreetest

import (
	"bytes"
	"strconv"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A Recording is what File writes.
type Recording struct {
	Events  []format.Event // in order of time
	Tables  []Table        // with site ids from 1 on
	Origins []format.Origin
	Tests   []format.TestEvent // of a test binary
	Lost    uint64
	End     uint64 // clock; with 0 the file lacks its end, as a killed program's does
	Start   uint64 // clock at the start, that of events and End counts from it
	Hz      uint64 // ticks per second; 0 is 1e9, so that a tick is a nanosecond
}

// A Table is the sites of a package.
type Table struct {
	Package string
	Sites   []format.Site
}

const perBlock = 100 // events

// Bytes gives the trace file of the recording.
func (r *Recording) Bytes() []byte {
	hz := r.Hz
	if hz == 0 {
		hz = 1e9
	}
	file := format.AppendHeader(nil)
	block := func(kind format.BlockKind, payload []byte) { file = format.AppendBlock(file, kind, payload) }
	clock := func(c uint64) {
		ns := int64(c/hz*1e9 + c%hz*1e9/hz)
		block(format.BlockClock, format.AppendClock(nil, format.ClockPair{
			Clock: r.Start + c, UnixNano: 1_700_000_000_000_000_000 + ns, MonoNano: 5_000_000_000 + ns,
		}))
	}
	block(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{
		{Key: format.MetaProgram, Value: "/bin/prog"},
		{Key: format.MetaGo, Value: "go1.26.8"},
		{Key: format.MetaGOOS, Value: "linux"},
		{Key: format.MetaGOARCH, Value: "amd64"},
		{Key: format.MetaHost, Value: "host"},
		{Key: format.MetaCPUs, Value: "2"},
		{Key: format.MetaPID, Value: "42"},
		{Key: format.MetaClock, Value: "tsc"},
		{Key: format.MetaHz, Value: strconv.FormatUint(hz, 10)},
	}))
	clock(0)
	base := uint32(1)
	for _, t := range r.Tables {
		block(format.BlockSites, format.AppendSites(nil, base, string(format.AppendTable(nil, t.Package, t.Sites))))
		base += uint32(len(t.Sites))
	}
	if len(r.Origins) > 0 {
		block(format.BlockOrigins, format.AppendOrigins(nil, r.Origins))
	}
	for _, t := range r.Tests {
		t.Clock += r.Start
		block(format.BlockTests, format.AppendTests(nil, []format.TestEvent{t}))
	}

	streams := make(map[uint32][]format.Event) // not in a block yet
	var seq, events uint64
	flush := func(stream uint32) {
		seq++
		payload, n := r.chunk(stream, seq, streams[stream])
		block(format.BlockEvents, payload)
		events += uint64(n)
		delete(streams, stream)
	}
	for _, ev := range r.Events {
		if streams[ev.Stream] = append(streams[ev.Stream], ev); len(streams[ev.Stream]) == perBlock {
			flush(ev.Stream)
		}
	}
	for stream := uint32(0); len(streams) > 0; stream++ {
		if len(streams[stream]) > 0 {
			flush(stream)
		}
	}
	if r.End > 0 {
		clock(r.End)
		block(format.BlockEnd, format.AppendTrailer(nil, format.Trailer{Clock: r.Start + r.End, Events: events, Lost: r.Lost}))
	}
	return file
}

// Open gives the recording as the file that a reader sees.
func (r *Recording) Open() (*tracefile.File, error) {
	b := r.Bytes()
	return tracefile.NewFile(bytes.NewReader(b), int64(len(b)))
}

// chunk gives the payload of a block with the events, all of one stream, and how
// many of them count as events.
func (r *Recording) chunk(stream uint32, seq uint64, events []format.Event) ([]byte, int) {
	h := format.Chunk{Stream: stream, Seq: seq, Clock: r.Start + events[0].Clock, Goroutine: events[0].Goroutine}
	running := h.Goroutine
	var recs []format.Record
	for _, ev := range events {
		add := func(word uint64) { recs = append(recs, format.Record{Clock: r.Start + ev.Clock, Word: word}) }
		code := func(code, value uint64) { add(format.FirstCode<<format.SiteShift | code<<format.CodeShift | value) }
		if ev.Goroutine != running {
			running = ev.Goroutine
			code(format.CodeGo, running)
		}
		call := uint64(ev.Site)<<format.SiteShift | uint64(ev.Token)
		switch ev.Kind {
		case format.Enter:
			add(call)
		case format.Exit:
			add(call | format.ExitBit)
		case format.Start:
			code(format.CodeStart, ev.Value)
			code(format.CodeOrigin, uint64(ev.Origin))
		case format.End:
			code(format.CodeEnd, 0)
		case format.Panic:
			code(format.CodePanic, uint64(ev.Token))
		case format.Recover:
			code(format.CodeRecover, uint64(ev.Token))
		case format.Goexit:
			code(format.CodeGoexit, uint64(ev.Token))
		}
	}
	var e format.Encoder
	return e.Append(nil, h, recs)
}
