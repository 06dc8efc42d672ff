package tracefile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// checkRead reads all of a damaged file and compares with the events that are left.
func checkRead(t *testing.T, file []byte, events []Event, damaged int64) {
	t.Helper()
	f := openBytes(t, file)
	before := f.Info().Damaged
	e := f.Events()
	var got []Event
	var ev Event
	for e.Next(&ev) {
		got = append(got, ev)
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	same(t, got, events)
	info := f.Info()
	if info.Damaged != damaged || info.Events != uint64(len(events)) {
		t.Errorf("Info has %d damaged bytes and %d events, want %d and %d", info.Damaged, info.Events, damaged, len(events))
	}
	if bytes, _ := e.Skipped(); before+bytes != damaged {
		t.Errorf("%d bytes damaged at first and %d skipped, want %d together", before, bytes, damaged)
	}
	verified, err := openBytes(t, file).Verify()
	if err != nil {
		t.Fatal(err)
	}
	if verified.Damaged != damaged || verified.Events != uint64(len(events)) {
		t.Errorf("Verify finds %d damaged bytes and %d events, want %d and %d", verified.Damaged, verified.Events, damaged, len(events))
	}
}

// eventsOf returns the events of blocks in the order of time.
func eventsOf(blocks []decodedBlock) (evs []Event) {
	for _, b := range blocks {
		evs = append(evs, b.events...)
	}
	slices.SortStableFunc(evs, func(a, b Event) int { return cmp.Compare(a.Clock, b.Clock) })
	return evs
}

func TestTruncatedAnywhere(t *testing.T) {
	truncateAnywhere(t, twoStreams())
	truncateAnywhere(t, twoIndexed(3))
}

func truncateAnywhere(t *testing.T, w *tracetest.Writer) {
	w.End(testStart+100000, format.Trailer{})
	blocks, offs := eventBlocks(t, w.File), blockOffsets(w.File)
	for n := 0; n <= len(w.File); n++ {
		if n < format.HeaderSize {
			if _, err := NewFile(bytes.NewReader(w.File[:n]), int64(n)); !errors.Is(err, format.ErrNotTrace) {
				t.Fatalf("%d bytes: error %v, want %v", n, err, format.ErrNotTrace)
			}
			continue
		}
		var whole []decodedBlock
		for _, b := range blocks {
			if b.end <= n {
				whole = append(whole, b)
			}
		}
		last := format.HeaderSize
		for _, off := range offs {
			if off <= n {
				last = off
			}
		}
		checkRead(t, w.File[:n], eventsOf(whole), int64(n-last))
		if t.Failed() {
			t.Fatalf("at %d bytes of %d", n, len(w.File))
		}
	}
}

// Each flipped bit costs the block that holds it, and nothing else.
func TestEveryBitFlipped(t *testing.T) {
	flipEveryBit(t, twoStreams())
	flipEveryBit(t, twoIndexed(3))
}

func flipEveryBit(t *testing.T, w *tracetest.Writer) {
	w.End(testStart+100000, format.Trailer{})
	blocks, offs := eventBlocks(t, w.File), blockOffsets(w.File)
	file := slices.Clone(w.File)
	for i := range file {
		hit := -1 // index of the block
		for j, off := range offs {
			if off <= i {
				hit = j
			}
		}
		for bit := 0; bit < 8; bit++ {
			if testing.Short() && bit != i%8 {
				continue
			}
			file[i] ^= 1 << bit
			if hit < 0 {
				if f, err := NewFile(bytes.NewReader(file), int64(len(file))); err == nil {
					same(t, all(t, f), eventsOf(blocks)) // what it hit has no meaning
				} else if !errors.Is(err, format.ErrNotTrace) && !errors.Is(err, format.ErrVersion) {
					t.Error(err)
				}
			} else {
				var left []decodedBlock
				for _, b := range blocks {
					if b.off != offs[hit] {
						left = append(left, b)
					}
				}
				damaged := int64(offs[hit+1] - offs[hit])
				if format.BlockKind(w.File[offs[hit]+4]) == format.BlockOutlines {
					damaged = 0 // an index lists the block, and so nobody needs it for events
				}
				checkRead(t, file, eventsOf(left), damaged)
			}
			file[i] ^= 1 << bit
			if t.Failed() {
				t.Fatalf("bit %d of byte %d, in the block that begins at %d", bit, i, offs[max(hit, 0)])
			}
		}
	}
}

// Garbage between blocks, some of which looks like blocks.
func TestResync(t *testing.T) {
	w := twoStreams()
	blocks := eventBlocks(t, w.File)
	rnd := seed.Rand(t, 1)
	noise := make([]byte, 100000)
	rnd.Read(noise)
	header := format.BeginBlock(nil, format.BlockEvents)
	long := binary.LittleEndian.AppendUint32(format.BeginBlock(nil, format.BlockSites)[:8], format.MaxPayload)
	for name, garbage := range map[string][]byte{
		"byte":           {0},
		"noise":          noise,
		"magic":          format.BlockMagic(),
		"half a magic":   format.BlockMagic()[:2],
		"magics":         bytes.Repeat(format.BlockMagic(), 1000),
		"header":         header,
		"headers":        bytes.Repeat(header, 1000),
		"long blocks":    bytes.Repeat(append(long, 0, 0, 0, 0), 300),
		"zeros":          make([]byte, 10000),
		"half a block":   w.File[blocks[3].off : blocks[3].end-20],
		"window's edge":  append(make([]byte, 4096-format.HeaderSize-2), header...),
		"another header": format.AppendHeader(nil),
	} {
		t.Run(name, func(t *testing.T) {
			for _, off := range blockOffsets(w.File) {
				file := bytes.Join([][]byte{w.File[:off], garbage, w.File[off:]}, nil)
				checkRead(t, file, eventsOf(blocks), int64(len(garbage)))
			}
		})
	}
}

// A file of nothing but headers that promise long blocks must not take time by
// the square of its size, which would be hours.
func TestResyncIsBounded(t *testing.T) {
	long := binary.LittleEndian.AppendUint32(format.BeginBlock(nil, format.BlockSites)[:8], format.MaxPayload)
	file := append(format.AppendHeader(nil), bytes.Repeat(append(long, 0, 0, 0, 0), 4<<20)...)
	start := time.Now()
	f := openBytes(t, file)
	if d := time.Since(start); d > 2*time.Minute {
		t.Errorf("took %v for %d MB", d, len(file)>>20)
	}
	if got, want := f.Info().Damaged, int64(len(file)-format.HeaderSize); got != want {
		t.Errorf("%d damaged bytes, want %d", got, want)
	}
}

// A small file must not make the reader take much memory.
func TestMemoryIsBounded(t *testing.T) {
	w := newTrace()
	for i := uint64(1); i < 20000; i++ { // more streams than there may be, many repeated
		payload := binary.AppendUvarint(nil, i%(2*format.MaxStreams))
		payload = append(binary.AppendUvarint(payload, i), 1, 1, 1, 0, 7<<2|3, format.CodeEnd)
		w.Block(format.BlockEvents, payload)
	}
	var sites []byte
	sites = binary.AppendUvarint(sites, format.FirstCode-1)
	w.Block(format.BlockSites, append(sites, format.AppendTable(nil, "p", []format.Site{{Name: "p.F"}})...))
	before := heap()
	f := openBytes(t, w.File)
	e := f.Events()
	var ev Event
	n := 0
	for e.Next(&ev) {
		n++
	}
	if used := heap() - before; used > 200<<20 {
		t.Errorf("%d MB for a file of %d KB", used>>20, len(w.File)>>10)
	}
	if n == 0 {
		t.Error("no events")
	}
	runtime.KeepAlive(f)
	runtime.KeepAlive(e)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Blocks that hold what this version doesn't know are passed over.
func TestUnknownBlocks(t *testing.T) {
	w := newTrace()
	walk := newWalker(1, testStart)
	w.Chunk(0, 1, walk.walk(nil, 40, 30))
	w.Block(77, []byte("from the future"))
	w.Chunk(0, 1, walk.walk(nil, 40, 30))
	checkRead(t, w.File, want(t, w.File), 0)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	newer := format.AppendHeader(nil)
	newer[8] = 7
	for _, test := range []struct {
		name    string
		content []byte // nil: as it is
		is      error
		says    string
	}{
		{"missing", nil, os.ErrNotExist, "no such file"},
		{"", nil, format.ErrNotTrace, "not a regular file"},
		{"empty", []byte{}, format.ErrNotTrace, "empty"},
		{"text", []byte("#include <stdio.h>\n"), format.ErrNotTrace, "not a waymark trace file"},
		{"short", []byte("waymark\n"), format.ErrNotTrace, "not a waymark trace file"},
		{"newer", newer, format.ErrVersion, fmt.Sprintf("written by a newer waymark (version 7, this one reads %d): use that one", format.Version)},
		{"never", append([]byte("waymark\n"), make([]byte, 8)...), format.ErrNotTrace, "version 0"},
	} {
		path := filepath.Join(dir, test.name)
		if test.content != nil {
			if err := os.WriteFile(path, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(path)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %q, want %q with the path and %q", test.name, err, test.is, test.says)
		}
	}
}

// A header without blocks is a file without events.
func TestHeaderOnly(t *testing.T) {
	f := openBytes(t, format.AppendHeader(nil))
	if evs := all(t, f); len(evs) > 0 {
		t.Errorf("%d events", len(evs))
	}
	info, err := f.Verify()
	if err != nil || info.Complete || info.Duration != 0 || info.Blocks != 0 || info.Damaged != 0 {
		t.Errorf("got %+v, %v", info, err)
	}
}

// Whatever the bytes, reading them ends, and each event is accounted for.
func FuzzNewFile(f *testing.F) {
	w := twoStreams()
	w.End(testStart+100000, format.Trailer{})
	f.Add(w.File)
	f.Add(w.File[:len(w.File)/2])
	f.Add(format.AppendHeader(nil))
	x := twoIndexed(3)
	x.End(testStart+100000, format.Trailer{})
	f.Add(x.File)
	f.Add(x.File[:len(x.File)*3/4])
	f.Fuzz(func(t *testing.T, b []byte) {
		// Checksums that hold let damage through to what they guard.
		for _, b := range [][]byte{b, repair(b)} {
			f, err := NewFile(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				if !errors.Is(err, format.ErrNotTrace) && !errors.Is(err, format.ErrVersion) {
					t.Fatal(err)
				}
				continue
			}
			e := f.Events()
			var ev Event
			last := uint64(0)
			n := 0
			for e.Next(&ev) {
				if ev.Clock < last {
					t.Fatalf("clock %d after %d", ev.Clock, last)
				}
				last = ev.Clock
				f.Nanos(ev.Clock)
				f.Func(ev.Site)
				f.Origin(ev.Origin)
				if n++; n > len(b) {
					t.Fatalf("%d events in %d bytes", n, len(b))
				}
			}
			if e.Err() != nil {
				t.Fatal(e.Err())
			}
			f.Funcs(func(id uint32, s Func) bool {
				if got, ok := f.Func(id); !ok || !reflect.DeepEqual(got, s) {
					t.Fatalf("site %d is %+v, %v, want %+v", id, got, ok, s)
				}
				return true
			})
			info := f.Info()
			if info.Damaged < 0 || info.Damaged > int64(len(b)) || info.Events > uint64(len(b)) {
				t.Fatalf("%d damaged bytes and %d events in %d bytes", info.Damaged, info.Events, len(b))
			}
			if err := f.Starts(func(*Event) {}); err != nil {
				t.Fatal(err)
			}
			before := func(_ int, b *Block) (n int) {
				for events := b.Next(); len(events) > 0; events = b.Next() {
					n += len(events)
				}
				return n
			}
			if _, err := Scan(f, Range{From: testStart + 50000}, 2, before, func(int) error { return nil }); err != nil {
				t.Fatal(err)
			}
			verified, err := f.Verify()
			if err != nil {
				t.Fatal(err)
			}
			verified.Goroutines = 0
			if verified != info {
				t.Fatalf("Verify says %+v, reading found %+v", verified, info)
			}
		}
	})
}

// repair returns b with the checksums of its blocks made right.
func repair(b []byte) []byte {
	b = slices.Clone(b)
	for off := format.HeaderSize; off+format.BlockHeader <= len(b); {
		h, err := format.ParseBlock(b[off:])
		end := off + format.BlockHeader + h.Length
		if err != nil || end > len(b) {
			break
		}
		format.EndBlock(b[:end], off)
		off = end
	}
	return b
}
