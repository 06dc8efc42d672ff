// Package histogram counts durations in classes that grow with them, so that quantiles of any distribution are known to
// 1.6 %, in little memory and without keeping the durations.
//
// # Model
//
// Durations below 64 ns have a class each. From there on each power of two is divided into 32 classes of equal width, so no
// class is wider than 1/32 of what is in it. Where a class stands for all that is in it, it does so by the duration that is
// as far from its lower bound as from its upper one in proportion, which is off by half of that at most.
//
// A Counter counts. A Histogram is a value, what a Counter held at some instant: it can be kept, merged with others, and
// subtracted from a later one.
package histogram
