// Package measure takes the samples that a round of a benchmark consists of.
//
// A round is the run of one process. In it the same calls are made plain and
// traced, in turns of some milliseconds, and the floor is measured beside them: what
// two reads of the time stamp counter take, because a traced call can't be timed with
// less. A round's figure is the median over its turns, and that of a benchmark the
// median over its rounds. What a call's tracing costs is the median of the differences
// between turns that follow each other, so that a machine that gets slower for a
// second changes both.
//
// Processes print what they measured as JSON, one [Result] on a line.
package measure
