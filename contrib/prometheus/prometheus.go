// Package prometheus gives what timers have measured to Prometheus.
//
//	statistics := timing.NewStatistics()
//	timing.Default.AddHandler(statistics)
//	prometheus.MustRegister(waymarkprom.NewCollector(statistics, waymarkprom.Config{}))
//
// # Metrics
//
// Each timer is a label value: timer="example.com/m/store.Stream.Read".
//
//	waymark_timer_duration_seconds           histogram  measurements that have ended
//	waymark_timer_open                       gauge      measurements that have begun and not ended
//	waymark_timer_exits_without_enter_total  counter    ends without a beginning, which are in nothing else
//
// The histogram is a classic and a native one at the same time: a server gets what it asks for.
//
// Measurements are counted in classes, see package histogram, and so a bucket can be exact only if it ends where a class does.
// Bounds of classic buckets are moved up to the end of their class, by 3 % at most, and the counts are exact then. Those in
// DefaultBuckets are such ends.
//
// Native histograms have schema 4, which is 16 buckets for each power of two, the finest that has none narrower than a class. A class
// that lies in two buckets is counted in the one that has its middle. So what a server makes of them, such as a quantile, is off by
// 6 % at most.
package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waymark-go/waymark/timing"
)

// DefaultBuckets are the bounds of classic buckets: powers of 4 from 1 us to 69 s, less 1 ns, where classes of package histogram end.
var DefaultBuckets = func() (list []time.Duration) {
	for b := time.Duration(1) << 10; b <= 1<<36; b *= 4 {
		list = append(list, b-1)
	}
	return list
}()

// A Config says how metrics are made. The zero Config will do.
type Config struct {
	Namespace string          // what their names begin with; empty means waymark
	Buckets   []time.Duration // bounds of classic buckets, in any order; nil means DefaultBuckets
}

// NewCollector makes a collector of what a Statistics has added up. Statistics.Reset is for servers what a restart is.
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
		buckets:    classEnds(c.Buckets),
		duration:   desc("duration_seconds", "Duration of measurements that have ended."),
		open:       desc("open", "Measurements that have begun and not ended."),
		strays:     desc("exits_without_enter_total", "Ends without a beginning."),
	}
}

type collector struct {
	statistics             *timing.Statistics
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
		ch <- newHistogram(c.duration, r.Histogram, r.Total, snap.From, c.buckets, r.Name)
		ch <- prometheus.MustNewConstMetric(c.open, prometheus.GaugeValue, float64(r.Open), r.Name)
		ch <- prometheus.MustNewConstMetric(c.strays, prometheus.CounterValue, float64(r.Strays), r.Name)
	}
}
