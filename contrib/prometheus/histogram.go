package prometheus

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/waymark-go/waymark/histogram"
)

// Classes is a distribution of durations, such as a histogram.Histogram.
type Classes interface {
	// Each calls f for each class with durations in it, in ascending order: n durations were from
	// or more, and less than below.
	Each(f func(from, below time.Duration, n uint64))
}

// NewHistogram returns a metric of the distribution c. sum is the sum of all durations, and since is
// when counting began. buckets are the bounds of classic buckets; nil means DefaultBuckets. labels are
// the values of the labels of desc. If the number of labels is wrong, the scrape fails.
func NewHistogram(desc *prometheus.Desc, c Classes, sum time.Duration, since time.Time, buckets []time.Duration, labels ...string) prometheus.Metric {
	if buckets == nil {
		buckets = DefaultBuckets
	}
	return newHistogram(desc, c, sum, since, classEnds(buckets), labels...)
}

// classEnds returns the bounds in ascending order, each moved up to the end of its class.
func classEnds(buckets []time.Duration) []time.Duration {
	list := make([]time.Duration, len(buckets))
	for i, b := range buckets {
		_, below := histogram.Class(b)
		list[i] = below - 1
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// schema is the schema of native histograms: 2^4 buckets for each power of two.
const schema = 4

// A metric is a native histogram that has classic buckets, too.
type metric struct {
	prometheus.Metric
	buckets []*dto.Bucket
}

func newHistogram(desc *prometheus.Desc, c Classes, sum time.Duration, since time.Time, ends []time.Duration, labels ...string) prometheus.Metric {
	m := metric{buckets: make([]*dto.Bucket, len(ends))}
	counts := make([]uint64, len(ends))
	native := make(map[int]int64)
	var count, zero uint64
	c.Each(func(from, below time.Duration, n uint64) {
		count += n
		if below <= 1 { // only 0 is below 1 ns
			zero += n
		} else {
			native[bucketOf(from, below)] += int64(n)
		}
		if i, _ := slices.BinarySearch(ends, below-1); i < len(ends) {
			counts[i] += n
		}
	})
	cumulative := uint64(0)
	for i, end := range ends {
		cumulative += counts[i]
		total, le := cumulative, end.Seconds()
		m.buckets[i] = &dto.Bucket{CumulativeCount: &total, UpperBound: &le}
	}
	var err error
	m.Metric, err = prometheus.NewConstNativeHistogram(desc, count, sum.Seconds(), native, nil, zero,
		schema, prometheus.DefNativeHistogramZeroThreshold, since, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return m
}

// bucketOf returns the number of the native bucket with the middle of a class: the bucket that ends
// at 2^(number/2^schema) seconds.
func bucketOf(from, below time.Duration) int {
	middle := (from + (below-1-from)/2).Seconds()
	return int(math.Ceil(math.Log2(middle) * (1 << schema)))
}

// Write implements prometheus.Metric.
func (m metric) Write(out *dto.Metric) error {
	if err := m.Metric.Write(out); err != nil {
		return err
	}
	out.Histogram.Bucket = m.buckets
	return nil
}
