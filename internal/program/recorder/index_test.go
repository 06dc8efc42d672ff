package recorder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// indexed checks that Index blocks list the blocks of the file at path, all but the last two if it
// has its end. It returns how many blocks of events they list.
func indexed(t *testing.T, path string) (events int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []format.Block // since the latest index
	previous, from, starts := uint64(0), uint64(format.HeaderSize), 0
	for off := format.HeaderSize; off < len(b); {
		h, err := format.ParseBlock(b[off:])
		if err != nil {
			t.Fatalf("%s: byte %d: %v", path, off, err)
		}
		payload := b[off+format.BlockHeader:][:h.Length]
		if h.Kind == format.BlockIndex {
			x, err := format.ParseIndex(payload)
			if err != nil || x.At != uint64(off) || x.From != from || x.Previous != previous || len(x.Entries) != len(list) {
				t.Fatalf("%s: index at %d, from %d, previous %d, of %d blocks, %v; want %d, %d, %d and %d", path, x.At, x.From, x.Previous, len(x.Entries), err, off, from, previous, len(list))
			}
			for i, e := range x.Entries {
				if e.Kind != list[i].Kind || e.Length != list[i].Length {
					t.Fatalf("%s: block %d is of kind %d and %d bytes, the index has %d and %d", path, i, list[i].Kind, list[i].Length, e.Kind, e.Length)
				}
				if e.Kind == format.BlockEvents {
					events++
				}
				starts += len(e.Starts)
			}
			previous, list = uint64(off), nil
			off += format.BlockHeader + h.Length
			from = uint64(off)
			continue
		}
		list = append(list, h)
		off += format.BlockHeader + h.Length
		if h.Kind == format.BlockGap {
			g, err := format.ParseGap(payload)
			if err != nil {
				t.Fatal(err)
			}
			off += int(g.Skip)
		}
	}
	if events > 0 && (len(list) != 2 || list[1].Kind != format.BlockEnd) {
		t.Errorf("%s: %d blocks behind the last index, want the clock and the end", path, len(list))
	}
	return events
}

func TestIndex(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config Config
		least  int // blocks of events that are listed, in all parts
		some   bool
	}{
		{"one file", Config{}, 200, true},
		{"parts", Config{MaxSize: 1_000_000, Rotate: 20}, 100, true},
		{"small parts", Config{MaxSize: 100_000, Rotate: 50}, 0, false},
		{"full", Config{MaxSize: 1_500_000}, 64, true},
		{"given back", Config{Disk: 1e9}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.pkg("p", 2)
			r := f.start(tt.config)
			path := r.Path()
			for i := uint64(0); i < 900; i++ {
				f.call(uint32(i%2), 1+i%2, 1, 500)
				if i%90 == 50 {
					f.say(format.TestBegins, "Test", 1)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			listed := 0
			var files []*tracefile.File
			for _, part := range append(Parts(path), path) {
				listed += indexed(t, part)
				file, err := tracefile.Open(part)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				files = append(files, file)
				if info, err := file.Verify(); err != nil || info.Damaged > 0 || tt.config.MaxSize > 0 && info.Size > tt.config.MaxSize {
					t.Errorf("%s: %+v, %v", filepath.Base(part), info, err)
				}
			}
			if listed < tt.least || tt.some != (listed > 0) {
				t.Errorf("%d blocks are listed, want at least %d", listed, tt.least)
			}
			set, err := tracefile.Join(files)
			if err != nil {
				t.Fatal(err)
			}
			if info := set.Processes[0].Info(); tt.name != "full" && tt.name != "given back" && info.Events != 900_000 {
				t.Errorf("%d events, want 900,000", info.Events)
			}
		})
	}
}

// A file that another program cuts while it is written has no index that lies.
func TestIndexOfCutFile(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{})
	f.call(0, 1, 1, 500_000)
	f.idle(r)
	if err := os.Truncate(r.Path(), 0); err != nil {
		t.Fatal(err)
	}
	f.call(0, 1, 1, 500_000)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	c := read(t, r.Path())
	if c.info.Damaged > 0 || c.info.Events+c.info.Lost != 2_000_000 {
		t.Errorf("%+v; want 2,000,000 events and lost ones", c.info)
	}
}
