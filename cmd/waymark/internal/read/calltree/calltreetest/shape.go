package calltreetest

import (
	"math/rand/v2"

	"github.com/waymark-go/waymark/tracefile"
)

// A Shape is of a program that goes up and down the stack at random, for benchmarks.
type Shape struct {
	Name                     string
	sites, depth, goroutines int
	run                      int // events until another goroutine runs
}

// Shapes are those that readers are measured with.
var Shapes = []Shape{
	{"loop", 1, 1, 1, 1 << 30},
	{"calls", 200, 12, 1, 1 << 30},
	{"goroutines", 200, 12, 1000, 50},
	{"recursion", 3, 1000, 1, 1 << 30},
}

// Recording returns a million events or so on two streams.
func (s *Shape) Recording() *Recording {
	r := rand.New(rand.NewPCG(1, 2))
	stacks := make([][]uint32, s.goroutines)
	out := &Recording{PerBlock: 4000}
	clock := uint64(1000)
	event := func(g int, enter bool) {
		stack := stacks[g]
		clock += 20 + r.Uint64N(60)
		ev := tracefile.Event{Clock: clock, Goroutine: uint64(g + 1), Stream: uint32(g % 2), Kind: tracefile.Exit}
		if enter {
			caller := uint32(0)
			if n := len(stack); n > 0 {
				caller = stack[n-1]
			}
			stack = append(stack, 1+(caller*7+r.Uint32N(8)/6)%uint32(s.sites))
			ev.Kind = tracefile.Enter
		}
		ev.Site, ev.Token = stack[len(stack)-1], uint32(len(stack)*64)
		if !enter {
			stack = stack[:len(stack)-1]
		}
		stacks[g] = stack
		out.Events = append(out.Events, ev)
	}
	for i := range 1 << 20 {
		g := i / s.run % s.goroutines
		n := len(stacks[g])
		event(g, n == 0 || n < s.depth && r.IntN(2) == 0)
	}
	for g := range stacks {
		for len(stacks[g]) > 0 {
			event(g, false)
		}
	}
	out.End = clock
	return out
}
