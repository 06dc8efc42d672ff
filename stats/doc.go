// Package stats counts and times the calls of functions while the program runs, without a trace
// file. It has calls, total and self time, the shortest and the longest call, panics, errors, and
// the distribution of durations. waymark must have built the program.
//
//	g, err := stats.Start(stats.Options{Histograms: true})
//	if err != nil {
//		return err
//	}
//	...
//	for _, f := range g.Snapshot().Functions {
//		fmt.Println(f.Name, f.Calls, f.Self, f.Quantile(0.99))
//	}
//	g.Stop()
//
// # Model
//
// Each CPU adds up calls where they happen, once for all that want it. [Gathering.Snapshot] puts the
// sums of all CPUs together, and subtracts what was there when the [Gathering] began. A call takes no lock and no atomic operation, the first call of a [Path] excepted. A
// goroutine without timed calls takes no memory.
//
// Nothing sets the sums back: [Gathering.Reset] and [Snapshot.Since] subtract, too. Counters wrap modulo 2^64, and so do their differences.
package stats
