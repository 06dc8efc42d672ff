package tracefile

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// putCounts appends a Counts block of testStart + clock.
func putCounts(w *tracetest.Writer, clock uint64, counts ...format.Count) {
	w.Block(format.BlockCounts, format.AppendCounts(nil, testStart+clock, counts))
}

// demotedTrace is of a program that demoted function 2 and then 3, and promoted 2 again.
func demotedTrace(meta ...format.KeyValue) *tracetest.Writer {
	w := newTrace(append(meta, format.KeyValue{Key: format.MetaBudget, Value: "10%"})...)
	putCounts(w, 100, format.Count{Site: 2, Level: format.LevelUnvalued})
	putCounts(w, 200, format.Count{Site: 2, Level: format.LevelCounted}, format.Count{Site: 3, Level: format.LevelCounted})
	putCounts(w, 300, format.Count{Site: 2, Level: format.LevelCounted, Calls: 1000}, format.Count{Site: 3, Level: format.LevelCounted, Calls: 5})
	putCounts(w, 400, format.Count{Site: 2, Calls: 30})
	putCounts(w, 500, format.Count{Site: 3, Level: format.LevelCounted, Calls: 1}, format.Count{Site: 4})
	return w
}

func demotions(list ...Demotion) []Demotion {
	for i := range list {
		list[i].Clock += testStart
	}
	return list
}

func TestDemotions(t *testing.T) {
	w := demotedTrace()
	w.Block(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaCPU, Value: "2000000000"}, {Key: format.MetaTracing, Value: "150000000"}}))
	w.End(testStart+testHz, format.Trailer{})
	f := openBytes(t, w.File)
	if got, want := f.Demotions(), demotions(
		Demotion{100, 2, Unvalued, 0}, Demotion{200, 2, Counted, 1030}, Demotion{200, 3, Counted, 6}, Demotion{400, 2, Full, 0},
	); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	i := f.Info()
	if i.Budget != "10%" || i.CPU != 2*time.Second || i.CPUTracing != 150*time.Millisecond || i.Demoted != 2 || i.Counted != 1036 || i.CountedUntil != 250 {
		t.Errorf("got %+v", i)
	}
	for _, tt := range []struct {
		r    Range
		want map[uint32]uint64
	}{
		{Range{}, map[uint32]uint64{2: 1030, 3: 6}},
		{Range{To: testStart + 300}, map[uint32]uint64{2: 1000, 3: 5}},
		{Range{To: testStart + 299}, map[uint32]uint64{}},
		{Range{From: testStart + 300}, map[uint32]uint64{2: 30, 3: 1}}, // a test between two of the blocks
		{Range{From: testStart + 300, To: testStart + 400}, map[uint32]uint64{2: 30}},
		{Range{From: testStart + 500}, map[uint32]uint64{}},
	} {
		if got := f.Counted(tt.r); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.r, got, tt.want)
		}
	}
	for _, tt := range []struct{ r, want Range }{
		{Range{}, Range{To: testStart + 500}},
		{Range{From: testStart + 99, To: testStart + 100}, Range{To: testStart + 100}},
		{Range{From: testStart + 200, To: testStart + 300}, Range{testStart + 200, testStart + 300}},
		{Range{From: testStart + 201, To: testStart + 301}, Range{testStart + 200, testStart + 400}},
		{Range{From: testStart + 450, To: testStart + 501}, Range{testStart + 400, testStart + 500}},
	} {
		if got := f.Readings(tt.r); got != tt.want {
			t.Errorf("readings around %v: %v, want %v", tt.r, got, tt.want)
		}
	}
	plain := newTrace()
	if f := openBytes(t, plain.File); f.Readings(Range{}) != (Range{}) || f.Demotions() != nil || len(f.Counted(Range{})) > 0 || f.CountedUntil() != 0 || f.Info().Demoted != 0 {
		t.Errorf("without Counts blocks: %v, %v", f.Demotions(), f.Info())
	}
}

