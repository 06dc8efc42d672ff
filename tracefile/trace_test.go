package tracefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

const (
	testHz    = 2_000_000_000
	testStart = 1_000_000           // ticks
	testUnix  = 1_700_000_000 * 1e9 // ns
	testMono  = 5_000_000_000       // ns
	testSites = 64
)

var testClock = tracetest.Clock{Hz: testHz, Start: testStart, Unix: testUnix, Mono: testMono}

// newTrace begins a file with its Meta, Clock and Sites blocks; meta adds to the
// facts that every file has.
func newTrace(meta ...format.KeyValue) *tracetest.Writer {
	w := tracetest.New(testClock, meta...)
	var sites []format.Site
	for i := 0; i < testSites; i++ {
		sites = append(sites, format.Site{Name: fmt.Sprintf("example.com/m/p.F%d", i), File: fmt.Sprintf("p%d.go", i/8), Line: 10 * i})
	}
	w.Sites(1, "example.com/m/p", sites)
	return w
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
func all(t testing.TB, f *File) []Event {
	t.Helper()
	var evs []Event
	var ev Event
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

// blockOffsets returns the offsets of the blocks of a file that is not damaged, and its end.
func blockOffsets(file []byte) []int {
	offs := []int{format.HeaderSize}
	for off := format.HeaderSize; off < len(file); {
		off += format.BlockHeader + int(binary.LittleEndian.Uint32(file[off+8:]))
		offs = append(offs, off)
	}
	return offs
}
