package jaeger

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// sent is how long it takes until what has been kept is on its way: a batch waits for a second.
const sent = 1200 * time.Millisecond

var (
	cost  = flag.Int("cost", 0, "rounds of TestCost")
	rate  = flag.Int("rate", 2000, "requests a second of TestCost")
	tries = flag.Int("tries", 1, "turns of TestCost are repeated so often at most, until nothing else has part of the machine")
)

// TestCost measures what traces that are kept by their tails cost two services, whose requests come at a rate that is a
// part of what they can do: CPU time of both, and how long requests take. Rounds take turns, as services take a fifth
// more CPU time in some runs than in others. What is paid once is a figure of its own: the start, the first requests
// and the first message to the collector. It prints the quartiles of each, and the medians on over off.
func TestCost(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures for minutes: make bench-tail")
	}
	start(t)
	prog := build(t)
	const n = 2 * each // two are slow, and two fail
	names := []string{"CPU time", "p50", "p99", "p99.9", "CPU time of the start"}
	turn := func(setting string) []float64 {
		store := serve(t, prog, setting, "store")
		front := serve(t, prog, setting, "front", store.addr)
		cpu := func() float64 { return (front.cpu(t) + store.cpu(t)).Seconds() }
		load(t, front.addr, each, *rate)
		time.Sleep(sent)
		first := cpu()
		took := load(t, front.addr, n, *rate)
		time.Sleep(sent)
		all := cpu()
		front.end(t)
		store.end(t)
		at := func(q float64) float64 { return took[int(q*n)].Seconds() }
		return []float64{all - first, at(0.5), at(0.99), at(0.999), first}
	}
	settings := []string{"", "traces=@http,keep=longer:100ms,keep=failed,otlp=" + overHTTP}
	runs := make([][][]float64, len(settings)) // by setting and name
	for i := range runs {
		runs[i] = make([][]float64, len(names))
	}
	quiet := measure.NewQuiet(50)
	for round := range *cost {
		for k := range settings {
			i := (round + k) % len(settings)
			var figures []float64
			for try := 1; try <= *tries; try++ {
				slower := quiet.During(func() { figures = turn(settings[i]) })
				if slower <= measure.Disturbed {
					break
				}
				t.Logf("round %d: the machine was slower by %.0f %%", round+1, 100*slower)
			}
			for j, v := range figures {
				runs[i][j] = append(runs[i][j], v)
			}
		}
	}
	at := func(list []float64, q float64) float64 {
		list = slices.Sorted(slices.Values(list))
		return list[int(q*float64(len(list)-1))]
	}
	for j, name := range names {
		off, on := runs[0][j], runs[1][j]
		t.Logf("%s: %+.1f %%: off %.6f (%.6f to %.6f) s, on %.6f (%.6f to %.6f) s", name, 100*(at(on, 0.5)/at(off, 0.5)-1),
			at(off, 0.5), at(off, 0.25), at(off, 0.75), at(on, 0.5), at(on, 0.25), at(on, 0.75))
	}
}
