//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tracefile

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A program was killed while its recording went from one part to the next. The arena goes to
// the part that it is for, or to the one after, and others leave it alone.
func TestRecoverPart(t *testing.T) {
	for _, test := range []struct {
		name        string
		file, arena int
		recovered   bool
	}{
		{"not rotated yet", 0, 0, true},
		{"the part of the arena", 3, 3, true},
		{"the next part, of which the arena does not know yet", 3, 2, true},
		{"an earlier part, which has no end yet", 2, 3, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newKilled(t)
			own := uint64(len(k.events)) - k.missing
			k.file = format.AppendBlock(k.file, format.BlockMeta, format.AppendMeta(nil,
				[]format.KeyValue{{Key: format.MetaPart, Value: strconv.Itoa(test.file)}}))
			format.PutPart(k.arena, test.arena)
			path := k.write(t)
			if test.recovered {
				k.check(t, path, k.missing)
				if exists(path + ".live") {
					t.Error("the arena is still there")
				}
				return
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info := f.Info()
			if info.Events != own || info.Recovered != 0 || info.Complete || info.RecoveryErr != nil || !info.Rotated || info.Part != test.file {
				t.Errorf("got %+v; want %d events", info, own)
			}
			k.untouched(t, path)
		})
	}
}

// The reader of a complete part does not take the arena for what its program forgot
// to remove.
func TestCompletePartLeavesArena(t *testing.T) {
	k := newKilled(t)
	k.file = format.AppendBlock(k.file, format.BlockEnd, format.AppendTrailer(nil, format.Trailer{}))
	format.PutPart(k.arena, 1)
	path := k.write(t)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	k.untouched(t, path)
	format.PutPart(k.arena, 0)
	if err := os.WriteFile(path+".live", k.arena, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if exists(path + ".live") {
		t.Error("the arena is still there, though the file is complete")
	}
}

// What a ring has overwritten, and what is older than the window, is not in the file.
func TestRecoverWindow(t *testing.T) {
	k := newKilled(t)
	k.file = format.AppendBlock(k.file, format.BlockMeta, format.AppendMeta(nil, []format.KeyValue{
		{Key: format.MetaOverflow, Value: "ring"}, {Key: format.MetaWindow, Value: "200"}}))
	path := k.write(t)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info := f.Info()
	last := k.events[len(k.events)-1].Clock
	// The window is 400 ticks long.
	if want := f.Nanos(last - 400); int64(info.From) != want || !info.Ring {
		t.Errorf("the window begins at %v, want %d ns", info.From, want)
	}
	if info.Recovered == 0 || info.Recovered >= k.missing {
		t.Errorf("%d events recovered; want some of %d", info.Recovered, k.missing)
	}
	got := 0
	for _, ev := range all(t, f) {
		if f.Nanos(ev.Clock) >= int64(info.From) {
			got++
		}
	}
	want := 0
	for _, ev := range k.events {
		if ev.Clock >= last-400 {
			want++
		}
	}
	if got != want {
		t.Errorf("%d events in the window, want %d", got, want)
	}
}

// A kill came while an earlier part got its index and its end: nothing of the part is damaged.
func TestPartWithoutEnd(t *testing.T) {
	w := twoIndexed(3, format.KeyValue{Key: format.MetaPart, Value: "2"})
	events := eventsOf(eventBlocks(t, w.File))
	begin := len(w.File)
	w.End(testStart+100000, format.Trailer{})
	offs := blockOffsets(w.File)
	for n := begin; n < len(w.File); n++ {
		f, err := NewFile(bytes.NewReader(w.File[:n]), int64(n))
		if err != nil {
			t.Fatal(err)
		}
		same(t, all(t, f), events)
		i, _ := slices.BinarySearch(offs, n+1)
		want := n - offs[i-1]
		if want >= format.BlockHeader { // less may be of any block
			want = 0
		}
		if info := f.Info(); info.Complete || info.Damaged != int64(want) {
			t.Fatalf("%d of %d bytes: %+v", n, len(w.File), info)
		}
	}
}
