package report

import (
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/tracefile"
)

func TestFrequency(t *testing.T) {
	for hz, want := range map[uint64]string{24e6: "24.000 MHz", 62.5e6: "62.500 MHz", 1e9: "1.000 GHz", 2_595_120_000: "2.595 GHz"} {
		if got := frequency(hz); got != want {
			t.Errorf("%d Hz is %s, want %s", hz, got, want)
		}
	}
}

// A program that took no CPU time of its own has no share that tracing added to it.
func TestTracingShare(t *testing.T) {
	for tracing, want := range map[time.Duration]string{
		time.Second:     "1.000 s added to the program's own 1.000 s of CPU time, 100.0 %",
		2 * time.Second: "nearly all of 2.000 s of CPU time",
	} {
		list := facts(tracefile.Info{CPU: 2 * time.Second, CPUTracing: tracing}, "")
		if !slices.Contains(list, fact{"Tracing", want}) {
			t.Errorf("tracing took %v: %v, want %q", tracing, list, want)
		}
	}
}
