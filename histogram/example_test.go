package histogram_test

import (
	"fmt"
	"time"

	"github.com/waymark-go/waymark/histogram"
)

// A Counter counts durations; its Histogram has their quantiles, exact to 1.6 %.
func Example() {
	var c histogram.Counter
	for d := time.Duration(1); d <= 1000; d++ {
		c.Add(d * time.Millisecond)
	}
	h := c.Histogram()
	fmt.Println(h.Count(), h.Quantile(0.5), h.Quantile(0.99))
	// Output: 1000 499.086929ms 998.173859ms
}

// What has come since an earlier Histogram of the same Counter.
func ExampleHistogram_Sub() {
	var c histogram.Counter
	c.Add(time.Hour)
	before := c.Histogram()
	c.Add(40)
	c.Add(50)
	c.Histogram().Sub(before).Each(func(from, below time.Duration, n uint64) {
		fmt.Println(n, "from", from, "below", below)
	})
	// Output:
	// 1 from 40ns below 41ns
	// 1 from 50ns below 51ns
}
