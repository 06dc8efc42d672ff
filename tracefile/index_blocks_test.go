package tracefile

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// many is a recording of chunks, of so many calls each, on streams whose goroutines start others. It
// has an Index block after every so many chunks, unless that is 0, and at the end if last is set.
func many(t *testing.T, chunks, calls, every int, last bool) (w *tracetest.Writer, starts int) {
	t.Helper()
	w = newTrace()
	w.IndexEvery, w.Outlines = every, true
	clock := uint64(testStart)
	code := func(code, value uint64) format.Record {
		clock += 10
		return format.Record{Clock: clock, Word: format.FirstCode<<format.SiteShift | code<<format.CodeShift | value}
	}
	call := func(word uint64) format.Record {
		clock += 10
		return format.Record{Clock: clock, Word: word<<format.SiteShift | 100}
	}
	goroutine := uint64(100)
	for i := range make([]struct{}, chunks) {
		recs := []format.Record{call(1)}
		for range make([]struct{}, calls) {
			recs = append(recs, call(2), call(2|format.ExitBit>>format.SiteShift))
		}
		n := 0
		if i%3 == 0 {
			n = 2
		}
		if i%50 == 49 {
			n = format.MaxStarts + 1
		}
		for range make([]struct{}, n) {
			goroutine++
			starts++
			recs = append(recs, code(format.CodeGo, goroutine), code(format.CodeStart, 1), code(format.CodeOrigin, 3), code(format.CodeEnd, 0))
		}
		if i == 7 {
			recs = append(recs, code(format.CodePanic, 100))
		}
		if i%10 == 5 {
			w.Pair(clock)
			w.Block(format.BlockTests, format.AppendTests(nil, []format.TestEvent{{Clock: clock, Goroutine: 1, State: format.TestBegins, Name: fmt.Sprint(i)}}))
		}
		w.Chunk(uint32(i%3), 1, recs)
	}
	if last {
		w.Index()
	}
	return w, starts
}

// starts returns the starts of goroutines, in order.
func startsOf(t *testing.T, f *File) (list []string) {
	t.Helper()
	if err := f.Starts(func(ev *Event) { list = append(list, fmt.Sprintf("%+v", *ev)) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// A file is the same with an index as without, and little of it is read then.
func TestIndexed(t *testing.T) {
	const chunks, calls = 400, 1000
	plain, starts := many(t, chunks, calls, 0, false)
	want := openBytes(t, plain.File)
	wantEvents, wantStarts := all(t, want), startsOf(t, want)
	if len(wantStarts) != starts {
		t.Fatalf("%d starts, want %d", len(wantStarts), starts)
	}
	for _, every := range []int{3, 7, 100, chunks, 2 * chunks} {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprint(every, last), func(t *testing.T) {
				w, _ := many(t, chunks, calls, every, last)
				r := &countingReader{ReaderAt: bytes.NewReader(w.File)}
				f, err := NewFile(r, int64(len(w.File)))
				if err != nil {
					t.Fatal(err)
				}
				tail := len(w.File)
				if every <= chunks || last {
					tail = chunks % every * len(w.File) / chunks
					if last {
						tail = 0
					}
					// The index is some bytes for each block, and blocks without events are read.
					if most := int64(len(w.File)/5 + tail + chunks/every*8192 + 100_000); r.n.Load() > most {
						t.Errorf("read %d bytes of %d to open the file, want at most %d", r.n.Load(), len(w.File), most)
					}
				}
				r.n.Store(0)
				if got := startsOf(t, f); !slices.Equal(got, wantStarts) {
					t.Errorf("starts differ: %d, want %d", len(got), len(wantStarts))
				}
				if most := int64(len(w.File)/3 + tail); every <= chunks && r.n.Load() > most {
					t.Errorf("read %d bytes of %d for the goroutines' starts, want at most %d", r.n.Load(), len(w.File), most)
				}
				same(t, all(t, f), wantEvents)
				for _, from := range []uint64{1, 3_000_000, 6_000_000} {
					window := Range{From: testStart + from, To: testStart + from + 20_000}
					same(t, inRange(t, f, window), inRange(t, want, window))
				}
				got, want := f.Info(), want.Info()
				got.Size, got.Blocks, want.Size, want.Blocks = 0, 0, 0, 0
				if got != want {
					t.Errorf("got %+v\nwant %+v", got, want)
				}
				if got, want := len(f.Tests()), 40; got != want {
					t.Errorf("%d tests, want %d", got, want)
				}
				if f.blocks != len(blockOffsets(w.File))-1 {
					t.Errorf("%d blocks, want %d", f.blocks, len(blockOffsets(w.File))-1)
				}
			})
		}
	}
}

func inRange(t *testing.T, f *File, r Range) (list []Event) {
	t.Helper()
	e := f.EventsIn(r)
	for ev := (Event{}); e.Next(&ev); {
		ev.Data = bytes.Clone(ev.Data)
		list = append(list, ev)
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return list
}

// An index that lies costs at most the blocks that it doesn't list, and is found out where it can be.
func TestIndexLies(t *testing.T) {
	r := seed.Rand(t, 1)
	for range make([]struct{}, 300) {
		w, _ := many(t, 20, 100, 5, true)
		at := 0
		for _, off := range blockOffsets(w.File) {
			if off < len(w.File) && format.BlockKind(w.File[off+4]) == format.BlockIndex && (at == 0 || r.Intn(2) == 0) {
				at = off
			}
		}
		h, err := format.ParseBlock(w.File[at:])
		if err != nil {
			t.Fatal(err)
		}
		payload := w.File[at+format.BlockHeader:][:h.Length]
		// Numbers that stay as long as they are, so that the rest of the file stays where it is.
		for range make([]struct{}, 1+r.Intn(3)) {
			payload[r.Intn(len(payload))] ^= 1 << r.Intn(7)
		}
		format.EndBlock(w.File[:at+format.BlockHeader+h.Length], at)
		f := openBytes(t, w.File)
		n := 0
		for _, ev := range all(t, f) {
			if ev.Kind != Go && ev.Kind != End { // which don't count
				n++
			}
		}
		if info := f.Info(); uint64(n) != info.Events || info.Damaged > int64(len(w.File)) {
			t.Errorf("%d events, and %+v", n, info)
		}
		startsOf(t, f)
		if _, err := Scan(f, Range{From: testStart + 30_000}, 2, func(_ int, b *Block) int { return len(b.Next()) }, func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// What looks like an index inside of recorded values isn't taken for one that is elsewhere. A file
// full of such bytes doesn't take long.
func TestIndexInValues(t *testing.T) {
	w, _ := many(t, 20, 100, 5, true)
	offs := blockOffsets(w.File)
	var index []byte
	for i, off := range offs[:len(offs)-1] {
		if format.BlockKind(w.File[off+4]) == format.BlockIndex {
			index = slices.Clone(w.File[off:offs[i+1]])
		}
	}
	plain, _ := many(t, 20, 100, 0, false)
	want := all(t, openBytes(t, plain.File))
	plain.Block(77, bytes.Repeat(index, 2000))
	r := &countingReader{ReaderAt: bytes.NewReader(plain.File)}
	f, err := NewFile(r, int64(len(plain.File)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, all(t, f), want)
	if most := int64(20 * len(plain.File)); r.n.Load() > most {
		t.Errorf("read %d bytes of a file of %d", r.n.Load(), len(plain.File))
	}
}
