package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A ring is dumped while it goes on, to files of their own.
func TestDump(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{Overflow: rt.Ring})
	if path, err := r.Dump(); !errors.Is(err, fault.ErrEmptyWindow) {
		t.Errorf("%q, %v; want %v", path, err, fault.ErrEmptyWindow)
	}
	mine := filepath.Join(filepath.Dir(r.Path()), "a.dump2.wmt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.call(0, 1, 1, 10)
	for i, name := range []string{"a.dump1.wmt", "a.dump3.wmt"} { // the other is there already
		path, err := r.Dump()
		if err != nil || filepath.Base(path) != name {
			t.Fatalf("%s, %v; want %s", path, err, name)
		}
		is(t, path, map[string]int{"p.Fa": 10 * (i + 1)})
		f.call(0, 1, 1, 10)
	}
	if got := len(Dumps(r.Path())); got != 3 {
		t.Errorf("%d files have names of dumps, want 3", got)
	}
	// The world is not asked for the window when the program ends well.
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, mine), []string{"a.dump1.wmt", "a.dump2.wmt", "a.dump3.wmt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if path, err := r.Dump(); err != fault.ErrNoWindow {
		t.Errorf("%q, %v; want %v", path, err, fault.ErrNoWindow)
	}
	if r = f.start(Config{}); r != nil {
		if path, err := r.Dump(); err != fault.ErrNoWindow {
			t.Errorf("without a ring: %q, %v; want %v", path, err, fault.ErrNoWindow)
		}
	}
}

// A ring holds the newest events, and its file says from when on.
func TestRingTurns(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 2)
	for _, window := range []time.Duration{0, time.Nanosecond} {
		r := f.start(Config{Overflow: rt.Ring, DumpAtExit: true, Window: window})
		f.call(0, 1, 1, 500_000)
		f.call(0, 1, 2, 1)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		c := read(t, r.Path())
		if !c.info.Ring || c.info.From == 0 || c.calls["p.Fa"] == 500_000 || c.calls["p.Fb"] != 1 {
			t.Errorf("window %v: %+v with calls %v; want a ring without its beginning, with the last call", window, c.info, c.calls)
		}
		if window > 0 && c.info.Events > 8192 {
			t.Errorf("window %v: %d events, want those of a few chunks at most", window, c.info.Events)
		}
	}
}

// A ring whose arena was damaged can't be dumped.
func TestRingBroken(t *testing.T) {
	for _, atExit := range []bool{false, true} {
		f := newFake(t)
		f.pkg("p", 1)
		r := f.start(Config{Overflow: rt.Ring, DumpAtExit: atExit})
		f.call(0, 1, 1, 10)
		clear(f.arena[:64])
		if path, err := r.Dump(); !errors.Is(err, errBroken) {
			t.Errorf("%q, %v; want %v", path, err, errBroken)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%v; want it said on stderr only", err)
		}
	}
}
