package stats

import (
	"runtime"

	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// sums are the sums of calls that the runtime keeps by site. Package rt describes the methods.
type sums interface {
	Enabled() bool
	Clock() (clock uint64, mono int64)
	Histograms(on bool)
	WaitTimes(on bool)
	Sites() uint32
	SumOf(site uint32) rt.Sum
	OpenCalls(open []rt.Open, paths []rt.Path) (clock uint64)
	Paths(on bool)
	PathNodes() int
	SampleFloor() uint64 // what the hooks would have added to each sample, ticks
	HistogramOf(site uint32, f func(from, width uint64, counts [32]uint64))
	TimedGoroutines() uint64
	Objects(on bool)
	ObjectCounts(f func(rt.Object))
	Mallocs() uint64
	Mute(on bool)
}

// linked are the sums of the program that the package is linked into.
type linked struct{}

// Enabled reports whether there are sums. It has the clock chosen, as any clock will do.
func (linked) Enabled() bool {
	if rt.Enabled {
		clock.Chosen()
	}
	return rt.Enabled
}

func (linked) Clock() (clock uint64, mono int64) { return rt.Clock() }
func (linked) Histograms(on bool)                { rt.Histograms(on) }
func (linked) WaitTimes(on bool)                 { rt.WaitTimes(on) }
func (linked) Sites() uint32                     { return rt.Sites() }
func (linked) SumOf(site uint32) rt.Sum          { return rt.SumOf(site) }
func (linked) OpenCalls(open []rt.Open, paths []rt.Path) (clock uint64) {
	return rt.OpenCalls(open, paths)
}
func (linked) Paths(on bool)  { rt.Paths(on) }
func (linked) PathNodes() int { return rt.PathNodes() }

func (linked) SampleFloor() uint64 {
	_, _, floor := rt.SampleCost()
	return floor
}

func (linked) TimedGoroutines() uint64 { return rt.TimedGoroutines() }
func (linked) Objects(on bool)         { rt.Objects(rt.ObjectsCounted, on) }

func (linked) ObjectCounts(f func(rt.Object)) { rt.ObjectCounts(f) }

// Mallocs returns the number of heap objects that the process has made.
func (linked) Mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// Mute has what the calling goroutine does not counted, or counted again.
func (linked) Mute(on bool) {
	if rt.Enabled {
		rt.Mute(on)
	}
}

func (linked) HistogramOf(site uint32, f func(from, width uint64, counts [32]uint64)) {
	rt.HistogramOf(site, f)
}
