package jaeger

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	cost = flag.Int("cost", 0, "rounds of TestCost")
	rate = flag.Int("rate", 1000, "requests a second that TestCost sends to each of two pairs of services")
	one  = flag.Bool("one", false, "the services share the first processor; run the test itself on others")

	setting = flag.String("setting", "traces=@http,keep=longer:100ms,keep=failed,otlp="+overHTTP, "WAYMARK of the services that TestCost measures")
	beside  = flag.String("beside", "", "WAYMARK of those beside them")
)

// Of TestCost.
const (
	turns  = 40                      // in a round
	ofTurn = 500                     // requests
	batch  = 1200 * time.Millisecond // until what has been kept is on its way, as a batch waits for a second
)

// A pair is both services with one setting, and what they took.
type pair struct {
	setting      string
	store, front *service
	requests     int               // that it was sent
	began        []time.Duration   // CPU time of the start and the first requests, by round
	spent        time.Duration     // when the latest turn began
	cpu          []time.Duration   // by turn, until the next one
	took         [][]time.Duration // by turn, of each request
}

// mark returns the CPU time that both services have taken since the mark before.
func (p *pair) mark(t *testing.T) time.Duration {
	before := p.spent
	p.spent = p.store.cpu(t) + p.front.cpu(t)
	return p.spent - before
}

// load sends the pair's next n requests.
func (p *pair) load(t *testing.T, n int) []time.Duration {
	took := load(t, p.front.addr, p.requests+1, n, *rate)
	p.requests += n
	return took
}

// TestCost measures what traces that are kept by their tails cost two services: CPU time of both, and how long requests
// take. Services with and without them run side by side, and get their requests at the same time: processors that are
// shared may have another speed in the next second. With more requests than they can answer, one processor for all of
// them makes CPU times comparable. What is paid once is a figure of its own: the start, the first requests and the first
// message to the collector.
func TestCost(t *testing.T) {
	if *cost == 0 {
		t.Skip("measures for minutes: make bench-tail")
	}
	start(t)
	prog := build(t)
	pairs := []*pair{{setting: *beside}, {setting: *setting}}
	for round := range *cost {
		for k := range pairs {
			p := pairs[(round+k)%len(pairs)]
			p.requests, p.spent = 0, 0
			p.store = serve(t, prog, p.setting, "store")
			p.front = serve(t, prog, p.setting, "front", p.store.addr)
			p.load(t, each) // one is slow, and one fails
			time.Sleep(batch)
			p.began = append(p.began, p.mark(t))
		}
		for turn := range turns {
			for _, p := range pairs {
				if took := p.mark(t); turn > 0 {
					p.cpu = append(p.cpu, took)
				}
			}
			var both sync.WaitGroup
			for k := range pairs {
				p := pairs[(turn+k)%len(pairs)]
				between := time.Duration(k) * time.Second / time.Duration(len(pairs)**rate)
				both.Go(func() {
					time.Sleep(between) // of the other's requests
					p.took = append(p.took, p.load(t, ofTurn))
				})
			}
			both.Wait()
		}
		time.Sleep(batch)
		for _, p := range pairs {
			p.cpu = append(p.cpu, p.mark(t))
			p.front.end(t)
			p.store.end(t)
		}
	}
	off, on := pairs[0], pairs[1]
	cpu := make([][]float64, *cost)
	for i := range on.cpu {
		cpu[i/turns] = append(cpu[i/turns], on.cpu[i].Seconds()/off.cpu[i].Seconds())
	}
	t.Logf("CPU time: %s; sums %+.1f %%", over(cpu), 100*(sum(on.cpu).Seconds()/sum(off.cpu).Seconds()-1))
	for _, q := range []float64{0.5, 0.99, 0.999} {
		n := max(int(10/(1-q)+ofTurn-1)/ofTurn, 1) // turns in which ten requests take longer
		ratios := make([][]float64, *cost)
		for i := 0; i+n <= len(on.took); i += n {
			a, b := at(slices.Concat(off.took[i:i+n]...), q), at(slices.Concat(on.took[i:i+n]...), q)
			ratios[i/turns] = append(ratios[i/turns], b.Seconds()/a.Seconds())
		}
		t.Logf("p%g: %s; of all requests: off %v, on %v", 100*q, over(ratios), at(slices.Concat(off.took...), q), at(slices.Concat(on.took...), q))
	}
	a, b := at(off.began, 0.5), at(on.began, 0.5)
	t.Logf("CPU time until %d requests have been answered: %+.1f ms: off %v, on %v", each, 1e3*(b-a).Seconds(), a, b)
}

// over says how much more it was on than off: the median of all ratios, and those of each round. Turns of a round share
// two processes.
func over(rounds [][]float64) string {
	percent := func(list []float64) float64 { return 100 * (slices.Sorted(slices.Values(list))[len(list)/2] - 1) }
	var each []float64
	for _, round := range rounds {
		each = append(each, percent(round))
	}
	slices.Sort(each)
	return fmt.Sprintf("%+.1f %%, by round %+.1f", percent(slices.Concat(rounds...)), each)
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// at returns a quantile.
func at(list []time.Duration, q float64) time.Duration {
	return slices.Sorted(slices.Values(list))[int(q*float64(len(list)-1))]
}
