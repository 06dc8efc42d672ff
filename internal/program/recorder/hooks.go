package recorder

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// Hooks are what a recording needs of the program that it is of. Package rt has those of the running
// program; tests have a program of their own.
type Hooks interface {
	Start(arena []byte, o rt.Overflow) (recording uint32)
	Waits(on bool)
	Objects(on bool)
	ObjectCounts(f func(rt.Object))
	Stop()
	Retire() bool

	Take() int
	Wait(recording uint32) bool
	Free(i int)
	Queue() (free, full int)
	Held() uint64
	Lost() uint64
	Broken() bool

	OnTests(binary func(importPath string), test func(state uint8, name, text string, goroutine, clock uint64), alarm func(elapsed int64) (left int64))
	Capture(args, results, panics bool, depth, bytes int, redact []string)
	Hide(values bool)
	Stringer(f func(any) (string, bool))

	Pace(ticks uint64)
	Pause(ns int64) bool
	CPU() (ns int64, exact bool) // that the program has taken
	Sites() uint32
	Counts(counted, timed []uint64)
	Estimate(site uint32, more estimate.Guess)
	GuessOf(site uint32) (estimate.Guess, bool)
	Reserve(bytes int)
	Sample(ticks uint64)
	SampleWaits() bool
	Floor(n int) uint64
	ValueTimes() (events, bytes, ticks uint64)

	Clock() (clock uint64, mono int64)
	Chosen() clock.Clock
	Mute(on bool)
	Go(f func())
	AtExit(f func())
}

// linked are the hooks of the program that the package is linked into.
type linked struct{}

func (linked) Start(arena []byte, o rt.Overflow) uint32        { return rt.Start(arena, o) }
func (linked) Waits(on bool)                                   { rt.Waits(on) }
func (linked) Objects(on bool)                                 { rt.Objects(rt.ObjectsRecorded, on) }
func (linked) ObjectCounts(f func(rt.Object))                  { rt.ObjectCounts(f) }
func (linked) Stop()                                           { rt.Stop() }
func (linked) Retire() bool                                    { return rt.Retire() }
func (linked) Take() int                                       { return rt.Take() }
func (linked) Wait(recording uint32) bool                      { return rt.Wait(recording) }
func (linked) Free(i int)                                      { rt.Free(i) }
func (linked) Queue() (free, full int)                         { return rt.Queue() }
func (linked) Held() uint64                                    { return rt.Held() }
func (linked) Lost() uint64                                    { return rt.Lost() }
func (linked) Broken() bool                                    { return rt.Broken() }
func (linked) Capture(a, r, p bool, d, b int, redact []string) { rt.Capture(a, r, p, d, b, redact) }
func (linked) Hide(values bool)                                { rt.Hide(values) }
func (linked) Stringer(f func(any) (string, bool))             { rt.Stringer(f) }
func (linked) Pace(ticks uint64)                               { rt.Pace(ticks) }
func (linked) Pause(ns int64) bool                             { return rt.Pause(ns, nil, 0, false) }
func (linked) CPU() (ns int64, exact bool)                     { return cputime.Exact(rt.Thread) }
func (linked) Sites() uint32                                   { return rt.Sites() }
func (linked) Counts(counted, timed []uint64)                  { rt.Counts(counted, timed) }
func (linked) Estimate(site uint32, more estimate.Guess)       { rt.Estimate(site, rt.Guess(more)) }
func (linked) Reserve(bytes int)                               { rt.Reserve(bytes) }
func (linked) Sample(ticks uint64)                             { rt.Sampling(ticks) }
func (linked) SampleWaits() bool                               { return rt.SampleWaits() }
func (linked) Floor(n int) uint64                              { return rt.Floor(n) }
func (linked) ValueTimes() (events, bytes, ticks uint64)       { return rt.ValueTimes() }
func (linked) Clock() (clock uint64, mono int64)               { return rt.Clock() }
func (linked) Mute(on bool)                                    { rt.Mute(on) }
func (linked) Go(f func())                                     { rt.Go(f) }
func (linked) AtExit(f func())                                 { rt.AtExit(f) }

func (linked) OnTests(binary func(string), test func(uint8, string, string, uint64, uint64), alarm func(int64) int64) {
	rt.OnTests(binary, test, alarm)
}

// Chosen returns the clock of the program. Package agent has said what is wrong with the one that
// the user has chosen.
func (linked) Chosen() clock.Clock {
	c, _ := clock.Chosen()
	return c
}

func (linked) GuessOf(site uint32) (estimate.Guess, bool) {
	g, ok := rt.GuessOf(site)
	return estimate.Guess(g), ok
}
