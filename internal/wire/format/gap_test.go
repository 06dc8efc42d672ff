package format

import (
	"reflect"
	"testing"
)

func TestGapRoundTrip(t *testing.T) {
	for _, want := range []Gap{
		{},
		{Skip: 1 << 40},
		{Test: 5, From: 6, To: 7, Events: 8, Lows: []Low{{Goroutine: 1, Clock: 2, Token: 3, Site: 4}, {Goroutine: 1 << 60, Token: 1<<32 - 1}}},
	} {
		b := AppendGap(nil, want)
		got, err := ParseGap(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v becomes %+v, %v", want, got, err)
		}
		for n := range b {
			if _, err := ParseGap(b[:n]); err == nil {
				t.Errorf("%+v cut to %d of %d bytes: no error", want, n, len(b))
			}
		}
	}
	if n := len(AppendBlock(nil, BlockGap, AppendGap(nil, Gap{Skip: 1<<64 - 1}))); n != GapSize {
		t.Errorf("a block to skip has %d bytes, want %d", n, GapSize)
	}
	starts := []Started{{Goroutine: 1, Parent: 2, Clock: 3, Origin: 4}, {Goroutine: 1 << 62, Clock: 1 << 61}}
	b := AppendStarts(nil, starts)
	got, err := ParseStarts(b)
	if err != nil || !reflect.DeepEqual(got, starts) {
		t.Errorf("%+v becomes %+v, %v", starts, got, err)
	}
	for n := range b {
		if _, err := ParseStarts(b[:n]); err == nil {
			t.Errorf("starts cut to %d of %d bytes: no error", n, len(b))
		}
	}
}

// A summary has the clocks, the goroutines that start and end, and how far each has unwound, whatever
// values look like.
func TestSummarize(t *testing.T) {
	call := func(clock uint64, site, token uint32, exit bool) Record {
		r := Record{clock, uint64(site)<<SiteShift | uint64(token)}
		if exit {
			r.Word |= ExitBit
		}
		return r
	}
	other := func(clock, code, value uint64) Record {
		return Record{clock, FirstCode<<SiteShift | code<<CodeShift | value}
	}
	var got Summary
	records := []Record{
		call(10, 1, 300, false),
		other(10, CodeValues, 20), call(1, 9, 1, false), call(2, 9, 1, false), // values that look like calls
		call(12, 2, 400, false),
		call(13, 2, 400, true),
		other(14, CodeGo, 8),
		other(15, CodeStart, 7), other(15, CodeOrigin, 3),
		call(16, 3, 50, false),
		other(17, CodeRecover, 40),
		other(18, CodeEnd, 0),
		other(19, CodeGo, 7),
		call(20, 1, 300, true),
		call(21, 4, 300, true),
		other(22, CodeLong, 500), {9, 1000},
	}
	got.Take(Chunk{Clock: 5, Goroutine: 7}, records)
	want := Summary{From: 10, To: 22, Starts: []Started{{Goroutine: 8, Parent: 7, Clock: 15, Origin: 3}}, Ended: []uint64{8},
		Lows: []Low{{Goroutine: 7, Clock: 21, Token: 300, Site: 1}, {Goroutine: 8, Clock: 17, Token: 40}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := testing.AllocsPerRun(10, func() { got.Take(Chunk{Clock: 5, Goroutine: 7}, records) }); n != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("once more: %v mallocs, %+v", n, got)
	}
	got = Summary{}
	if got.Take(Chunk{Clock: 5}, nil); !reflect.DeepEqual(got, Summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func BenchmarkSummarize(b *testing.B) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	var s Summary
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		s.Take(Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
	}
	report(b, len(recs), 0)
}
