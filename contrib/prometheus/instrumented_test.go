//go:build waymark

package prometheus_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waymark-go/waymark"
	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/monitor"
	"github.com/waymark-go/waymark/timing"
	"github.com/waymark-go/waymark/trace"
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

// An answerer's method has a timer whose name differs from the function's.
type answerer struct{}

var Answers = waymark.NewGroup("waymarkprom.Answers")

//waymark:group Answers
func (*answerer) answer() { time.Sleep(time.Millisecond) }

// TestInstrumentedExemplars is for `waymark test`: a kept trace is an exemplar of its root function.
func TestInstrumentedExemplars(t *testing.T) {
	set, statistics, exemplars := timing.NewSet(timing.Config{}), timing.NewStatistics(), new(waymarkprom.Exemplars)
	set.AddHandler(statistics)
	if err := timing.Attach(set, Answers); err != nil {
		t.Fatal(err)
	}
	defer monitor.Clear(Answers)
	kept := make(chan *trace.Trace, 1)
	c, err := trace.Start(Answers, trace.Options{OnTrace: func(t *trace.Trace) {
		exemplars.Add(t)
		kept <- t
	}})
	if err != nil {
		t.Fatal(err)
	}
	new(answerer).answer()
	want := <-kept
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{Exemplars: exemplars}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "waymark_timer_duration_seconds" {
			continue
		}
		list := f.Metric[0].Histogram.Exemplars
		if len(list) != 1 || list[0].Label[0].GetValue() != hex.EncodeToString(want.ID[:]) || list[0].GetValue() != want.Duration.Seconds() {
			t.Errorf("exemplars %v, want trace %x of %v", list, want.ID, want.Duration)
		}
	}
}
