//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tracefile

import (
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// TestRecoverCounts opens the recording of a program that was killed while functions were counted.
// The long calls in its arena are there, and the counts until it read its counters last.
func TestRecoverCounts(t *testing.T) {
	k := newKilled(t)
	k.file = format.AppendBlock(k.file, format.BlockCounts, format.AppendCounts(nil, testStart+500, []format.Count{{Site: 2, Level: format.LevelCounted, Calls: 77}}))
	last := k.last - 10
	putChunk(k.arena[3*format.ChunkSize:], format.Chunk{State: format.ChunkActive, Stream: 2, Seq: 1000, Clock: last - 10, Goroutine: 3}, []format.Record{
		{Clock: last, Word: word(format.CodeLong, 96)}, {Clock: 2, Word: 5000},
		{Clock: 0, Word: 0}, {Clock: 2, Word: 7000}, // of one whose clock was not stored any more
	})
	f, err := Open(k.write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var long []Event
	for _, ev := range all(t, f) {
		if ev.Kind == Long {
			long = append(long, ev)
		}
	}
	if want := []Event{{Clock: last, Goroutine: 3, Stream: 2, Kind: Long, Site: 2, Token: 96, Value: 5000}}; !reflect.DeepEqual(long, want) {
		t.Errorf("long calls %+v, want %+v", long, want)
	}
	i := f.Info()
	if i.Recovered != k.missing+1 || i.Damaged != 0 || i.Complete {
		t.Errorf("got %+v, want %d events recovered", i, k.missing+1)
	}
	if i.Counted != 77 || i.Demoted != 1 || i.CountedUntil != 250 || f.CountedUntil() != testStart+500 {
		t.Errorf("got %+v, want 77 calls counted until 250 ns", i)
	}
}
