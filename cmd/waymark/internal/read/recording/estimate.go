package recording

import (
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/tracefile"
)

// oneRead is how long a reading of the clock takes, ns.
const oneRead = 10

// Estimating reads the calls of a process. If some were only counted, and the filter tells which of
// them it wants, Estimating estimates what they took. Then it returns estimates, and the result has
// a row for each site and for the samples of each.
func (f *Filter) Estimating(p *Process, o calltree.Options, c *Counting, workers int, tell func(events int)) (*calltree.Result, *calltree.Estimates, error) {
	if len(c.Calls) == 0 {
		result, err := calltree.ReadFile(p.File, o, p.End, workers, tell)
		return result, nil, err
	}
	whole := wholes(p.File)
	o.Key, o.Tree = nil, true
	o.Whole, o.Long = func(site uint32) uint32 {
		if base, group := p.File.Sample(site); group > 0 && whole[base] {
			return base
		}
		return 0
	}, p.Scale.TicksOf(budget.LongCall)
	result, err := calltree.ReadFile(p.File, o, p.End, workers, tell)
	counted := make(map[uint32]uint64, len(c.Calls))
	for site, n := range c.Calls {
		counted[site] = n
	}
	for i := range result.Rows {
		r := &result.Rows[i]
		if n := counted[r.Key]; n > 0 {
			counted[r.Key] = n - min(n, r.Long)
		}
	}
	return result, calltree.Estimate(result, p.File.Sample, counted, estimate.Options{
		Read: float64(p.Scale.TicksOf(oneRead)), Within: true,
		Guessed: c.Guessed, Doubt: estimate.DoubtOf(c.Guessed, float64(p.File.Info().Duration)),
	}), err
}

// wholes returns the functions whose calls that took long were recorded while others were counted, most
// of the time at least.
func wholes(file *tracefile.File) map[uint32]bool {
	calls := make(map[uint32]int64)
	for _, d := range file.Demotions() {
		switch d.Level {
		case tracefile.Counted:
			calls[d.Func] += int64(d.Calls)
		case tracefile.CountedOnly, tracefile.Sampled:
			calls[d.Func] -= int64(d.Calls)
		}
	}
	list := make(map[uint32]bool)
	for site, n := range calls {
		list[site] = n > 0
	}
	return list
}

// Added returns what tracing has added to a program's own CPU time, as a share of that: budgets are such
// shares. cpu is the CPU time of the process, with tracing.
func Added(cpu, tracing time.Duration) float64 {
	return float64(tracing) / float64(max(cpu-tracing, 1))
}
