package calltree

import (
	"fmt"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/tracefile"
)

// TestMemory checks that what has ended takes no memory: the state of a goroutine
// serves the next one, and following calls allocates nothing.
func TestMemory(t *testing.T) {
	b := New(Options{})
	id, clock := uint64(0), uint64(0)
	add := func(kind tracefile.Kind, site, token uint32) {
		clock++
		b.Add(&tracefile.Event{Clock: clock, Goroutine: id, Kind: kind, Site: site, Token: token})
	}
	goroutine := func() {
		id++
		add(tracefile.Start, 0, 0)
		for depth := uint32(1); depth < 100; depth++ {
			add(tracefile.Enter, depth, depth*64)
		}
		add(tracefile.Panic, 0, 100*64)
		add(tracefile.Recover, 0, 50*64)
		for depth := uint32(50); depth > 0; depth-- {
			add(tracefile.Exit, depth, depth*64)
		}
		add(tracefile.End, 0, 0)
	}
	goroutine()
	if n := testing.AllocsPerRun(1000, goroutine); n > 0 {
		t.Errorf("%v allocations for a goroutine like one before", n)
	}
	if len(b.alive) != 0 || len(b.spare) != 1 {
		t.Errorf("%d goroutines alive and %d spare after all have ended", len(b.alive), len(b.spare))
	}
	if err := b.Close(0).Validate(); err != nil {
		t.Error(err)
	}
}

// TestUnknown checks that ids that can't be are counted, not indexed with.
func TestUnknown(t *testing.T) {
	b := New(Options{})
	for _, ev := range []tracefile.Event{
		{Kind: tracefile.Enter, Site: 1, Token: 64},
		{Kind: tracefile.Enter, Site: 1<<31 - 1, Token: 64, Goroutine: 1},
		{Kind: tracefile.Enter, Site: 1, Token: 128, Goroutine: 1, Stream: 1<<32 - 1, Clock: 5},
		{Kind: tracefile.Exit, Site: 1, Token: 128, Goroutine: 1, Stream: 1<<32 - 1, Clock: 3},
	} {
		b.Add(&ev)
	}
	r := b.Close(0)
	if want := (Problems{Unknown: 2, Backward: 1}); r.Problems != want || r.Calls != 1 {
		t.Errorf("%d calls, %+v", r.Calls, r.Problems)
	}
}

// FuzzAdd feeds a Builder with any events. The sums hold for whatever it makes of them.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("\x00\x01\x08\x00\x02\x10\x05\x00\x10\x06\x00\x08\x01\x01\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := New(Options{Goroutines: true})
		clock := uint64(0)
		for ; len(data) >= 3; data = data[3:] {
			clock += uint64(data[1] >> 4)
			b.Add(&tracefile.Event{
				Kind: tracefile.Kind(data[0] % 10), Goroutine: 1 + uint64(data[0]>>6), Stream: uint32(data[0] >> 7),
				Clock: clock, Site: uint32(data[1] & 15), Token: uint32(data[2]),
			})
		}
		r := b.Close(0)
		r.Problems = Problems{}
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// OnEnter and OnCall see the same calls, in the order of events.
func TestOnEnter(t *testing.T) {
	events, err := calltreetest.Events("A10 B20 b20 C20 D30 !40 ^20 c20 a10 @2 <1 B10 .")
	if err != nil {
		t.Fatal(err)
	}
	var got string
	o := Options{
		OnEnter: func(c *Call) { got += fmt.Sprintf("%d:%d+%c ", c.Goroutine, c.Depth, 'A'+c.Site-1) },
		OnCall:  func(c *Call) { got += fmt.Sprintf("%d:%d-%c ", c.Goroutine, c.Depth, 'A'+c.Site-1) },
		Keep:    func(site uint32) bool { return site != 3 },
	}
	read(t, events, o)
	if want := "1:0+A 1:1+B 1:1-B 1:1+D 1:1-D 1:0-A 2:0+B 2:0-B "; got != want {
		t.Errorf("calls %s\nwant  %s", got, want)
	}
}
