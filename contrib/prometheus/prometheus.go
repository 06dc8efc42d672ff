// Package prometheus exports what timers have measured as metrics of Prometheus. Import it under
// another name, beside the package prometheus of client_golang:
//
//	import (
//		"github.com/prometheus/client_golang/prometheus"
//
//		waymarkprom "github.com/waymark-go/waymark/contrib/prometheus"
//		"github.com/waymark-go/waymark/timing"
//	)
//
//	statistics := timing.NewStatistics()
//	timing.Default.AddHandler(statistics)
//	prometheus.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{}))
//
// # Metrics
//
// Each timer is a value of the label timer: timer="example.com/m/store.Stream.Read".
//
//	waymark_timer_duration_seconds           histogram  measurements that have ended
//	waymark_timer_open                       gauge      measurements in progress
//	waymark_timer_exits_without_enter_total  counter    ends without a beginning
//
// The histogram is a classic and a native histogram at the same time: a server gets what it asks
// for.
//
// # How exact buckets are
//
// Package histogram counts measurements in classes, so a bucket is exact only if the bucket ends
// where a class ends. NewCollector moves the bounds of classic buckets up to the end of their
// class, by 3 % at most. The counts are exact then. DefaultBuckets are such ends.
//
// Native histograms have schema 4: 16 buckets for each power of two. In the next finer schema a
// bucket would be narrower than a class. A class that lies in two buckets is counted in the bucket
// of its middle. So quantiles and other results of a server are off by 6 % at most.
//
// # Exemplars
//
// With Config.Exemplars the buckets name traces by the label trace_id, which is the trace's id in a
// collector of OpenTelemetry: see the example of Exemplars. A server stores exemplars with
// --enable-feature=exemplar-storage. The dashboard grafana.json shows them, and leads to the traces.
package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waymark-go/waymark/timing"
)

// DefaultBuckets are the bounds of classic buckets: powers of 4 from 1 us to 69 s, less 1 ns.
// Classes of package histogram end there.
var DefaultBuckets = func() (list []time.Duration) {
	for b := time.Duration(1) << 10; b <= 1<<36; b *= 4 {
		list = append(list, b-1)
	}
	return list
}()

// A Config has the settings of a collector. The zero Config will do.
type Config struct {
	Namespace string          // the first part of the metrics' names; empty means waymark
	Buckets   []time.Duration // bounds of classic buckets, in any order; nil means DefaultBuckets
	Exemplars *Exemplars      // of the timers' histograms; nil means none
}

// NewCollector returns a collector of the metrics of s. After s.Reset a server sees what it sees
// after a restart of the program.
func NewCollector(s *timing.Statistics, c Config) prometheus.Collector {
	if c.Namespace == "" {
		c.Namespace = "waymark"
	}
	if c.Buckets == nil {
		c.Buckets = DefaultBuckets
	}
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(c.Namespace, "timer", name), help, []string{"timer"}, nil)
	}
	return &collector{
		statistics: s,
		exemplars:  c.Exemplars,
		buckets:    classEnds(c.Buckets),
		duration:   desc("duration_seconds", "Duration of measurements that have ended."),
		open:       desc("open", "Measurements that have begun and not ended."),
		strays:     desc("exits_without_enter_total", "Ends without a beginning."),
	}
}

type collector struct {
	statistics             *timing.Statistics
	exemplars              *Exemplars
	buckets                []time.Duration
	duration, open, strays *prometheus.Desc
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.duration
	ch <- c.open
	ch <- c.strays
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	snap := c.statistics.Snapshot()
	for _, r := range snap.Timers {
		h := newHistogram(c.duration, r.Histogram, r.Total, snap.From, c.buckets, r.Name)
		ch <- c.exemplars.onto(h, r.Name)
		ch <- prometheus.MustNewConstMetric(c.open, prometheus.GaugeValue, float64(r.Open), r.Name)
		ch <- prometheus.MustNewConstMetric(c.strays, prometheus.CounterValue, float64(r.Strays), r.Name)
	}
}
