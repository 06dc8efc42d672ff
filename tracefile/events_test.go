package tracefile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// want returns the events of blocks in the order in which Events must give them,
// the slow way.
func want(t testing.TB, file []byte) []Event {
	t.Helper()
	var evs []Event
	for _, b := range eventBlocks(t, file) {
		evs = append(evs, b.events...)
	}
	slices.SortStableFunc(evs, func(a, b Event) int { return cmp.Compare(a.Clock, b.Clock) })
	return evs
}

// A decodedBlock is an Events block of a file that is not damaged.
type decodedBlock struct {
	format.EventsHeader
	off, end int
	events   []Event
}

func eventBlocks(t testing.TB, file []byte) (blocks []decodedBlock) {
	t.Helper()
	offs := blockOffsets(file)
	for i, off := range offs[:len(offs)-1] {
		h, err := format.ParseBlock(file[off:])
		if err != nil {
			t.Fatal(err)
		}
		if h.Kind != format.BlockEvents {
			continue
		}
		b := decodedBlock{off: off, end: offs[i+1]}
		var dec format.Decoder
		if b.EventsHeader, err = dec.Reset(file[off+format.BlockHeader : b.end]); err != nil {
			t.Fatal(err)
		}
		var one [1]format.Event
		for dec.Next(&one[0]) {
			ev := one[:][0]
			ev.Data = bytes.Clone(ev.Data)
			b.events = append(b.events, ev)
		}
		if dec.Err() != nil {
			t.Fatal(dec.Err())
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func equal(a, b Event) bool {
	data := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return data && a.Clock == b.Clock && a.Goroutine == b.Goroutine && a.Stream == b.Stream && a.Kind == b.Kind &&
		a.Site == b.Site && a.Token == b.Token && a.Origin == b.Origin && a.Value == b.Value
}

func same(t *testing.T, got, want []Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		if !equal(got[i], want[i]) {
			t.Fatalf("event %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// twoStreams is a small file without End block. It has two goroutines on two
// streams, with chunks of a few dozen events, no two of them at the same time.
func twoStreams(meta ...format.KeyValue) *tracetest.Writer { return twoIndexed(0, meta...) }

// twoIndexed is twoStreams with an Index block after every so many blocks of events.
func twoIndexed(every int, meta ...format.KeyValue) *tracetest.Writer {
	w := newTrace(meta...)
	w.IndexEvery, w.Last, w.Outlines = every, every > 0, true
	a, b := newWalker(1, testStart), newWalker(2, testStart+51)
	for i := 0; i < 4; i++ {
		w.Chunk(0, 1, a.walk(nil, 30, 40))
		w.Chunk(1, 7, b.walk(nil, 25, 60))
	}
	return w
}

func TestEventsInOrderOfTime(t *testing.T) {
	for _, streams := range []int{0, 1, 2, 3, 7, 8, 33} {
		w := newTrace()
		var walkers []*walker
		for s := 0; s < streams; s++ {
			walkers = append(walkers, newWalker(int64(s), testStart))
		}
		// The streams' clocks are odd multiples apart: no two events have the same.
		for i := 0; i < 5*streams; i++ {
			s := i * 5 % streams
			recs := walkers[s].walk(nil, 100+s, 20+10*s)
			for j := range recs {
				recs[j].Clock = recs[j].Clock*64 + uint64(s)
			}
			w.Chunk(uint32(s), uint64(s+1), recs)
		}
		f := openBytes(t, w.File)
		same(t, all(t, f), want(t, w.File))
		same(t, all(t, f), want(t, w.File)) // a second pass
	}
}

// Streams that are not active at the same time, one of them between two blocks
// of another.
func TestEventsFarApart(t *testing.T) {
	w := newTrace()
	const day = 86400 * testHz
	for i, start := range []uint64{5 * day, 0, 9 * day, 2 * day} {
		walker := newWalker(int64(i), testStart+start)
		stream := uint32(i * 100)
		w.Chunk(stream, uint64(i+1), walker.walk(nil, 50, 30))
		walker.clock += day / 2
		w.Chunk(stream, uint64(i+1), walker.walk(nil, 50, 30))
	}
	f := openBytes(t, w.File)
	evs := all(t, f)
	same(t, evs, want(t, w.File))
	if got, want := f.Nanos(evs[len(evs)-1].Clock)/1e9, int64(9.5*86400); got != want {
		t.Errorf("the last event is at %d s, want %d", got, want)
	}
}

// Ties are resolved always in the same way, and values stay with their event.
func TestEventsAtTheSameTime(t *testing.T) {
	w := newTrace()
	for s := uint32(0); s < 3; s++ {
		var recs []format.Record
		for i := uint64(0); i < 20; i++ {
			clock := testStart + i/4*10
			recs = append(recs, format.Record{Clock: clock, Word: (uint64(s)*20+i+1)<<format.SiteShift | 100*i},
				// Values recorded later than other streams' next events.
				format.Record{Clock: clock + 15, Word: word(format.CodeValues, 8)}, format.Record{Clock: uint64(s)<<8 | i})
		}
		w.Chunk(s, uint64(s+1), recs)
	}
	evs := all(t, openBytes(t, w.File))
	same(t, all(t, openBytes(t, w.File)), evs)
	if len(evs) != 60 {
		t.Fatalf("%d events, want 60", len(evs))
	}
	for i, ev := range evs {
		if ev.Kind != Enter || uint32(ev.Data[1])*20+uint32(ev.Data[0])+1 != ev.Site {
			t.Fatalf("event %d is %+v", i, ev)
		}
	}
}

// A stream's counter goes back within a chunk and between chunks.
func TestEventsNeverGoBack(t *testing.T) {
	w := newTrace()
	clocks := [][]uint64{{100, 90, 95, 120, 119}, {110, 130, 1}}
	for _, clocks := range clocks {
		var recs []format.Record
		for i, c := range clocks {
			recs = append(recs, format.Record{Clock: testStart + c, Word: uint64(i+1) << format.SiteShift})
		}
		w.Chunk(0, 1, recs)
	}
	w.Chunk(1, 2, []format.Record{{Clock: math.MaxUint64, Word: 1 << format.SiteShift}})
	var got []uint64
	for _, ev := range all(t, openBytes(t, w.File)) {
		got = append(got, ev.Clock-testStart)
	}
	if want := []uint64{100, 100, 100, 120, 120, 120, 130, 130, never - 1 - testStart}; !slices.Equal(got, want) {
		t.Errorf("clocks %d, want %d", got, want)
	}
}

func TestEventsOfUnknownSites(t *testing.T) {
	w := newTrace()
	w.Chunk(0, 1, []format.Record{{Clock: testStart, Word: (format.FirstCode - 1) << format.SiteShift}})
	f := openBytes(t, w.File)
	evs := all(t, f)
	if len(evs) != 1 || evs[0].Site != format.FirstCode-1 {
		t.Fatalf("got %+v, want an enter of site %d", evs, format.FirstCode-1)
	}
	if s, ok := f.Func(evs[0].Site); ok {
		t.Errorf("site %d is %+v, want none", evs[0].Site, s)
	}
}

// A repeated block counts once, and only whole.
func TestRepeatedBlocks(t *testing.T) {
	plain := twoStreams()
	events := want(t, plain.File)
	blocks := eventBlocks(t, plain.File)
	first := blocks[0]
	repeated := slices.Clone(plain.File)
	for _, b := range []decodedBlock{first, blocks[3], first} {
		repeated = append(repeated, plain.File[b.off:b.end]...)
	}
	f := openBytes(t, repeated)
	same(t, all(t, f), events)
	if info := f.Info(); info.Events != uint64(len(events)) || info.Damaged != 0 {
		t.Errorf("Info has %d events and %d damaged bytes, want %d and 0", info.Events, info.Damaged, len(events))
	}

	repeated[first.end-1] ^= 1
	f = openBytes(t, repeated)
	same(t, all(t, f), events)
	if info := f.Info(); info.Events != uint64(len(events)) || info.Damaged != int64(first.end-first.off) {
		t.Errorf("Info has %d events and %d damaged bytes, want %d and %d", info.Events, info.Damaged, len(events), first.end-first.off)
	}
}

// failingReader fails at an offset.
type failingReader struct {
	io.ReaderAt
	at int64
}

var errDisk = errors.New("disk on fire")

func (r failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off <= r.at && r.at < off+int64(len(p)) {
		return 0, errDisk
	}
	return r.ReaderAt.ReadAt(p, off)
}

// An error of the operating system is not taken for damage.
func TestReadErrors(t *testing.T) {
	w := newTrace()
	walk := newWalker(1, testStart)
	for i := 0; i < 3; i++ {
		w.Chunk(0, 1, walk.walk(nil, chunkRecords, 40))
	}
	for at := 0; at < len(w.File); at += 101 {
		f, err := NewFile(failingReader{bytes.NewReader(w.File), int64(at)}, int64(len(w.File)))
		if err == nil {
			e := f.Events()
			var ev Event
			for e.Next(&ev) {
			}
			err = e.Err()
			if _, verr := f.Verify(); !errors.Is(verr, errDisk) {
				t.Errorf("error at byte %d: Verify says %v", at, verr)
			}
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("error at byte %d: got %v", at, err)
		}
	}
}

// Nothing is allocated for an event.
func TestEventsDontAllocate(t *testing.T) {
	w := newTrace()
	for s := 0; s < 4; s++ {
		walk := newWalker(int64(s), testStart)
		for i := 0; i < 4; i++ {
			w.Chunk(uint32(s), uint64(s+1), walk.walk(nil, chunkRecords, 40))
		}
	}
	e := openBytes(t, w.File).Events()
	var ev Event
	n := 0
	allocs := testing.AllocsPerRun(1, func() {
		for i := 0; i < 2*chunkRecords && e.Next(&ev); i++ {
			n++
		}
	})
	if n != 4*chunkRecords {
		t.Fatalf("%d events, want %d", n, 4*chunkRecords)
	}
	if allocs > 8 {
		t.Errorf("%.0f allocations for %d events", allocs, n/2)
	}
}

// A File may be used by several goroutines at a time.
func TestConcurrentUse(t *testing.T) {
	w := twoStreams()
	blocks := eventBlocks(t, w.File)
	w.File[blocks[2].end-1] ^= 1
	left := eventsOf(append(blocks[:2:2], blocks[3:]...))
	f := openBytes(t, w.File)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(2)
		go func() {
			defer wg.Done()
			var ev Event
			n := 0
			for e := f.Events(); e.Next(&ev); n++ {
				if !equal(ev, left[n]) {
					t.Errorf("event %d is %+v, want %+v", n, ev, left[n])
				}
			}
			if n != len(left) {
				t.Errorf("%d events, want %d", n, len(left))
			}
		}()
		go func() {
			defer wg.Done()
			f.Info()
			info, err := f.Verify()
			if err != nil || info.Damaged != int64(blocks[2].end-blocks[2].off) || info.Events != uint64(len(left)) {
				t.Errorf("got %+v, %v", info, err)
			}
		}()
	}
	wg.Wait()
}
