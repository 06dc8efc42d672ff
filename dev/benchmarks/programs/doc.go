// Programs measures what waymark costs real programs: the time of their builds, the
// size of their binaries, and how long they run with tracing compiled in and off, and
// while every call is recorded to a file. See `make bench-programs` and
// docs/performance.md.
//
// A round does all of that once with each program, plain, plain again and instrumented,
// beginning with another of them each time. What is printed are medians over the
// rounds of each round's ratio (or difference) to plain; that of plain again says how
// much of it is noise.
package main
