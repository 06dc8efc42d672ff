// Package histogram counts durations and returns their quantiles, exact to 1.6 %. It needs little
// memory and does not keep the durations.
//
//	var c histogram.Counter
//	c.Add(time.Since(start))
//	...
//	fmt.Println(c.Histogram().Quantile(0.99))
//
// # Model
//
// Durations are counted in classes. Durations below 64 ns have a class each. From there on each
// power of two is divided into 32 classes of equal width. So no class is wider than 1/32 of its
// shortest duration.
//
// A quantile is the middle of its class in proportion: the harmonic mean of the shortest and the
// longest duration of the class. The error is half of the class's width at most.
//
// A [Counter] counts. A [Histogram] is a value: what a Counter held at some instant. A Histogram
// can be kept, merged with others, and subtracted from a later one.
package histogram
