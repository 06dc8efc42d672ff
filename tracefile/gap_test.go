package tracefile

import (
	"bytes"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// What is behind a Gap is neither read nor damage, whatever it looks like; and a Gap that reaches
// beyond the file is damage.
func TestGap(t *testing.T) {
	w := tracetest.New(tracetest.Clock{Hz: 1e9, Start: 1000})
	w.Sites(1, "p", []format.Site{{Name: "p.F", File: "p.go", Line: 1}})
	call := []format.Record{{Clock: 2000, Word: 1<<format.SiteShift | 8}, {Clock: 2010, Word: 1<<format.SiteShift | 8 | format.ExitBit}}
	w.Chunk(0, 7, call)
	before := len(w.File)
	w.Chunk(0, 7, call) // given back
	old := append([]byte(nil), w.File[before:]...)
	w.File = w.File[:before]
	w.Block(format.BlockGap, format.AppendGap(nil, format.Gap{Skip: uint64(len(old)) + 5}))
	w.File = append(append(w.File, old...), "wmBK?"...)
	w.Block(format.BlockGap, format.AppendGap(nil, format.Gap{Events: 2}))
	w.Block(format.BlockGap, format.AppendGap(nil, format.Gap{Test: 1500, From: 2100, To: 2200, Events: 1}))
	low := format.Low{Goroutine: 7, Clock: 2300, Token: 9, Site: 3}
	w.Block(format.BlockGap, format.AppendGap(nil, format.Gap{Test: 1500, From: 2100, To: 2300, Events: 2, Lows: []format.Low{low}}))
	w.Block(format.BlockStarts, format.AppendStarts(nil, []format.Started{{Goroutine: 9, Parent: 7, Clock: 2100, Origin: 1}}))
	w.Chunk(0, 7, call)
	w.End(3000, format.Trailer{Events: 6})

	open := func(b []byte) *File {
		f, err := NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := open(w.File)
	info, err := f.Verify()
	if err != nil || info.Damaged != 0 || info.Events != 4 || info.GivenBack != 2 || info.Goroutines != 1 {
		t.Errorf("%+v, %v; want 4 events, 2 given back, 1 goroutine, no damage", info, err)
	}
	gaps := f.Gaps()
	if len(gaps) != 1 || gaps[0].Events != 2 || gaps[0].To != 2300 || gaps[0].Last(7) != 2300 || gaps[0].Last(8) != 0 {
		t.Fatalf("gaps %+v, want the later one of those from 2100", gaps)
	}
	for _, c := range []struct {
		goroutine, clock uint64
		token, site      uint32
		want             bool
	}{{7, 2301, 10, 1, true}, {7, 2301, 9, 3, true}, {7, 2301, 9, 1, false}, {7, 2301, 8, 3, false}, {7, 2300, 10, 1, false}, {8, 2301, 10, 1, false}} {
		if got := gaps[0].Over(c.goroutine, c.clock, c.token, c.site); got != c.want {
			t.Errorf("%+v: over %v", c, got)
		}
	}

	// Skips that a program never writes.
	for _, skip := range []uint64{1 << 63, 1<<64 - 1, uint64(len(w.File)), uint64(len(w.File) - before - format.GapSize + 1)} {
		b := append([]byte(nil), w.File[:before]...)
		b = format.AppendBlock(b, format.BlockGap, format.AppendGap(nil, format.Gap{Skip: skip}))
		b = append(b, w.File[before+format.GapSize:]...)
		f := open(b)
		info, err := f.Verify()
		if err != nil || info.Damaged == 0 || info.Events != 6 {
			t.Errorf("skip %d: %+v, %v; want damage, and the events behind", skip, info, err)
		}
	}
}
