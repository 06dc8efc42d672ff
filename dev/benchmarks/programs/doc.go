// Programs measures what waymark costs real programs. It measures the time of their
// builds and the size of their binaries. It measures how long they run with tracing
// compiled in and off, and while every call is recorded to a file.
// docs/performance.md and `make bench-programs` have more.
//
// A round does all of that once with each program, plain, plain again and instrumented,
// beginning with another of them each time. The printed values are medians over the
// rounds of each round's ratio (or difference) to plain. That of plain again says how
// much is noise.
package main
