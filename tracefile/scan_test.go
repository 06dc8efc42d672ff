package tracefile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// scanEvents returns the events that Scan reads of each stream.
func scanEvents(t testing.TB, f *File, workers int) map[uint32][]Event {
	t.Helper()
	type result struct {
		stream uint32
		events []Event
	}
	got := make(map[uint32][]Event)
	_, err := Scan(f, Range{}, workers, func(_ int, b *Block) result {
		r := result{stream: b.Stream()}
		for events := b.Next(); len(events) > 0; events = b.Next() {
			for _, ev := range events {
				ev.Data = bytes.Clone(ev.Data)
				r.events = append(r.events, ev)
			}
		}
		return r
	}, func(r result) error {
		got[r.stream] = append(got[r.stream], r.events...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// sameScan compares what Scan reads of each stream to what Events gives.
func sameScan(t *testing.T, b []byte) {
	t.Helper()
	f := openBytes(t, b)
	want := make(map[uint32][]Event)
	for _, ev := range all(t, f) {
		want[ev.Stream] = append(want[ev.Stream], ev)
	}
	info := f.Info()
	for workers := 1; workers <= 4; workers++ {
		f := openBytes(t, b)
		got := scanEvents(t, f, workers)
		for stream := range got {
			if len(got[stream]) == 0 {
				delete(got, stream)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d workers: events of %d streams, want %d", workers, len(got), len(want))
		}
		for stream, events := range want {
			same(t, got[stream], events)
		}
		if f.Info() != info {
			t.Errorf("%d workers: %+v, want %+v", workers, f.Info(), info)
		}
	}
}

func TestScan(t *testing.T) {
	r := seed.Rand(t, 1)
	for streams := 0; streams < 6; streams++ {
		w := newTrace()
		for i := 0; i < 20*streams; i++ {
			s := r.Intn(streams)
			// Blocks begin before the one before ended now and then, as if the clock had gone back.
			walker := newWalker(int64(i), testStart+uint64(100*i)+uint64(r.Intn(400)))
			w.Chunk(uint32(s), uint64(s+1), walker.walk(nil, 1+r.Intn(100), 3))
		}
		w.End(testStart+1<<20, format.Trailer{})
		sameScan(t, w.File)

		// Flipped bits cost the blocks that they hit.
		damaged := slices.Clone(w.File)
		for i := 0; i < 5; i++ {
			damaged[format.HeaderSize+300+r.Intn(len(damaged)-format.HeaderSize-300)] ^= 0x10
		}
		sameScan(t, damaged)
	}
}

// TestScanOrder checks in which order results are taken, and what until leaves out.
func TestScanOrder(t *testing.T) {
	w := newTrace()
	for i, clock := range []uint64{300, 500, 100, 200, 600, 400} {
		w.Chunk(uint32(i%2), 1, []format.Record{{Clock: testStart + clock, Word: 1 << format.SiteShift}})
	}
	f := openBytes(t, w.File)
	begins := func(until uint64) (list []uint64, past bool) {
		past, err := Scan(f, Range{To: until}, 2, func(_ int, b *Block) uint64 { return b.Begin() - testStart + 1 }, func(begin uint64) error {
			list = append(list, begin)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list, past
	}
	// A stream's blocks are in order whatever their clocks.
	if got, past := begins(0); fmt.Sprint(got) != "[300 100 500 200 400 600]" || past {
		t.Errorf("%v, left some out: %v", got, past)
	}
	if got, past := begins(testStart + 350); fmt.Sprint(got) != "[200 300 100]" || !past {
		t.Errorf("until 350: %v, left some out: %v", got, past)
	}
}

func TestScanStops(t *testing.T) {
	w := newTrace()
	for i := uint64(0); i < 50; i++ {
		w.Chunk(0, 1, []format.Record{{Clock: testStart + i, Word: 1 << format.SiteShift}})
	}
	stop := errors.New("stop")
	n := 0
	_, err := Scan(openBytes(t, w.File), Range{}, 3, func(int, *Block) int { return 1 }, func(int) error {
		if n++; n == 7 {
			return stop
		}
		return nil
	})
	if err != stop || n != 7 {
		t.Errorf("%v after %d results", err, n)
	}
	if _, err := Scan(openBytes(t, w.File), Range{}, 3, func(int, *Block) int { return 1 }, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}

// FuzzScan compares Scan to Events on files with damage of all kinds.
func FuzzScan(f *testing.F) {
	w := twoStreams()
	w.End(testStart+100000, format.Trailer{})
	f.Add(w.File)
	f.Add(w.File[:len(w.File)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, repair(b)} {
			if _, err := NewFile(bytes.NewReader(b), int64(len(b))); err == nil {
				sameScan(t, b)
			}
		}
	})
}
