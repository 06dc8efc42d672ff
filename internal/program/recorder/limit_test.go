package recorder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/tracefile"
)

// Recording ends when the file has its size. The next recording begins as ever.
func TestMaxSize(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{MaxSize: 100_000})
	for !r.Ended() {
		f.call(0, 1, 1, 1000)
	}
	c := read(t, r.Path())
	if c.info.Size > 100_000 || c.info.Stopped != tracefile.StoppedFull || c.info.Complete || c.calls["p.Fa"] == 0 {
		t.Errorf("%+v; want at most 100,000 bytes, stopped because it is full, with calls", c.info)
	}
	if f.open {
		t.Error("the hooks record, want them to have stopped")
	}
	r = f.start(Config{})
	f.call(0, 1, 1, 10)
	r.Close()
	is(t, r.Path(), map[string]int{"p.Fa": 10})
}

// Sites take room, too. A package whose sites find no room ends the recording. All that the
// arena holds counts as lost.
func TestSitesExceedMaxSize(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{MaxSize: 8000})
	r.mu.Lock()
	f.call(0, 1, 1, 5000)
	r.mu.Unlock()
	f.wait("a block is written", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.closed || r.filling.blocks > 0 })
	f.pkg("q", 1000)
	if !r.Ended() {
		t.Fatal("it goes on")
	}
	info := read(t, r.Path()).info
	if info.Stopped != tracefile.StoppedFull || info.Funcs != 1 || info.Events+info.Lost != 10_000 || info.Lost == 0 {
		t.Errorf("%+v; want a full one with 1 site and 10,000 events, some of them lost", info)
	}
}

// A rotated recording goes on in one part after the other, and keeps the newest.
func TestRotate(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{MaxSize: 60_000, Rotate: 2, Overflow: rt.Block})
	total := 0
	for ; len(Parts(r.Path())) < 1 || total < 300_000; total += 1000 {
		f.call(0, 1, 1, 1000)
	}
	f.pkg("q", 1)
	f.call(0, 1, 2, 1)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	parts := append(Parts(r.Path()), r.Path())
	if len(parts) != 2 {
		t.Fatalf("parts %v, want two", parts)
	}
	calls := 0
	for _, part := range parts {
		c := read(t, part)
		if !c.info.Rotated || c.info.Size > 60_000 || c.info.Lost > 0 || c.info.Damaged > 0 {
			t.Errorf("%s: %+v; want a part of at most 60,000 bytes", filepath.Base(part), c.info)
		}
		calls += c.calls["p.Fa"]
	}
	if calls == 0 || calls >= total {
		t.Errorf("%d calls are kept of %d, want some", calls, total)
	}
	if c := read(t, r.Path()); c.calls["q.Fa"] != 1 {
		t.Errorf("the newest part has %v, want a call of q.Fa", c.calls)
	}
	// Another recording takes the place of all of them.
	r = f.start(Config{Path: r.Path()})
	r.Close()
	if got, want := names(t, r.Path()), []string{"a.wmt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// The name of the next part is taken: recording ends, and nothing is overwritten.
func TestRotateFails(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{MaxSize: 60_000, Rotate: 2})
	mine := r.Path() + nextSuffix
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for !r.Ended() {
		f.call(0, 1, 1, 1000)
	}
	if b, err := os.ReadFile(mine); string(b) != "mine" {
		t.Errorf("%q, %v; want mine", b, err)
	}
	if info := read(t, r.Path()).info; info.Stopped != tracefile.StoppedFailed {
		t.Errorf("%+v; want one that failed", info)
	}
}
