package prometheus_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/timing"
	"github.com/waymark-go/waymark/trace"
)

// The timer's name is that of timing.Attach, which differs from the function's.
var handle = &trace.Func{Name: "example.com/m/store.(*Stream).Read", Package: "example.com/m/store", TracingName: "Stream.Read"}

// traced returns a trace of handle whose root call ended at a second.
func traced(id byte, end int64, d time.Duration) *trace.Trace {
	return &trace.Trace{Root: handle, ID: [16]byte{0xab, 15: id}, Start: time.Unix(end, 0).Add(-d), Duration: d}
}

// newTimer returns the timer of handle with its statistics, and a function that has time pass.
func newTimer(t *testing.T) (timer *timing.Timer, statistics *timing.Statistics, pass func(time.Duration)) {
	t.Helper()
	var now time.Duration
	set := timing.NewSet(timing.Config{Clock: func() time.Duration { return now }})
	statistics = timing.NewStatistics()
	set.AddHandler(statistics)
	timer, err := set.Timer("example.com/m/store.Stream.Read", "")
	if err != nil {
		t.Fatal(err)
	}
	timer.Enable()
	return timer, statistics, func(d time.Duration) { now += d }
}

// histogramOf returns the histogram of the timer of handle, after a call of each duration.
func histogramOf(t *testing.T, c waymarkprom.Config, durations ...time.Duration) *dto.Histogram {
	t.Helper()
	timer, statistics, pass := newTimer(t)
	for _, d := range durations {
		timer.Time(func() { pass(d) })
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(waymarkprom.NewCollector(statistics, c))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "waymark_timer_duration_seconds" {
			return f.Metric[0].Histogram
		}
	}
	t.Fatal("no histogram")
	return nil
}

func TestExemplars(t *testing.T) {
	exemplars := new(waymarkprom.Exemplars)
	notSent := traced(9, 200, 3*time.Millisecond)
	notSent.Within = trace.Span{TraceID: notSent.ID}
	other := traced(8, 200, 3*time.Millisecond)
	other.Root = &trace.Func{Name: "main.other"}
	for _, x := range []*trace.Trace{
		traced(1, 100, 3*time.Millisecond),
		traced(2, 120, 3*time.Millisecond), // the newest of its bucket
		traced(3, 110, 3*time.Millisecond), // late
		traced(4, 90, 2*time.Second),
		traced(5, 80, time.Hour), // beyond all bounds
		notSent, other,
	} {
		exemplars.Add(x)
	}
	h := histogramOf(t, waymarkprom.Config{Exemplars: exemplars}, 3*time.Millisecond, 2*time.Second, time.Hour)
	want := map[string]struct {
		end   int64
		value float64
	}{
		"ab000000000000000000000000000002": {120, 0.003},
		"ab000000000000000000000000000004": {90, 2},
		"ab000000000000000000000000000005": {80, 3600},
	}
	check := func(where string, x *dto.Exemplar) {
		t.Helper()
		id := x.Label[0].GetValue()
		if w, ok := want[id]; !ok || x.Label[0].GetName() != "trace_id" || x.GetValue() != w.value || x.Timestamp.GetSeconds() != w.end {
			t.Errorf("%s: exemplar %v, want one of %v", where, x, want)
		}
	}
	classic, above := 0, 0.0
	for _, b := range h.Bucket {
		if x := b.Exemplar; x != nil {
			classic++
			check("classic", x)
			if x.GetValue() > b.GetUpperBound() || x.GetValue() <= above {
				t.Errorf("exemplar of %v s in the bucket from %v to %v s", x.GetValue(), above, b.GetUpperBound())
			}
		}
		above = b.GetUpperBound()
	}
	for _, x := range h.Exemplars {
		check("native", x)
	}
	if classic != len(want) || len(h.Exemplars) != len(want) {
		t.Errorf("%d exemplars of classic and %d of native buckets, want %d each", classic, len(h.Exemplars), len(want))
	}
}

// The newest trace is the exemplar of a bucket that is wider than a power of two.
func TestExemplarsWideBucket(t *testing.T) {
	exemplars := new(waymarkprom.Exemplars)
	exemplars.Add(traced(1, 120, time.Microsecond))
	exemplars.Add(traced(2, 100, time.Millisecond))
	c := waymarkprom.Config{Exemplars: exemplars, Buckets: []time.Duration{time.Second}}
	h := histogramOf(t, c, time.Microsecond, time.Millisecond)
	if x := h.Bucket[0].GetExemplar(); x.GetValue() != 1e-6 {
		t.Errorf("exemplar %v, want the newest, of 1e-06 s", x)
	}
}

// Traces come from any goroutine, also while a server scrapes.
func TestExemplarsConcurrent(t *testing.T) {
	exemplars := new(waymarkprom.Exemplars)
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range int64(1000) {
			exemplars.Add(traced(1, i, time.Second))
		}
	}()
	for range 20 {
		histogramOf(t, waymarkprom.Config{Exemplars: exemplars}, time.Second)
	}
	<-done
	h := histogramOf(t, waymarkprom.Config{Exemplars: exemplars}, time.Second)
	if len(h.Exemplars) != 1 || h.Exemplars[0].Timestamp.GetSeconds() != 999 {
		t.Errorf("exemplars %v, want that of the last trace", h.Exemplars)
	}
}
