//go:build waymark

package prometheus_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waymark-go/waymark"
	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/monitor"
	"github.com/waymark-go/waymark/timing"
)

var Work = waymark.NewGroup("waymarkprom.Work")

//waymark:group Work
func work(n int) {
	beginPart()
	if n > 0 {
		work(n - 1)
	}
	endPart()
}

//waymark:info enter
func beginPart() {}

//waymark:info exit
func endPart() {}

// TestInstrumented is for `waymark test`: calls of functions in a group become metrics.
func TestInstrumented(t *testing.T) {
	set, statistics := timing.NewSet(timing.Config{}), timing.NewStatistics()
	set.AddHandler(statistics)
	if err := timing.Attach(set, Work); err != nil {
		t.Fatal(err)
	}
	defer monitor.Clear(Work)
	work(4)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{Namespace: "test"}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint64)
	for _, f := range families {
		if f.GetName() == "test_timer_duration_seconds" {
			for _, m := range f.Metric {
				got[m.Label[0].GetValue()] = m.Histogram.GetSampleCount()
			}
		}
	}
	const pkg = "github.com/waymark-go/waymark/contrib/prometheus_test"
	if got[pkg+".work"] != 5 || got[pkg+".part"] != 5 || len(got) != 2 {
		t.Errorf("counts %v, want 5 of %s.work and 5 of %[2]s.part", got, pkg)
	}
}
