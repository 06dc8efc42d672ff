package calltree

import (
	"math/rand/v2"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// BenchmarkAdd measures the cost of an event in recordings of several shapes.
func BenchmarkAdd(b *testing.B) {
	for _, bb := range []struct {
		name                      string
		sites, depth, switchEvery int
	}{
		{"loop", 1, 1, 1 << 30},         // one function called again and again
		{"tree", 200, 12, 1 << 30},      // a call tree of many functions
		{"switches", 200, 12, 50},       // on 1000 goroutines in turn
		{"recursion", 3, 1000, 1 << 30}, // a deep stack
	} {
		b.Run(bb.name, func(b *testing.B) {
			events := walk(bb.sites, bb.depth, bb.switchEvery)
			builder := New(Options{})
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				builder.Add(&events[i%len(events)])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

// walk returns 2^16 or so events of a random walk up and down the stack. It ends
// with all calls over, so that it can be repeated.
func walk(sites, depth, switchEvery int) []tracefile.Event {
	const length = 1 << 16
	r := rand.New(rand.NewPCG(1, 2))
	stacks := make([][]uint32, 1000)
	var events []tracefile.Event
	step := func(g int, enter bool) {
		s := stacks[g]
		ev := tracefile.Event{Clock: 1 << 40, Goroutine: uint64(g + 1), Stream: uint32(g % 4)}
		if enter {
			s = append(s, 1+r.Uint32N(uint32(sites)))
			ev.Kind, ev.Site, ev.Token = tracefile.Enter, s[len(s)-1], uint32(len(s)*64)
		} else {
			ev.Kind, ev.Site, ev.Token = tracefile.Exit, s[len(s)-1], uint32(len(s)*64)
			s = s[:len(s)-1]
		}
		stacks[g] = s
		events = append(events, ev)
	}
	for i := range length {
		g := i / switchEvery % len(stacks)
		up := len(stacks[g]) == 0 || len(stacks[g]) < depth && (r.IntN(2) == 0 || i < depth)
		step(g, up)
	}
	for g := range stacks {
		for len(stacks[g]) > 0 {
			step(g, false)
		}
	}
	return events
}
