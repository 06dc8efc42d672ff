package calltreetest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A Recording is what File writes.
type Recording struct {
	Events  []tracefile.Event // in order of time
	Tables  []Table           // with site ids from 1 on
	Origins []tracefile.Origin
	Groups  []format.Group
	Tests   []tracefile.TestEvent // of a test binary
	Counts  []Counts
	Gaps    []format.Gap // clocks count from Start
	Budget  string
	Waiting bool          // it says when goroutines ran
	Objects bool          // it says what was made on the heap
	Spawns  bool          // it says when goroutines were started
	CPU     time.Duration // of the process
	Tracing time.Duration // of CPU
	Lost    uint64
	Flags   uint64 // of the trailer
	End     uint64 // clock; with 0 the file lacks its end, as a killed program's does
	Start   uint64 // clock at the start, that of events and End counts from it
	Hz      uint64 // ticks per second; 0 is 1e9, so that a tick is a nanosecond

	PerBlock   int // events in a block; 0 is 100
	IndexEvery int // blocks that each Index block lists, one at the end too; 0 is no index

	Path    string        // the file's name
	Program string        // path; "" is /bin/prog
	PID     int           // 0 is 42
	Nonce   string        // of parts of one recording: the same
	Part    int           // number among those
	Later   time.Duration // how much later than others it was recorded
}

// Counts are what a program says at Clock of sites and of their counted calls.
type Counts struct {
	Clock uint64
	Sites []format.Count
}

// A Table is the sites of a package.
type Table struct {
	Package  string
	Sites    []format.Site
	Facility format.Facility // what directives say of the sites
}

// Bytes returns the trace file of the recording.
func (r *Recording) Bytes() []byte {
	var meta []format.KeyValue
	add := func(key, value string) { meta = append(meta, format.KeyValue{Key: key, Value: value}) }
	if r.Program != "" {
		add(format.MetaProgram, r.Program)
	}
	if r.PID != 0 {
		add(format.MetaPID, strconv.Itoa(r.PID))
	}
	if r.Budget != "" {
		add(format.MetaBudget, r.Budget)
	}
	if r.Waiting {
		add(format.MetaWaiting, "1")
	}
	if r.Objects {
		add(format.MetaObjects, "1")
	}
	if r.Spawns {
		add(format.MetaSpawns, "1")
	}
	if r.CPU > 0 {
		add(format.MetaCPU, strconv.FormatInt(int64(r.CPU), 10))
		add(format.MetaTracing, strconv.FormatInt(int64(r.Tracing), 10))
	}
	if r.Nonce != "" {
		add(format.MetaNonce, r.Nonce)
		add(format.MetaPart, strconv.Itoa(r.Part))
	}
	w := tracetest.New(tracetest.Clock{
		Hz: cmp.Or(r.Hz, 1e9), Start: r.Start, Unix: 1_700_000_000_000_000_000 + int64(r.Later), Mono: 5_000_000_000 + int64(r.Later),
	}, meta...)
	w.IndexEvery, w.Last, w.Outlines = r.IndexEvery, r.IndexEvery > 0, true
	base := uint32(1)
	for _, t := range r.Tables {
		w.Facility(base, t.Package, t.Sites, t.Facility)
		base += uint32(len(t.Sites))
	}
	if len(r.Groups) > 0 {
		w.Block(format.BlockGroups, format.AppendGroups(nil, r.Groups))
	}
	if len(r.Origins) > 0 {
		w.Block(format.BlockOrigins, format.AppendOrigins(nil, r.Origins))
	}
	for _, t := range r.Tests {
		t.Clock += r.Start
		w.Block(format.BlockTests, format.AppendTests(nil, []format.TestEvent{t}))
	}

	for _, g := range r.Gaps {
		g.Test, g.From, g.To = r.Start+g.Test, r.Start+g.From, r.Start+g.To
		g.Lows = append([]format.Low(nil), g.Lows...)
		for i := range g.Lows {
			g.Lows[i].Clock += r.Start
		}
		w.Block(format.BlockGap, format.AppendGap(nil, g))
	}
	for _, c := range r.Counts {
		w.Block(format.BlockCounts, format.AppendCounts(nil, r.Start+c.Clock, c.Sites))
	}

	streams := make(map[uint32][]tracefile.Event) // not in a block yet
	w.Seq = uint64(r.Part) << 32
	perBlock := cmp.Or(r.PerBlock, 100)
	events := 0
	flush := func(stream uint32) {
		w.Seq++
		events += w.Events(r.chunk(stream, w.Seq, streams[stream]))
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
		w.End(r.Start+r.End, format.Trailer{Events: uint64(events), Lost: r.Lost, Flags: r.Flags})
	}
	return w.File
}

// Open returns the recording as the file that a reader sees.
func (r *Recording) Open() (*tracefile.File, error) { return Open(r.Path, r.Bytes()) }

// Open returns the bytes of a trace file as the file that a reader sees at path.
func Open(path string, b []byte) (*tracefile.File, error) {
	return tracefile.NewFile(named{bytes.NewReader(b), path}, int64(len(b)))
}

// named is a file's content with its name.
type named struct {
	*bytes.Reader
	name string
}

func (n named) Name() string { return n.name }

// chunk returns the chunk that holds the events, all of one stream.
func (r *Recording) chunk(stream uint32, seq uint64, events []tracefile.Event) (format.Chunk, []format.Record) {
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
		case tracefile.Enter:
			add(call)
		case tracefile.Exit:
			add(call | format.ExitBit)
		case tracefile.Start:
			code(format.CodeStart, ev.Value)
			code(format.CodeOrigin, uint64(ev.Origin))
		case tracefile.Spawn:
			code(format.CodeSpawn, ev.Value)
		case tracefile.End:
			code(format.CodeEnd, 0)
		case tracefile.Panic:
			code(format.CodePanic, uint64(ev.Token))
		case tracefile.Recover:
			code(format.CodeRecover, uint64(ev.Token))
		case tracefile.Error:
			code(format.CodeError, uint64(ev.Site))
		case tracefile.Goexit:
			code(format.CodeGoexit, uint64(ev.Token))
		case tracefile.Long:
			code(format.CodeLong, uint64(ev.Token))
			recs = append(recs, format.Record{Clock: uint64(ev.Site), Word: ev.Value})
		case tracefile.Parked:
			code(format.CodeParked, ev.Value)
		case tracefile.Waited:
			w := ev.Wait()
			value, pause := w.Waker<<format.WakerShift|uint64(w.Reason), format.Record{Clock: w.Total, Word: w.Runnable}
			if w.Ago == 0 {
				code(format.CodeWaited, value)
				recs = append(recs, pause)
			} else {
				code(format.CodeLate, value)
				recs = append(recs, pause, format.Record{Clock: w.Ago, Word: w.More})
			}
			continue
		case tracefile.Made:
			code(format.CodeMade, ev.Value)
			recs = append(recs, format.Record{Word: ev.Bytes()})
			continue
		}
		if n := len(ev.Data); n > 0 {
			code(format.CodeValues, uint64(n))
			for b := append(bytes.Clone(ev.Data), make([]byte, format.RecordSize)...); len(b) > format.RecordSize; b = b[format.RecordSize:] {
				recs = append(recs, format.Record{Clock: binary.LittleEndian.Uint64(b), Word: binary.LittleEndian.Uint64(b[8:])})
			}
		}
	}
	return h, recs
}
