package agent

import (
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/trace"
)

// host is what the agent runs on. Tests have another one.
var host hosting = program{}

// A hosting is what the agent needs of the runtime, and of the recorder. Package rt describes most.
type hosting interface {
	Enabled() bool
	Record(recorder.Config) (file, error)
	Gather(stats.Options) (*stats.Gathering, error)
	Trace(switchboard.Selector, trace.Options) error
	See(path, program string) (seenFile, error)
	CountTests(write func(line []byte) error)
	Clock() error // what is wrong with the clock that was wanted

	Mute(on bool)
	Hide(values bool)
	Linked(path string) bool
	Packages(f func(*rt.Package))
	Stringer(f func(any) (string, bool))

	Now() (clock uint64, mono int64)
	Floor(n int) uint64
	CPU() (ns int64, exact bool)
	Sites() uint32
	Counts(counted, timed []uint64)
	Estimate(site uint32, more estimate.Guess)
	Reserve(bytes int)
	SumOf(site uint32) rt.Sum
	Sample(ticks uint64)
	SampleWaits() bool
	SampleCost() (calls, ticks, floor uint64)

	Go(f func())
	LikeOthers()
	Ready(fd int32, write bool, ns int64) int32
	GoLast(f func())
	Await(ns int64) (ending bool)
	Said()
	AtExit(f func())
	BeforeExec(f func())
	Finish(f func(), pause int64, wait func() bool) bool
}

// A file is a trace file that is being written.
type file interface {
	AddGroups(...format.Group)
	HideValues()
	Ended() bool
	Path() string
	Dump() (path string, err error)
	Close() error
}

// program is the program that the agent is in.
type program struct{}

func (program) Enabled() bool { return rt.Enabled }

func (program) Record(c recorder.Config) (file, error) {
	r, err := recorder.Start(c)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (program) Clock() error {
	_, err := clock.Chosen()
	return err
}

func (program) Gather(o stats.Options) (*stats.Gathering, error) { return stats.Start(o) }

func (program) Trace(roots switchboard.Selector, o trace.Options) error {
	_, err := trace.Start(roots, o)
	return err
}

func (program) Mute(on bool)                             { rt.Mute(on) }
func (program) Hide(values bool)                         { rt.Hide(values) }
func (program) Linked(path string) bool                  { return rt.Linked(path) }
func (program) Packages(f func(*rt.Package))             { rt.Packages(f) }
func (program) Stringer(f func(any) (string, bool))      { rt.Stringer(f) }
func (program) Now() (clock uint64, mono int64)          { return rt.Clock() }
func (program) Floor(n int) uint64                       { return rt.Floor(n) }
func (program) CPU() (ns int64, exact bool)              { return cputime.Exact(rt.Thread) }
func (program) Sites() uint32                            { return rt.Sites() }
func (program) Counts(counted, timed []uint64)           { rt.Counts(counted, timed) }
func (program) Estimate(site uint32, g estimate.Guess)   { rt.Estimate(site, rt.Guess(g)) }
func (program) Reserve(bytes int)                        { rt.Reserve(bytes) }
func (program) SumOf(site uint32) rt.Sum                 { return rt.SumOf(site) }
func (program) SampleCost() (calls, ticks, floor uint64) { return rt.SampleCost() }
func (program) Go(f func())                              { rt.Go(f) }
func (program) LikeOthers()                              { rt.LikeOthers() }
func (program) Ready(fd int32, write bool, ns int64) int32 {
	return rt.Ready(fd, write, ns)
}
func (program) Sample(ticks uint64) { rt.Sampling(ticks) }
func (program) SampleWaits() bool   { return rt.SampleWaits() }
func (program) GoLast(f func())     { rt.GoLast(f) }
func (program) Await(ns int64) bool { return rt.Await(ns) }
func (program) Said()               { rt.Said() }
func (program) AtExit(f func())     { rt.AtExit(f) }
func (program) BeforeExec(f func()) { rt.BeforeExec(f) }

func (program) Finish(f func(), pause int64, wait func() bool) bool { return rt.Finish(f, pause, wait) }
