package prometheus

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/waymark-go/waymark/histogram"
)

// Classes is a distribution of durations, as histogram.Histogram is one.
type Classes interface {
	// Each calls f for each class of durations with some in it, in ascending order.
	Each(f func(from, below time.Duration, n uint64))
}

// NewHistogram makes a metric of a distribution, with the sum of all durations, the time from which on they were counted, bounds of
// classic buckets (nil means DefaultBuckets), and values for the labels of desc.
func NewHistogram(desc *prometheus.Desc, c Classes, sum time.Duration, since time.Time, buckets []time.Duration, labels ...string) prometheus.Metric {
	if buckets == nil {
		buckets = DefaultBuckets
	}
	return newHistogram(desc, c, sum, since, classEnds(buckets), labels...)
}

// classEnds gives the bounds, each moved up to the end of the class that it is in, in ascending order.
func classEnds(buckets []time.Duration) []time.Duration {
	list := make([]time.Duration, len(buckets))
	for i, b := range buckets {
		_, below := histogram.Class(b)
		list[i] = below - 1
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// schema is that of native histograms: 2^4 buckets for each power of two.
const schema = 4

// A metric is a native histogram with classic buckets.
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

// bucketOf gives the native bucket that has the middle of a class: the one that ends at 2^(number/2^schema) seconds.
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
