package tracefile

import (
	"bytes"
	"io"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	n atomic.Int64
}

func (r *countingReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, off)
	r.n.Add(int64(n))
	return n, err
}

// Events of a range are those of all events that are in it, and blocks before and after it are not
// read.
func TestEventsIn(t *testing.T) {
	const streams, blocks, perBlock, ticks = 3, 200, 100, 10
	w := newTrace()
	for b := 0; b < blocks; b++ {
		for s := 0; s < streams; s++ {
			w.Seq++
			begin := uint64(testStart + b*perBlock*ticks + s)
			var recs []format.Record
			for i := uint64(0); i < perBlock; i++ {
				word := uint64(1<<format.SiteShift | 100)
				if i%2 == 1 {
					word |= format.ExitBit
				}
				recs = append(recs, format.Record{Clock: begin + i*ticks, Word: word})
			}
			w.Events(format.Chunk{Stream: uint32(s), Seq: w.Seq, Clock: begin, Goroutine: uint64(1 + s)}, recs)
		}
	}
	read := &countingReader{ReaderAt: bytes.NewReader(w.File)}
	f, err := NewFile(read, int64(len(w.File)))
	if err != nil {
		t.Fatal(err)
	}
	list := func(r Range) (events []Event) {
		e := f.EventsIn(r)
		for ev := (Event{}); e.Next(&ev); {
			events = append(events, ev)
		}
		if err := e.Err(); err != nil {
			t.Fatal(err)
		}
		return events
	}
	all := list(Range{})
	if len(all) != streams*blocks*perBlock {
		t.Fatalf("%d events, want %d", len(all), streams*blocks*perBlock)
	}
	const block = perBlock * ticks
	end := uint64(testStart + blocks*block)
	for _, tt := range []struct {
		r      Range
		blocks int64 // of each stream that may be read
	}{
		{Range{To: testStart}, 1},
		{Range{From: 1, To: testStart + 1}, 1},
		{Range{From: testStart + 50*block, To: testStart + 51*block}, 3},
		{Range{From: testStart + 50*block + 1, To: testStart + 50*block + 1}, 2},
		{Range{From: testStart + 50*block + 17, To: testStart + 60*block + 18}, 12},
		{Range{From: end - block/2}, 1},
		{Range{From: end - 2*block, To: 1 << 63}, 3},
		{Range{From: end + 1}, 1},
		{Range{From: never}, 1},
		{Range{From: testStart + 9, To: testStart + 8}, 1},
	} {
		var want []Event
		for _, ev := range all {
			if ev.Clock >= tt.r.From && ev.Clock <= tt.r.end() {
				want = append(want, ev)
			}
		}
		read.n.Store(0)
		if got := list(tt.r); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %d events, want %d:\n got %v\nwant %v", tt.r, len(got), len(want), got, want)
		}
		each := int64(len(w.File)) / (streams * blocks)
		if most := streams * (tt.blocks + 1) * each; read.n.Load() > most {
			t.Errorf("%v: %d bytes of %d were read, want at most %d", tt.r, read.n.Load(), len(w.File), most)
		}
	}
}

// CountIn counts the events of the blocks that are read for a range.
func TestCountIn(t *testing.T) {
	const blocks, perBlock, ticks = 50, 100, 10
	w := newTrace()
	for b := 0; b < blocks; b++ {
		var recs []format.Record
		for i := uint64(0); i < perBlock; i++ {
			recs = append(recs, format.Record{Clock: testStart + uint64(b*perBlock*ticks) + i*ticks, Word: 1<<format.SiteShift | 100 | i%2*format.ExitBit})
		}
		w.Chunk(0, 1, recs)
	}
	f := openBytes(t, w.File)
	for _, tt := range []struct {
		r    Range
		want uint64
	}{
		{Range{}, blocks * perBlock},
		{Range{From: testStart + 10*perBlock*ticks + 5}, (blocks - 10) * perBlock},
		{Range{From: testStart + 10*perBlock*ticks + 5, To: testStart + 10*perBlock*ticks + 50}, perBlock},
		{Range{From: testStart + 10*perBlock*ticks + 5, To: testStart + 11*perBlock*ticks}, 2 * perBlock},
		{Range{From: 1, To: 2}, 0},
	} {
		if got := f.CountIn(tt.r); got != tt.want {
			t.Errorf("%d events in the blocks of %+v, want %d", got, tt.r, tt.want)
		}
	}
}
