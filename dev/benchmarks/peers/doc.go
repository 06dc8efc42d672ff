// Peers measures what tracing a call costs, with waymark and with what else there is,
// in one run: see `make bench-peers` and docs/performance.md.
//
// A round runs every rung of every tracer once, each in a process of its own, one
// after the other. So what else the machine does hits all of them. Go programs make
// the calls of packages plain and traced, C programs those of benchmarks/c. What
// isn't installed is left out, and the tables say so.
//
//	main.go                 flags, rounds
//	peer.go, child.go       what a tracer has to tell; how its programs are run
//	waymark.go, reading.go  waymark's rungs; reports
//	regions.go …            one tracer each
//	workload.go             the C program, for tracers of C
//	summary.go, tables.go   p50 and p99 of rounds; tables
//	bars.go                 what waymark is to reach
//	csv.go, plot.go         the samples; the plot
package main
