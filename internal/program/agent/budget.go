package agent

import (
	"time"

	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Pauses of the reporter between two looks at what was called. The first ones are shorter, as nothing is demoted yet.
// The longest is for programs that do nothing.
const (
	lookFirst = 2 * time.Millisecond
	lookEvery = 20 * time.Millisecond
	lookIdle  = 80 * time.Millisecond
)

// What a timed call with a histogram, and one with a path, costs, in timed calls without.
const (
	perHistogram = 1.35
	perPath      = 1.4
)

// A timeBudget keeps statistics within a budget: functions whose calls cost too much to time are
// counted only.
type timeBudget struct {
	c        *budget.Controller
	clock    uint64 // at the start, in ticks, and in ns
	mono     int64
	tick     float64       // ns, when last looked
	deciding int64         // CPU time of deciding, ns
	turns    cputime.Meter // of windows
	steps    cputime.Meter // of step
	counted  []uint64
	timed    []uint64     // by site, when last looked at
	now      []uint64     // to be filled
	sums     []sumOfCalls // by site, when last looked at
	tallies  []format.Tally
	pause    time.Duration // until it looks again
	sampling *budget.Sampling
}

// A sumOfCalls is how long how many calls of a site took, in ticks.
type sumOfCalls struct{ ended, ticks uint64 }

// enoughCalls is how many timed calls of a function are looked at for how long they took.
const enoughCalls = 100

// keepTimes begins to keep a budget of statistics. It returns nil if there is none, or nothing to
// keep: without times all functions are counted.
func keepTimes(o options) *timeBudget {
	if !o.Budget.Given() || o.Budget.CountsOnly() || o.Stats.Count {
		return nil
	}
	b := &timeBudget{pause: lookFirst, tick: 1}
	b.clock, b.mono = host.Now()
	now := func() int64 { _, mono := host.Now(); return mono }
	costs := budget.Calibrate(host.Floor, now)
	costs.Write = 0
	if o.Stats.Histograms {
		costs.Call *= perHistogram
	}
	if o.Stats.Tree {
		costs.Call *= perPath
	}
	b.c = budget.New(o.Budget.Share, costs, budget.Usage{Now: b.mono, CPU: cputime.Process()})
	b.c.Rank, b.c.Times, b.c.Strict = switchboard.Default.Rank, true, o.Budget.Strict
	b.sampling = budget.NewSampling(o.Budget, b.clock, host, now, func(group uint32) { switchboard.Default.Sample(nil, group) })
	return b
}

// never is a pause without an end.
const never = time.Duration(1 << 62)

// wait returns how long it is until a window begins or ends.
func (b *timeBudget) wait() time.Duration {
	if b.c.Demoted() == 0 && !b.sampling.Goes() {
		b.sampling.Stop()
		return never
	}
	return time.Duration(b.sampling.Next())
}

// window goes on with windows of samples, if it is time to.
func (b *timeBudget) window() {
	if b.wait() > 0 {
		return
	}
	watch := cputime.Begin()
	b.sampling.Turn(b.tick)
	b.deciding += b.turns.Take(watch, 1)
}

// spent returns the CPU time of the process, ns, and what tracing has taken of it; 0 without a budget.
func (b *timeBudget) spent() (cpu, tracing int64) {
	if b == nil {
		return 0, 0
	}
	return cputime.Process(), b.c.Spent()
}

// step looks at what was called, and has functions counted or timed. It returns when to look again.
func (b *timeBudget) step() time.Duration {
	watch := cputime.Begin()
	sites := int(host.Sites())
	b.counted, b.timed, b.now = grow(b.counted, sites), grow(b.timed, sites), grow(b.now, sites)
	b.sums, b.tallies = grow(b.sums, sites), grow(b.tallies, sites)
	clear(b.counted)
	clear(b.now)
	host.Counts(b.counted, b.now)
	calls := uint64(0)
	for site, n := range b.now {
		t := &b.tallies[site]
		*t = format.Tally{Calls: n - b.timed[site]}
		if calls += t.Calls; t.Calls >= enoughCalls {
			b.took(uint32(site), t)
		}
	}
	b.timed, b.now = b.now, b.timed
	clock, mono := host.Now()
	tick := 1.0
	if clock > b.clock {
		tick = float64(mono-b.mono) / float64(clock-b.clock)
	}
	_, sampling, _ := host.SampleCost()
	b.tick = tick
	usage := budget.Usage{Now: mono, CPU: cputime.Process(), Timer: b.deciding, Samples: int64(float64(sampling) * tick)}
	changes := b.c.Step(budget.Sample{Usage: usage, Tick: tick, Tallies: b.tallies, Counts: b.counted})
	b.sampling.Follow(b.c, changes)
	for _, ch := range changes {
		switchboard.Default.Limit(nil, ch.Site, ch.Level)
	}
	b.deciding += b.steps.Take(watch, 1)
	if b.pause = min(2*b.pause, lookEvery); calls == 0 && b.c.Demoted() == 0 {
		b.pause = lookIdle
	}
	return b.pause
}

// took notes how long the calls of a site took that have ended since it was last asked.
func (b *timeBudget) took(site uint32, t *format.Tally) {
	sum, last := host.SumOf(site), &b.sums[site]
	now := sumOfCalls{sum.Ended - sum.Untimed, sum.Total + sum.Inner}
	if now.ended > last.ended && now.ticks >= last.ticks {
		t.Closed, t.Ticks = now.ended-last.ended, now.ticks-last.ticks
	}
	*last = now
}

// grow returns list with n elements or more.
func grow[T any](list []T, n int) []T {
	if n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}
