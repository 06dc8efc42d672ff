package histogram

import "time"

// Quantiles are four quantiles of a distribution. Their keys in JSON are p50_ns, p90_ns, p99_ns and
// p999_ns, in ns.
type Quantiles struct {
	P50  time.Duration `json:"p50_ns"`  // the median: half of all durations are not longer
	P90  time.Duration `json:"p90_ns"`  // 90 % of all durations are not longer
	P99  time.Duration `json:"p99_ns"`  // 99 %
	P999 time.Duration `json:"p999_ns"` // 99.9 %
}

// Quantiles returns the quantiles of h. The shortest and the longest duration are known exactly:
// no quantile is outside of them.
func (h Histogram) Quantiles(shortest, longest time.Duration) Quantiles {
	quantile := func(q float64) time.Duration { return min(max(h.Quantile(q), shortest), longest) }
	return Quantiles{quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999)}
}
