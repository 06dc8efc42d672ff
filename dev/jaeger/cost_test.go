package jaeger

import (
	"flag"
	"slices"
	"testing"
)

var cost = flag.Int("cost", 0, "rounds of TestCost")

// TestCost measures what traces that are kept by their tails cost two services, whose requests come at a rate that is a
// part of what they can do: CPU time of both, and how long requests take, on over off, medians of rounds.
func TestCost(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures for minutes: make bench-tail")
	}
	start(t)
	prog := build(t)
	const n, rate = 20_000, 2000
	type figures struct{ cpu, p50, p99, p999 float64 }
	run := func(setting string) figures {
		store := serve(t, prog, setting, "store")
		front := serve(t, prog, setting, "front", store.addr)
		took := load(t, front.addr, n, rate)
		at := func(q float64) float64 { return took[int(q*n)].Seconds() }
		return figures{(front.end(t) + store.end(t)).Seconds(), at(0.5), at(0.99), at(0.999)}
	}
	var ratios [4][]float64
	for range *cost {
		off, on := run(""), run("traces=@http,keep=longer:100ms,keep=failed,otlp="+overHTTP)
		for i, pair := range [][2]float64{{on.cpu, off.cpu}, {on.p50, off.p50}, {on.p99, off.p99}, {on.p999, off.p999}} {
			ratios[i] = append(ratios[i], pair[0]/pair[1])
		}
		t.Logf("off %+v, on %+v", off, on)
	}
	for i, name := range []string{"CPU time", "p50", "p99", "p99.9"} {
		slices.Sort(ratios[i])
		t.Logf("%s: %+.1f %%", name, 100*(ratios[i][len(ratios[i])/2]-1))
	}
}
