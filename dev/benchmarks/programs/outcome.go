package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// Steps whose time is taken.
const (
	buildCold    = "cold build"
	buildFirst   = "first build"
	buildSame    = "build, no change"
	buildChanged = "build, one file changed"
	running      = "run"
)

// An outcome is what was measured of a subject.
type outcome struct {
	subject string
	times   []timing
	sizes   map[string]int64 // bytes of the binary, by variant

	// Of the recordings, one for each round.
	events        []float64
	bytesPerEvent []float64
	dropped       uint64
}

// A timing is how long a step took with a variant in a round.
type timing struct {
	step, variant string
	round         int
	seconds       float64
}

func (o *outcome) add(step, variant string, round int, took time.Duration) {
	o.times = append(o.times, timing{step, variant, round, took.Seconds()})
}

func (o *outcome) size(variant string, n int64) {
	if o.sizes == nil {
		o.sizes = map[string]int64{}
	}
	o.sizes[variant] = n
}

// readInfo takes what the recording of a round says.
func (o *outcome) readInfo(waymark, trace string) error {
	out, err := exec.Command(waymark, "info", "--format", "json", trace).Output()
	if err != nil {
		return fmt.Errorf("waymark info %s: %w", trace, err)
	}
	var info struct{ Events, Dropped, Bytes uint64 }
	if err := json.Unmarshal(out, &info); err != nil {
		return fmt.Errorf("waymark info: %w", err)
	}
	if info.Events == 0 {
		return fmt.Errorf("waymark info %s: no events: nothing was instrumented", trace)
	}
	o.events = append(o.events, float64(info.Events))
	o.bytesPerEvent = append(o.bytesPerEvent, float64(info.Bytes)/float64(info.Events))
	o.dropped += info.Dropped
	return nil
}

// seconds returns the times of a step by round; none if it wasn't measured.
func (o *outcome) seconds(step, variant string) []float64 {
	var list []float64
	for _, t := range o.times {
		if t.step == step && t.variant == variant {
			list = append(list, t.seconds)
		}
	}
	return list
}

// overPlain returns the medians of the rounds' ratios and differences, in seconds, to the
// plain build's.
func (o *outcome) overPlain(step, variant string) (ratio, difference float64) {
	plain, other := o.seconds(step, plainBuild), o.seconds(step, variant)
	var ratios, differences []float64
	for i := range min(len(plain), len(other)) {
		ratios = append(ratios, other[i]/plain[i])
		differences = append(differences, other[i]-plain[i])
	}
	return measure.Median(ratios), measure.Median(differences)
}
