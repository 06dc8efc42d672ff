package calltree

import (
	"math/rand/v2"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// readUnfolded returns the calls of a recording of which some were counted.
func readUnfolded(t *testing.T, events []tracefile.Event, r tracefile.Range, o Options) (string, *Result) {
	t.Helper()
	recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock,
		Counts: []calltreetest.Counts{{Sites: []format.Count{{Site: 1, Level: format.LevelCounted}}}}}
	file, err := recording.Open()
	if err != nil {
		t.Fatal(err)
	}
	src, err := Unfold(file, r)
	if err != nil {
		t.Fatal(err)
	}
	var f forest
	o.OnCall = f.add
	result, err := Read(src, o, recording.End)
	if err != nil {
		t.Fatal(err)
	}
	return f.String(), result
}

func TestUnfold(t *testing.T) {
	for _, tt := range []struct {
		name, events, want string
		from               uint64
	}{
		{"around what it called", "A10 C20 c20 +10 D30 d30 C30 +3 c30 ~B20,15 C20 c20 a10 .", "(A(C)(B(D)(C))(C))", 0},
		{"in each other", "A10 +10 D40 d40 ~C30,5 +1 ~B20,10 a10 .", "(A(B(C(D))))", 0},
		{"one after the other", "A10 +10 ~B20,8 +10 ~B20,8 a10 .", "(A(B)(B))", 0},
		{"a root call", "+10 D40 d40 ~C30,8 .", "(C(D))", 0},
		{"at the clock of the call before and of its own first", "A10 C20 c20 D30 d30 ~B20,3 a10 .", "(A(C)(B(D)))", 0},
		{"at the clock of its own first call", "A10 C20 c20 D30 d30 ~B20,2 a10 .", "(A(C)(B(D)))", 0},
		{"said to begin too early", "+10 A10 C30 c30 D30 d30 ~B20,6 a10 .", "(A(B(C)(D)))", 0},
		{"of two goroutines", "A10 @2 D10 +9 d10 +5 ~B10,4 @1 +5 ~C20,12 a10 .", "(D)(B)(A(C))", 0},
		{"began before the range", "A10 +10 D40 d40 ~C30,9 +9 ~B20,5 a10 .", "(D)(C)(B)", 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, err := calltreetest.Events(tt.events)
			if err != nil {
				t.Fatal(err)
			}
			got, r := readUnfolded(t, events, tracefile.Range{From: tt.from}, Options{})
			if got != tt.want {
				t.Errorf("%s from %d\n got %s\nwant %s", tt.events, tt.from, got, tt.want)
			}
			if tt.from == 0 && r.Problems != (Problems{}) {
				t.Errorf("problems %+v", r.Problems)
			}
		})
	}
}

// TestUnfoldAll checks that made-up programs have the same calls if some of them are counted: an
// Unfolder puts all of them back where they were.
func TestUnfoldAll(t *testing.T) {
	for _, seed := range seed.List(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &program{rand: r, calm: true}
		events, _ := p.run(1 + int(seed%8))
		for i := range events {
			events[i].Clock = 10*events[i].Clock + 1 // no two of a goroutine at the same clock
			if i > 0 {
				events[i].Clock = max(events[i].Clock, events[i-1].Clock+1)
			}
		}
		want, all := readUnfolded(t, events, tracefile.Range{}, Options{})
		var counted []tracefile.Event
		type key struct{ goroutine, site, token uint64 }
		entered := make(map[key]int) // index in counted
		gone := make(map[int]bool)
		for _, ev := range events {
			k := key{ev.Goroutine, uint64(ev.Site), uint64(ev.Token)}
			switch {
			case ev.Kind == tracefile.Enter:
				entered[k] = len(counted)
			case ev.Kind == tracefile.Exit && r.IntN(3) == 0:
				i := entered[k]
				gone[i] = true
				ev.Kind, ev.Value = tracefile.Long, ev.Clock-counted[i].Clock
			}
			counted = append(counted, ev)
		}
		var left []tracefile.Event
		for i, ev := range counted {
			if !gone[i] {
				left = append(left, ev)
			}
		}
		got, some := readUnfolded(t, left, tracefile.Range{}, Options{})
		if got != want || some.Calls != all.Calls || some.Problems != all.Problems {
			t.Fatalf("seed %d: %d calls, %+v, want %d, %+v\n got %.300s\nwant %.300s", seed, some.Calls, some.Problems, all.Calls, all.Problems, got, want)
		}
	}
}

// TestUnfoldArbitrary unfolds events that no program makes. Whatever they are, no long call is told
// more than once.
func TestUnfoldArbitrary(t *testing.T) {
	for _, seed := range seed.List(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		events := arbitrary(data)
		recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock,
			Counts: []calltreetest.Counts{{Sites: []format.Count{{Site: 1, Level: format.LevelOnly}}}}}
		file, err := recording.Open()
		if err != nil {
			t.Fatal(err)
		}
		long := 0
		for _, ev := range events {
			if ev.Kind == tracefile.Long {
				long++
			}
		}
		src, err := Unfold(file, tracefile.Range{From: seed % 50})
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		o := Options{OnEnter: func(*Call) {}, OnCall: func(c *Call) {
			if c.Flags&(Long|Unfolded) != 0 {
				told++
			}
		}}
		if _, err := Read(src, o, recording.End); err != nil || told > long {
			t.Fatalf("seed %d: %d of %d long calls told, %v", seed, told, long, err)
		}
	}
}
