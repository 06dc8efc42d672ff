package calltree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// sameAsOneByOne compares ReadFile's results, with several numbers of workers, to
// what a Builder makes of the same events one by one. It reports whether blocks were joined.
func sameAsOneByOne(t *testing.T, file *tracefile.File, o Options, end uint64) (joined bool) {
	t.Helper()
	want, err := Read(file.Events(), o, end)
	if err != nil {
		t.Fatal(err)
	}
	damaged := file.Info().Damaged
	for _, workers := range []int{1, 3} {
		got, err := ReadFile(file, o, end, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
			t.Fatalf("%d workers (-one by one +blocks):\n%s", workers, diff)
		}
	}
	if d := file.Info().Damaged; d != damaged {
		t.Errorf("%d bytes damaged, before %d", d, damaged)
	}
	_, err = New(o).readBlocks(file, tracefile.Range{From: o.From, To: New(o).opt.To}, false, 1, func(int) {})
	return err == nil
}

// lines writes a result down. Comparing trees node by node takes for ever if they differ.
func lines(r *Result) []string {
	list := []string{fmt.Sprintf("%d events, %d calls, %d goroutines, past %v, %+v", r.Events, r.Calls, r.Seen, r.Past, r.Problems)}
	for _, row := range r.Rows {
		list = append(list, fmt.Sprintf("%+v", row))
	}
	for _, g := range r.Goroutines {
		list = append(list, fmt.Sprintf("%+v", g))
	}
	paths := make([]string, len(r.Tree))
	var nodes []string
	for i, n := range r.Tree {
		if paths[i] = fmt.Sprint("path ", n.Key); n.Caller != NoCaller {
			paths[i] = fmt.Sprint(paths[n.Caller], " ", n.Key)
		}
		nodes = append(nodes, fmt.Sprintf("%s: calls %d, total %d, self %d, panics %d, off %v, made %v", paths[i], n.Calls, n.Total, n.Self, n.Panics, n.Off, n.Made))
	}
	slices.Sort(nodes)
	return append(list, nodes...)
}

// divided are the options with which blocks are read by themselves.
var divided = []struct {
	name string
	opt  Options
}{
	{"all", Options{Goroutines: true, Tree: true}},
	{"rows", Options{Key: func(site uint32) uint32 { return site / 3 }}},
	{"functions", Options{Goroutines: true, Tree: true, Keep: func(site uint32) bool { return site%3 > 0 }}},
	{"goroutines", Options{Goroutines: true, Goroutine: func(id uint64) bool { return id%2 == 0 }}},
	{"min", Options{Tree: true, Min: 150}},
	{"window", Options{Goroutines: true, Tree: true, From: 2000, To: 6000}},
	{"window of functions", Options{Goroutines: true, Tree: true, From: 2000, To: 6000, Min: 30,
		Keep: func(site uint32) bool { return site%3 > 0 }, Key: func(site uint32) uint32 { return site / 3 }}},
}

// TestBlocks reads made-up programs that panic, recover and exit, some with events missing,
// cut into blocks of several sizes.
func TestBlocks(t *testing.T) {
	for _, tt := range divided {
		t.Run(tt.name, func(t *testing.T) {
			joined := 0
			for _, seed := range seed.List(24) {
				r := rand.New(rand.NewPCG(seed, 1))
				p := &program{rand: r, calm: seed%3 == 0}
				events, _ := p.run(1 + int(seed%8))
				if seed%2 == 1 { // some are lost
					events = slices.DeleteFunc(events, func(tracefile.Event) bool { return r.IntN(20) == 0 })
				}
				if seed%4 > 1 { // some calls that ended were counted calls
					for i := range events {
						if ev := &events[i]; ev.Kind == tracefile.Exit && r.IntN(20) == 0 {
							ev.Kind, ev.Value = tracefile.Long, r.Uint64N(1000)
						}
					}
				}
				if seed%5 > 1 {
					events = withWaits(r, events)
				}
				if seed%5 == 1 || seed%5 == 4 {
					events = withObjects(r, events)
				}
				recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, PerBlock: 1 + int(seed*seed%150)}
				recording.IndexEvery = int(seed/2%3) * 5
				file, err := recording.Open()
				if err != nil {
					t.Fatal(err)
				}
				if sameAsOneByOne(t, file, tt.opt, recording.End) {
					joined++
				}
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
			if joined < 12 {
				t.Errorf("blocks of %d of 24 programs could be joined", joined)
			}
		})
	}
}

