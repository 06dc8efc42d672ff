package recorder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/tracefile"
)

// disk has the program run on a disk of the given size, which has as many bytes free as the function
// returns.
func disk(t *testing.T, total int64, free func(f *file) int64) {
	before := diskSpace
	diskSpace = func(f *file) (int64, int64, bool) { return free(f), total, true }
	t.Cleanup(func() { diskSpace = before })
}

// size returns the size of a file, bytes.
func size(f *file) int64 {
	fi, err := os.Stat(f.path)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// A recording stops before it takes the last 5 % of the disk, and the file says so.
func TestDiskFills(t *testing.T) {
	const total, others = 20 << 20, 15 << 20
	for _, c := range []struct {
		name   string
		config Config
		stops  bool
	}{
		{"plain", Config{}, true},
		{"rotated", Config{MaxSize: 2 << 20, Rotate: 4}, true},
		{"rotated, with room", Config{MaxSize: 1 << 20, Rotate: 2}, false},
		{"of a size that the user gave", Config{MaxSize: 1 << 40}, false},
		{"dropping", Config{Overflow: rt.Drop}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.pkg("p", 1)
			var dir string
			disk(t, total, func(of *file) int64 {
				entries, _ := os.ReadDir(filepath.Dir(of.path))
				left := int64(total - others)
				for _, e := range entries {
					if fi, err := e.Info(); err == nil && filepath.Ext(e.Name()) != arenaSuffix {
						left -= fi.Size()
					}
				}
				return left
			})
			r := f.start(c.config)
			dir = filepath.Dir(r.Path())
			text := said(func() {
				// On a busy machine the writer may be late, and events are dropped until it comes.
				for i, began := 0, time.Now(); !r.Ended() && (i < 150 || c.stops && time.Since(began) < 30*time.Second); i++ {
					f.call(0, 1, 1, 10_000)
				}
			})
			if r.Ended() != c.stops {
				t.Fatalf("it has ended: %v, want %v; stderr is %q", r.Ended(), c.stops, text)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if !c.stops {
				return
			}
			sum := int64(0)
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				fi, err := e.Info()
				if err != nil {
					t.Fatal(err)
				}
				sum += fi.Size()
			}
			most := int64(total-others) - total/leaveShare
			if sum > most || sum < most/2 {
				t.Errorf("the files have %d bytes, want at most %d and not much less", sum, most)
			}
			info := read(t, r.Path()).info
			if info.Stopped != tracefile.StoppedDisk || info.Complete || info.Damaged > 0 {
				t.Errorf("%+v; want one that the disk has stopped", info)
			}
			if want := "the last 5 % or 2 GB are left to others; recording has stopped"; !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
				t.Errorf("stderr is %q; want one line with %q", text, want)
			}
		})
	}
}

// Somebody else fills the disk: recording stops, with what the buffers hold as far as there is room.
func TestDiskFilledByOthers(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	free := int64(10 << 30)
	disk(t, 100<<30, func(*file) int64 { f.mu.Lock(); defer f.mu.Unlock(); return free })
	r := f.start(Config{})
	text := said(func() {
		f.call(0, 1, 1, 100_000)
		f.idle(r)
		f.mu.Lock()
		free = 1 << 30
		f.mu.Unlock()
		for i := 0; i < 400 && !r.Ended(); i++ {
			f.call(0, 1, 1, 10_000)
		}
	})
	if !r.Ended() || !strings.Contains(text, "nearly full") {
		t.Fatalf("it has ended: %v, stderr is %q; want that the disk is nearly full", r.Ended(), text)
	}
	c := read(t, r.Path())
	if c.info.Stopped != tracefile.StoppedDisk || c.calls["p.Fa"] < 90_000 {
		t.Errorf("%+v with calls %v; want one that the disk has stopped", c.info, c.calls)
	}
}

// A recording does not begin, and a ring is not dumped, where there is no room.
func TestDiskIsFull(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	free := int64(4 << 20)
	disk(t, 100<<20, func(*file) int64 { return free })
	path := filepath.Join(t.TempDir(), "a.wmt")
	if r, err := f.try(Config{Path: path}); err == nil || !strings.Contains(err.Error(), "MB are wanted and 0.0 MB are free") {
		t.Errorf("%v, %v; want an error: the disk is nearly full", r, err)
	}
	if got := names(t, path); len(got) > 0 {
		t.Errorf("files %v are left, want none", got)
	}
	free = 100 << 20
	r := f.start(Config{Overflow: rt.Ring, DumpAtExit: true})
	f.call(0, 1, 1, 100_000)
	free = 4 << 20
	if path, err := r.Dump(); err == nil || !strings.Contains(err.Error(), "the disk is nearly full") {
		t.Errorf("%s, %v; want an error: the disk is nearly full", path, err)
	}
	free = 100 << 20
	if _, err := r.Dump(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Of tests the events that stay become fewer instead, and the recording goes on.
func TestDiskOfTests(t *testing.T) {
	const total, others = 200 << 20, 182 << 20
	f := newFake(t)
	f.pkg("p", 1)
	disk(t, total, func(of *file) int64 { return total - others - size(of) })
	r := f.start(Config{Disk: 1e9})
	r.giver.head, r.giver.tail, r.giver.rest = 1<<20, 64<<20, 1<<20
	f.say(1, "TestLong", 7)
	text := said(func() {
		for i := 0; i < 150; i++ {
			f.call(0, 7, 1, 20_000)
			f.idle(r)
		}
	})
	if r.Ended() {
		t.Fatalf("it has ended; stderr is %q", text)
	}
	if n, most := size(r.out.file), int64(total-others-total/leaveShare); n > most {
		t.Errorf("the file has %d bytes, want at most %d", n, most)
	}
	r.Close()
	if info := read(t, r.Path()).info; info.GivenBack == 0 || info.Events+info.GivenBack != 2*150*20_000 || !info.Complete {
		t.Errorf("%+v; want a complete one of which events were given back", info)
	}
}

// What the recordings beside take is counted.
func TestSpaceBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.wmt", "a.wmt.live", "b.wmt", "b.wmt.live", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := spaceBeside(filepath.Join(dir, "a.wmt")); got != 2<<20 {
		t.Errorf("%d bytes beside a.wmt, want those of b.wmt and its buffers", got)
	}
	if got := spaceBeside(filepath.Join(dir, "none", "a.wmt")); got != 0 {
		t.Errorf("%d bytes in no folder", got)
	}
}
