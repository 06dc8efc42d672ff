package calltree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// Windows of files with an index, which are read from outlines of what is before, are what a filter
// over all events makes of them.
func TestWindows(t *testing.T) {
	for _, seed := range seed.List(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := &program{rand: r, calm: seed%3 > 0}
		events, _ := p.run(1 + int(seed%8))
		if seed%5 == 1 { // some are lost
			events = slices.DeleteFunc(events, func(tracefile.Event) bool { return r.IntN(20) == 0 })
		}
		end := events[len(events)-1].Clock
		recording := calltreetest.Recording{Events: events, End: end, PerBlock: 1 + r.IntN(100), IndexEvery: 1 + r.IntN(20)}
		file, err := recording.Open()
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			o := divided[r.IntN(len(divided))].opt
			o.From = 2 + r.Uint64N(end)
			if o.To = 0; r.IntN(3) > 0 {
				o.To = o.From + r.Uint64N(end)
			}
			sameAsOneByOne(t, file, o, end)
			sameAsFromTheStart(t, file, o, end)
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}
