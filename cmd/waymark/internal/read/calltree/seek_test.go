package calltree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/tracefile"
)

// sameAsFromTheStart checks that a Builder of NewAt tells the calls which one does that is given
// all events, and has the same result. It reports whether the new one was given those in the window
// only.
func sameAsFromTheStart(t *testing.T, file *tracefile.File, o Options, end uint64) (sought bool) {
	t.Helper()
	told := func(seek bool) []string {
		calls := make(map[uint64][]string) // events with the same clock come in any order
		o := o
		o.OnEnter = func(c *Call) { calls[c.Goroutine] = append(calls[c.Goroutine], fmt.Sprintf("enter %+v", *c)) }
		o.OnCall = func(c *Call) { calls[c.Goroutine] = append(calls[c.Goroutine], fmt.Sprintf("call %+v", *c)) }
		b, r := New(o), tracefile.Range{}
		if seek {
			b, r = NewAt(file, o)
			sought = r != tracefile.Range{}
		}
		events := file.EventsIn(r)
		for ev := (tracefile.Event{}); events.Next(&ev); {
			b.Add(&ev)
		}
		list := lines(b.Close(end))
		for _, g := range slices.Sorted(maps.Keys(calls)) {
			list = append(list, calls[g]...)
		}
		return list
	}
	if diff := cmp.Diff(told(false), told(true)); diff != "" {
		t.Errorf("%d to %d (-from the start +from the window on):\n%s", o.From, o.To, diff)
	}
	return sought
}

// Reading can begin where a window does, in made-up programs whose events have values.
func TestNewAt(t *testing.T) {
	sought := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := &program{rand: r, calm: seed%3 == 0}
		events, _ := p.run(1 + int(seed%8))
		if seed%4 == 1 { // some are lost
			events = slices.DeleteFunc(events, func(tracefile.Event) bool { return r.IntN(20) == 0 })
		}
		for i := range events {
			switch ev := &events[i]; ev.Kind {
			case tracefile.Enter, tracefile.Exit, tracefile.Panic:
				if r.IntN(3) > 0 {
					ev.Data = []byte(strings.Repeat("x", r.IntN(20)) + fmt.Sprint(i))
				}
			}
		}
		end := events[len(events)-1].Clock
		recording := calltreetest.Recording{Events: events, End: end, PerBlock: 1 + int(seed*seed%150), IndexEvery: int(seed/2%3) * 5}
		file, err := recording.Open()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{
			{From: 1}, {From: end / 2}, {From: end / 3, To: end / 2}, {From: end},
			{From: end / 4, To: end / 2, Keep: func(site uint32) bool { return site%3 > 0 }},
			{From: end / 2, Goroutine: func(id uint64) bool { return id%2 == 0 }, Goroutines: true, Tree: true, Min: 30},
		} {
			if sameAsFromTheStart(t, file, o, end) {
				sought++
			}
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
	if sought < 72 {
		t.Errorf("%d of 144 windows were read by themselves, want at least 72", sought)
	}
}
