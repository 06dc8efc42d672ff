package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// benchmarkRead measures the reading of recordings of several shapes, with one core
// and with all.
func benchmarkRead(b *testing.B, o Options, write func(*Report) error) {
	for _, shape := range shapes {
		for _, cores := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/cores=%d", shape.name, cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				file, err := shape.recording().Open()
				if err != nil {
					b.Fatal(err)
				}
				set, err := tracefile.Join([]*tracefile.File{file})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					r := New(o)
					if err := r.Read(set); err != nil {
						b.Fatal(err)
					}
					if err := write(r); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(file.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}

func BenchmarkReport(b *testing.B) {
	benchmarkRead(b, Options{}, func(r *Report) error { return r.Write(io.Discard, JSON) })
}

func BenchmarkTree(b *testing.B) {
	benchmarkRead(b, Options{Tree: true}, func(r *Report) error { return r.WriteTree(io.Discard, View{}, JSON) })
}

// A shape is of a program that goes up and down the stack at random.
type shape struct {
	name                     string
	sites, depth, goroutines int
	run                      int // events until another goroutine runs
}

var shapes = []shape{
	{"loop", 1, 1, 1, 1 << 30},
	{"calls", 200, 12, 1, 1 << 30},
	{"goroutines", 200, 12, 1000, 50},
	{"recursion", 3, 1000, 1, 1 << 30},
}

// recording gives a million events or so on two streams.
func (s *shape) recording() *calltreetest.Recording {
	r := rand.New(rand.NewPCG(1, 2))
	stacks := make([][]uint32, s.goroutines)
	out := &calltreetest.Recording{PerBlock: 4000}
	clock := uint64(1000)
	event := func(g int, enter bool) {
		stack := stacks[g]
		clock += 20 + r.Uint64N(60)
		ev := format.Event{Clock: clock, Goroutine: uint64(g + 1), Stream: uint32(g % 2), Kind: format.Exit}
		if enter {
			caller := uint32(0)
			if n := len(stack); n > 0 {
				caller = stack[n-1]
			}
			stack = append(stack, 1+(caller*7+r.Uint32N(8)/6)%uint32(s.sites))
			ev.Kind = format.Enter
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
