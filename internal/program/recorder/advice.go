package recorder

import (
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A recording without a budget notes what one would have saved. For that it looks at some chunks.

const (
	advised     = 0.1 // the budget that is advised, as a share
	adviceEvery = 8   // chunks, of which it looks at one
	mostAdvised = 20  // functions that are named
)

// An advisor notes what tracing costs.
type advisor struct {
	costs   budget.Costs
	start   budget.Usage
	own     int64 // CPU time of writing, ns
	chunks  uint64
	tallies []format.Tally
	values  valueTimes
}

// advise begins to note what tracing costs, unless there is a budget.
func (r *Recorder) advise() {
	if r.config.Budget.Given() {
		return
	}
	now := func() int64 { _, mono := r.rt.Clock(); return mono }
	r.advisor = &advisor{costs: budget.Calibrate(r.rt.Floor, now), tallies: make([]format.Tally, 64)}
	r.advisor.values.since(r.rt)
	r.advisor.start = budget.Usage{Now: now(), CPU: cputime.Process()}
}

// look has the next chunk looked at, or not. Its caller calls looked afterwards.
func (r *Recorder) look() {
	if a := r.advisor; a != nil {
		if r.enc.Tallies = nil; a.chunks%adviceEvery == 0 {
			r.enc.Tallies = a.tallies
		}
		a.chunks++
	}
}

func (r *Recorder) looked() {
	if a := r.advisor; a != nil && r.enc.Tallies != nil {
		a.tallies = r.enc.Tallies
	}
}

// advice returns the Meta that says what tracing took, and what a budget would have demoted; nil if
// that is nothing.
func (r *Recorder) advice() []format.KeyValue {
	a := r.advisor
	if a == nil || a.chunks == 0 {
		return nil
	}
	scale := float64(a.chunks) / float64((a.chunks+adviceEvery-1)/adviceEvery)
	for i := range a.tallies {
		t := &a.tallies[i]
		for _, n := range []*uint64{&t.Calls, &t.Closed, &t.Ticks, &t.Valued, &t.ValueBytes, &t.Ints} {
			*n = uint64(float64(*n) * scale)
		}
	}
	_, now := r.rt.Clock()
	used := budget.Usage{Now: now - a.start.Now, CPU: cputime.Process() - a.start.CPU, Own: a.own}
	tick := 1e9 / float64(max(rate(r.rt, r.rt.Chosen(), r.start), 1))
	spent, sites := budget.Advice(advised, a.costs, used, tick, a.tallies, a.values.since(r.rt))
	if len(sites) == 0 {
		return nil
	}
	text := []string{strconv.Itoa(len(sites))}
	for _, site := range sites[:min(len(sites), mostAdvised)] {
		text = append(text, strconv.FormatUint(uint64(site), 10))
	}
	return append(tookCPU(used.CPU, spent), format.KeyValue{Key: format.MetaAdvice, Value: strings.Join(text, " ")})
}
