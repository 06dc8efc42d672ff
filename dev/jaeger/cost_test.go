package jaeger

import (
	"flag"
	"slices"
	"testing"
)

var (
	cost = flag.Int("cost", 0, "rounds of TestCost")
	rate = flag.Int("rate", 2000, "requests a second of TestCost")
)

// TestCost measures what traces that are kept by their tails cost two services, whose requests come at a rate that is a
// part of what they can do: CPU time of both, and how long requests take. Rounds are short and take turns, as services
// take a fifth more CPU time in some runs than in others. It prints the quartiles of each, and the medians on over off.
func TestCost(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures for minutes: make bench-tail")
	}
	start(t)
	prog := build(t)
	const n = each // one is slow, and one fails
	names := []string{"CPU time", "p50", "p99", "p99.9"}
	measure := func(setting string) []float64 {
		store := serve(t, prog, setting, "store")
		front := serve(t, prog, setting, "front", store.addr)
		took := load(t, front.addr, n, *rate)
		at := func(q float64) float64 { return took[int(q*n)].Seconds() }
		return []float64{(front.end(t) + store.end(t)).Seconds(), at(0.5), at(0.99), at(0.999)}
	}
	settings := []string{"", "traces=@http,keep=longer:100ms,keep=failed,otlp=" + overHTTP}
	runs := make([][][]float64, len(settings)) // by setting and name
	for i := range runs {
		runs[i] = make([][]float64, len(names))
	}
	for round := range *cost {
		for k := range settings {
			i := (round + k) % len(settings)
			for j, v := range measure(settings[i]) {
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
