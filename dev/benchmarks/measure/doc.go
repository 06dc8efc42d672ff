// Package measure takes the samples that a round of a benchmark consists of.
//
// A round is the run of one process. In it the same calls are made plain and traced,
// in turns of some milliseconds. The floor is measured beside them. It is what two
// reads of the time stamp counter take, because a traced call can't be timed with
// less. A round's figure is the median over its turns, and that of a benchmark the
// median over its rounds. The cost of tracing a call is the median of the differences
// between turns that follow each other. A machine that gets slower for a second
// changes both turns.
//
// Processes print what they measured as JSON, one [Result] on a line.
package measure