// A program that had no end has the counts until it read its counters last, and a later level passes
// for Sampled.
func TestDemotionsWithoutEnd(t *testing.T) {
	w := newTrace()
	putCounts(w, 100, format.Count{Site: 1, Level: 7, Calls: 3})
	f := openBytes(t, w.File)
	if got, want := f.Demotions(), demotions(Demotion{100, 1, Sampled, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if i := f.Info(); i.Complete || i.Counted != 3 || i.CountedUntil != 50 {
		t.Errorf("got %+v", i)
	}
	if got := fmt.Sprint(Full, Unvalued, Counted, CountedOnly, Level(9)); got != "full without values counted counted only sampled" {
		t.Errorf("levels are %s", got)
	}
}

// Calls that were counted while a function was sampled are estimates.
func TestGuessed(t *testing.T) {
	w := newTrace()
	for i, c := range []format.Count{
		{Site: 1, Level: format.LevelSampled, Calls: 3}, {Site: 1, Level: format.LevelSampled, Calls: 4}, {Site: 1, Level: format.LevelOnly, Calls: 5}, {Site: 1, Calls: 6},
	} {
		putCounts(w, uint64(100*(i+1)), c)
	}
	f := openBytes(t, w.File)
	for _, tt := range []struct {
		r             Range
		guessed, from uint64
	}{{Range{}, 9, 18}, {Range{From: testStart + 200}, 5, 11}, {Range{To: testStart + 200}, 4, 7}} {
		if guessed, all := f.Guessed(tt.r)[1].Calls, f.Counted(tt.r)[1]; guessed != tt.guessed || all != tt.from {
			t.Errorf("%v: %d of %d calls are estimates, want %d of %d", tt.r, guessed, all, tt.guessed, tt.from)
		}
	}
}

// Damaged Counts blocks cost what they say, and what is between them stays.
func TestDemotionsDamaged(t *testing.T) {
	w := demotedTrace()
	w.Chunk(0, 1, []format.Record{{Clock: testStart + 600, Word: 1<<format.SiteShift | 100}})
	offs := blockOffsets(w.File)
	var damaged []int // the Counts block at 300, by offset
	for _, off := range offs[:len(offs)-1] {
		if w.File[off+4] == byte(format.BlockCounts) {
			damaged = append(damaged, off)
		}
	}
	b := bytes.Clone(w.File)
	b[damaged[2]+format.BlockHeader+3] ^= 0xFF
	f := openBytes(t, b)
	if got := f.Counted(Range{}); !reflect.DeepEqual(got, map[uint32]uint64{2: 30, 3: 1}) {
		t.Errorf("counts %v, want those of the other blocks", got)
	}
	if i := f.Info(); i.Damaged == 0 || i.Events != 1 {
		t.Errorf("got %+v, want damage and the event", i)
	}

	// A checksum that holds over a payload that makes no sense.
	w = demotedTrace()
	w.Block(format.BlockCounts, []byte{1, 200, 7})
	w.Chunk(0, 1, []format.Record{{Clock: testStart + 600, Word: 1<<format.SiteShift | 100}})
	f = openBytes(t, w.File)
	if got := f.Counted(Range{}); !reflect.DeepEqual(got, map[uint32]uint64{2: 1030, 3: 6}) {
		t.Errorf("counts %v", got)
	}
	if i := f.Info(); i.Damaged == 0 || i.Events != 1 {
		t.Errorf("got %+v, want damage and the event", i)
	}
}

// The parts of a rotated recording add up, and each begins with the levels.
func TestDemotionsOfParts(t *testing.T) {
	nonce := format.KeyValue{Key: format.MetaNonce, Value: "00"}
	part := func(n string) format.KeyValue { return format.KeyValue{Key: format.MetaPart, Value: n} }
	first := demotedTrace(nonce, part("0"))
	first.End(testStart+550, format.Trailer{})
	second := newTrace(nonce, part("1"))
	putCounts(second, 550, format.Count{Site: 3, Level: format.LevelCounted})
	putCounts(second, 600, format.Count{Site: 3, Level: format.LevelCounted, Calls: 100})
	second.Block(format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{{Key: format.MetaCPU, Value: "7"}}))
	second.End(testStart+700, format.Trailer{})
	parts := []*File{openBytes(t, second.File), openBytes(t, first.File)}
	if got, want := parts[0].Demotions(), demotions(Demotion{550, 3, Counted, 100}); !reflect.DeepEqual(got, want) {
		t.Errorf("the second part alone: got  %v\nwant %v", got, want)
	}
	set, err := Join(parts)
	if err != nil {
		t.Fatal(err)
	}
	f := set.Processes[0]
	if got, want := f.Demotions(), demotions(
		Demotion{100, 2, Unvalued, 0}, Demotion{200, 2, Counted, 1030}, Demotion{200, 3, Counted, 106}, Demotion{400, 2, Full, 0},
	); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if i := f.Info(); i.Counted != 1136 || i.Budget != "10%" || i.CPU != 7 {
		t.Errorf("got %+v", i)
	}
	if parts[1].Info().CPU != 0 {
		t.Error("joining changed a part")
	}
}

// Long events have the clock of their end, and how long the call took.
func TestLongEvents(t *testing.T) {
	w := newTrace()
	long := func(clock, site, ticks uint64) []format.Record {
		return []format.Record{{Clock: testStart + clock, Word: word(format.CodeLong, 96)}, {Clock: site, Word: ticks}}
	}
	w.Events(format.Chunk{Stream: 1, Seq: 1, Clock: testStart, Goroutine: 7}, append(long(500_000, 2, 400_000), long(600_000, 3, 1<<63)...))
	f := openBytes(t, w.File)
	evs := all(t, f)
	want := []Event{
		{Clock: testStart + 500_000, Goroutine: 7, Stream: 1, Kind: Long, Site: 2, Token: 96, Value: 400_000},
		{Clock: testStart + 600_000, Goroutine: 7, Stream: 1, Kind: Long, Site: 3, Token: 96, Value: 1 << 63}, // damage
	}
	if !reflect.DeepEqual(evs, want) {
		t.Fatalf("got  %v\nwant %v", evs, want)
	}
	if begin, d := evs[0].Begin(), f.Duration(&evs[0]); begin != testStart+100_000 || d != 200*time.Microsecond {
		t.Errorf("began at %d and took %v", begin, d)
	}
	if begin := evs[1].Begin(); begin != 0 {
		t.Errorf("one that took longer than the clock began at %d, want 0", begin)
	}
	if ev := (Event{Kind: Start, Clock: 5, Value: 3}); ev.Begin() != 5 || f.Duration(&ev) != 0 {
		t.Errorf("another kind: %d, %v", ev.Begin(), f.Duration(&ev))
	}
	if i := f.Info(); i.Events != 2 {
		t.Errorf("%d events, want 2", i.Events)
	}
}