// FuzzBlocks reads events that no program makes, cut into blocks anywhere.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte("A1B2b2C2c2a1"), uint8(3), uint8(0))
	f.Add([]byte{0, 1, 16, 20, 15, 24, 31, 24, 15, 132, 0, 8, 15, 24, 5, 1}, uint8(1), uint8(0)) // counted calls
	f.Add([]byte("A1B2b2C2c2a1A1B2b2C2c2a1A1B2b2C2c2a1"), uint8(131), uint8(5))
	f.Add([]byte{0, 1, 17, 33, 255, 2, 64, 3, 4, 5, 6, 7, 8, 9, 129, 77, 1, 0, 0, 1, 44, 45, 46}, uint8(2), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, perBlock, options uint8) {
		events := arbitrary(data)
		if len(events) == 0 {
			return
		}
		recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, PerBlock: 1 + int(perBlock%64), IndexEvery: int(perBlock / 64)}
		file, err := recording.Open()
		if err != nil {
			t.Fatal(err)
		}
		o := divided[int(options)%len(divided)].opt
		o.From, o.To, o.Min = o.From/40, o.To/40, o.Min/40
		sameAsOneByOne(t, file, o, recording.End)
		sameAsFromTheStart(t, file, o, recording.End)
	})
}

// arbitrary makes events of bytes, two for each: small numbers, so that they have to do with each
// other.
func arbitrary(data []byte) []tracefile.Event {
	var events []tracefile.Event
	clock := uint64(1)
	goroutine, stream := uint64(1), uint32(0)
	for ; len(data) >= 2; data = data[2:] {
		a, b := data[0], data[1]
		clock += uint64(a >> 6)
		if a>>6 == 3 {
			goroutine, stream = uint64(b&3), uint32(b>>2&3)
		}
		ev := tracefile.Event{Clock: clock, Goroutine: goroutine, Stream: stream}
		switch k := a & 15; {
		case k < 5:
			ev.Kind = tracefile.Enter
		case k < 9:
			ev.Kind = tracefile.Exit
		default:
			ev.Kind = []tracefile.Kind{tracefile.Panic, tracefile.Recover, tracefile.Goexit, tracefile.Start, tracefile.End, tracefile.Error, tracefile.Long}[k-9]
		}
		switch ev.Kind {
		case tracefile.Enter, tracefile.Exit, tracefile.Error:
			ev.Site, ev.Token = 1+uint32(b&3), uint32(b>>2)/4
		case tracefile.Long:
			ev.Site, ev.Token, ev.Value = 1+uint32(b&3), uint32(b>>2)/4, uint64(b)*uint64(b)/64
		case tracefile.Start:
			ev.Value, ev.Origin = uint64(b&7), uint32(b>>3)
		case tracefile.End:
		default:
			ev.Token = uint32(b >> 4)
		}
		events = append(events, ev)
	}
	return events
}

// TestOrder checks which recordings can be joined: those where no two events of a
// goroutine on different streams have the same clock.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		second uint64 // clock when goroutine 1 goes on on the second stream
		joined bool
	}{
		{"after", 31, true},
		{"at the same time", 30, false},
		{"before", 25, true},
	} {
		for _, end := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " ended ", end), func(t *testing.T) {
				last := tracefile.Event{Kind: tracefile.Exit, Clock: 30, Goroutine: 1, Site: 1, Token: 8}
				if end {
					last = tracefile.Event{Kind: tracefile.End, Clock: 30, Goroutine: 1}
				}
				recording := calltreetest.Recording{End: 50, Events: []tracefile.Event{
					{Kind: tracefile.Enter, Clock: 10, Goroutine: 1, Site: 1, Token: 8},
					last,
					{Kind: tracefile.Enter, Clock: tt.second, Goroutine: 1, Stream: 1, Site: 2, Token: 8},
					{Kind: tracefile.Exit, Clock: 40, Goroutine: 1, Stream: 1, Site: 2, Token: 8},
				}}
				file, err := recording.Open()
				if err != nil {
					t.Fatal(err)
				}
				if joined := sameAsOneByOne(t, file, Options{Goroutines: true}, 50); joined != tt.joined {
					t.Errorf("joined: %v, want %v", joined, tt.joined)
				}
			})
		}
	}
}

// TestWindowOfRecursion cuts the calls of a recursion that a window begins in.
func TestWindowOfRecursion(t *testing.T) {
	events, err := calltreetest.Events("A10 A20 A30 +10 A40 a40 a30 a20 a10")
	if err != nil {
		t.Fatal(err)
	}
	recording := calltreetest.Recording{Events: events, End: 30}
	file, err := recording.Open()
	if err != nil {
		t.Fatal(err)
	}
	if !sameAsOneByOne(t, file, Options{From: 10}, 30) {
		t.Error("blocks could not be joined")
	}
}
