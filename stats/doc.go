// Package stats counts and times the calls of functions while the program runs, without a trace
// file. It has calls, total and self time, the shortest and the longest call, panics, errors, and
// the distribution of durations. waymark must have built the program.
//
//	if err := stats.Start(stats.Options{Histograms: true}); err != nil {
//		return err
//	}
//	...
//	for _, f := range stats.Take().Functions {
//		fmt.Println(f.Name, f.Calls, f.Self, f.Quantile(0.99))
//	}
//
// # Model
//
// Each CPU adds up calls where they happen. [Take] puts the sums of all CPUs together in a
// [Snapshot]. A call takes no lock and no atomic operation, the first call of a [Path] excepted. A
// goroutine without timed calls takes no memory.
//
// Nothing sets the sums back. [Reset] subtracts for all users, [Snapshot.Since] for one user.
// Counters wrap modulo 2^64, and so do their differences.
package stats
