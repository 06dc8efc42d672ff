package prometheus_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/timing"
)

// A program is one with timers that have measured, which can be scraped.
type program struct {
	url   string
	times map[string][]time.Duration // what was measured, by timer, sorted
}

// start starts a program: 2 timers with durations of all sizes, one that is open, and exits without
// an enter.
func start(t *testing.T, c waymarkprom.Config) program {
	t.Helper()
	var now time.Duration
	set := timing.NewSet(timing.Config{Clock: func() time.Duration { return now }, Stray: func(*timing.Timer, uint64) {}})
	statistics := timing.NewStatistics()
	set.AddHandler(statistics)
	p := program{times: make(map[string][]time.Duration)}
	r := seed.Rand(t, 1)
	timers := make(map[string]*timing.Timer)
	for _, name := range []string{"short", "long", "example.com/m/store.Stream.Read", "stray \"quoted\""} {
		timer, err := set.Timer(name, "")
		if err != nil {
			t.Fatal(err)
		}
		timer.Enable()
		timers[name] = timer
	}
	for i := 0; i < 3000; i++ {
		short, long := time.Duration(r.Intn(100)), time.Duration(math.Exp(r.NormFloat64()*3+13))
		for name, d := range map[string]time.Duration{"short": short, "long": long} {
			timers[name].Time(func() { now += d })
			p.times[name] = append(p.times[name], d)
		}
	}
	for _, list := range p.times {
		slices.Sort(list)
	}
	open := timers["example.com/m/store.Stream.Read"].Enter()
	timers["stray \"quoted\""].Exit(open)
	timers["stray \"quoted\""].Exit(open)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(waymarkprom.NewCollector(statistics, c))
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// scrape gets the metrics in a format, by name and timer.
func (p program) scrape(t *testing.T, format expfmt.Format) map[string]*dto.Metric {
	t.Helper()
	req, err := http.NewRequest("GET", p.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", string(format))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make(map[string]*dto.Metric)
	decoder := expfmt.NewDecoder(resp.Body, expfmt.ResponseFormat(resp.Header))
	for {
		var family dto.MetricFamily
		if decoder.Decode(&family) != nil {
			break
		}
		for _, m := range family.Metric {
			got[family.GetName()+" "+m.Label[0].GetValue()] = m
		}
	}
	if len(got) != 12 {
		t.Errorf("%s: %d metrics, want 12", resp.Header.Get("Content-Type"), len(got))
	}
	return got
}

// below counts the durations that aren't longer.
func below(list []time.Duration, seconds float64) uint64 {
	limit := time.Duration(math.Floor(seconds*1e9 + 0.001)) // of what is as many ns as that, too
	i, _ := slices.BinarySearch(list, limit+1)
	return uint64(i)
}

func TestScrape(t *testing.T) {
	bounds := []time.Duration{time.Second, 10 * time.Microsecond, 10 * time.Microsecond, 0, 50}
	for name, format := range map[string]expfmt.Format{
		"text":     expfmt.NewFormat(expfmt.TypeTextPlain),
		"protobuf": expfmt.NewFormat(expfmt.TypeProtoDelim),
	} {
		for buckets, c := range map[string]waymarkprom.Config{"default": {}, "own": {Buckets: bounds}} {
			t.Run(name+" "+buckets, func(t *testing.T) {
				p := start(t, c)
				got := p.scrape(t, format)
				for timer, list := range p.times {
					h := got["waymark_timer_duration_seconds "+timer].GetHistogram()
					sum := time.Duration(0)
					for _, d := range list {
						sum += d
					}
					if h.GetSampleCount() != uint64(len(list)) || math.Abs(h.GetSampleSum()-sum.Seconds()) > 1e-6*sum.Seconds() {
						t.Errorf("%s: count %d, sum %v; want %d, %v", timer, h.GetSampleCount(), h.GetSampleSum(), len(list), sum.Seconds())
					}
					classic := h.GetBucket()
					if n := len(classic); n > 0 && math.IsInf(classic[n-1].GetUpperBound(), 1) {
						classic = classic[:n-1] // text has that one
					}
					if want := map[string]int{"default": 14, "own": 4}[buckets]; len(classic) != want {
						t.Errorf("%s: %d buckets, want %d", timer, len(classic), want)
					}
					for _, b := range classic {
						if want := below(list, b.GetUpperBound()); b.GetCumulativeCount() != want {
							t.Errorf("%s: %d up to %v, want %d", timer, b.GetCumulativeCount(), b.GetUpperBound(), want)
						}
					}
					if name == "protobuf" {
						checkNative(t, timer, h, list)
					}
				}
				if n := got["waymark_timer_open example.com/m/store.Stream.Read"].GetGauge().GetValue(); n != 1 {
					t.Errorf("%v open, want 1", n)
				}
				if n := got[`waymark_timer_exits_without_enter_total stray "quoted"`].GetCounter().GetValue(); n != 2 {
					t.Errorf("%v exits without enter, want 2", n)
				}
			})
		}
	}
}

// checkNative compares a native histogram with what it was made of.
func checkNative(t *testing.T, timer string, h *dto.Histogram, list []time.Duration) {
	t.Helper()
	zero := below(list, 0)
	if h.GetSchema() != 4 || h.GetZeroCount() != zero || h.GetCreatedTimestamp() == nil {
		t.Errorf("%s: schema %d, %d zeros, created %v; want 4, %d, any time", timer, h.GetSchema(), h.GetZeroCount(), h.GetCreatedTimestamp(), zero)
	}
	number, n, cumulative, i := 0, int64(0), zero, 0
	for _, span := range h.GetPositiveSpan() {
		number += int(span.GetOffset())
		for range span.GetLength() {
			n += h.GetPositiveDelta()[i]
			cumulative += uint64(n)
			end := math.Exp2(float64(number) / 16)
			// Of a class that lies in two buckets all is in one.
			if least, most := below(list, end/1.016), below(list, end*1.016); cumulative < least || cumulative > most {
				t.Errorf("%s: %d up to %v, want %d to %d", timer, cumulative, end, least, most)
			}
			number++
			i++
		}
	}
	if cumulative != uint64(len(list)) {
		t.Errorf("%s: %d in native buckets, want %d", timer, cumulative, len(list))
	}
}

// Distributions that others have made become metrics, too.
func ExampleNewHistogram() {
	var c histogram.Counter
	for d := time.Duration(1); d <= 1000; d++ {
		c.Add(d * time.Microsecond)
	}
	desc := prometheus.NewDesc("call_seconds", "Calls.", []string{"function"}, nil)
	m := waymarkprom.NewHistogram(desc, c.Histogram(), 500500*time.Microsecond, time.Unix(0, 0),
		[]time.Duration{100 * time.Microsecond, time.Second}, "main.f")
	var out dto.Metric
	m.Write(&out)
	for _, b := range out.Histogram.Bucket {
		fmt.Printf("%d up to %v s\n", b.GetCumulativeCount(), b.GetUpperBound())
	}
	// Output:
	// 100 up to 0.000100351 s
	// 1000 up to 1.006632959 s
}

// What can't be a metric is an error of the scrape, as anywhere in Prometheus.
func TestWrongLabels(t *testing.T) {
	desc := prometheus.NewDesc("x", "X.", []string{"a"}, nil)
	m := waymarkprom.NewHistogram(desc, histogram.Histogram{}, 0, time.Time{}, nil)
	if err := m.Write(new(dto.Metric)); err == nil {
		t.Error("no label value: got no error, want one")
	}
}
