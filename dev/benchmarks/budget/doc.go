// Budget measures whether `--budget` keeps its word: what tracing adds to the CPU time of twelve
// real programs. See `make bench-budget` and docs/performance.md.
//
// A round runs each variant of a program once, and each round begins with another one. The variants
// are plain, plain again, instrumented with nothing on, and recording with each budget and with
// none. The CPU time is user and system time of the process as the kernel counts it, with that of
// its children. Of a service it is that of the server alone. A second process keeps the server busy
// with a fixed number of requests. The printed values are medians over the rounds of each round's
// ratio to plain. The ratio of plain again says how much is noise.
//
// With -beside each variant runs at the same time as plain, on one processor, which both share by turns
// of some ms: its speed and its caches are the same for both. A program differs from itself by 1 to 3 %
// then, and by 10 % where the machine is shared with others and runs take turns.
//
// On a machine that is shared, -tries has a run repeated beside which a piece of work took longer than
// it does at best.
//
// Samples are written when a program is finished. A program that has all of its samples isn't
// measured again, so that an interrupted run goes on where it was.
//
//	main.go                   flags
//	program.go, job.go        the programs; how they are built and run
//	measure.go, recording.go  rounds; what there is in a recording
//	sample.go, tables.go      CSV; Markdown
package main
