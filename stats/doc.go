// Package stats tells how often functions are called and how long that takes, while the program
// runs, without a trace file: calls, total and self time, the shortest and the longest call, panics, and the
// distribution of durations. The program must have been built by waymark.
//
//	if err := stats.Start(stats.Options{Histograms: true}); err != nil { ... }
//	...
//	for _, f := range stats.Take().Functions {
//		fmt.Println(f.Name, f.Calls, f.Self, f.Durations.Quantile(0.99))
//	}
//
// Calls are added up where they happen, by each CPU for itself, and put together when somebody asks. That takes
// no lock and no atomic operation per call, and no memory for goroutines that call nothing.
//
// What is added up is never set back, only subtracted: by Reset for all, by Since for one who watches. Counters wrap modulo 2^64,
// and so do their differences.
package stats
