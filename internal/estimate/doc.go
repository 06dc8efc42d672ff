// Package estimate estimates the numbers of functions whose calls were only counted at times, to
// keep to a budget. It estimates them from samples: calls that were timed at moments that have
// nothing to do with what the program does. Package budget chooses the moments.
//
//	r := estimate.Of(nodes, counted, estimate.Options{})
//	self := measured + r.Rows[key].Self.Value
//
// # Model
//
// Calls are nodes of a tree, by path of callers. The calls of samples have nodes of their own, which
// lie below the node of the nearest caller that was in progress and timed. Of a function's calls n are
// samples and N were counted, so that each sample stands for K = (N+n)/n calls. What all calls below
// a node took that were counted is part of the node's own time, as nobody saw them. So for each
// sample the caller's own time is K-1 times what the sample took too great. No caller has less than no
// time: if callees would take more than the caller had, they are estimated to have taken what it had.
//
// Calls are exact, and so is the total of a call that was timed. Own times add up to totals.
//
// # The end of a window
//
// A sample is timed to its end, which may come after its window, where its callees are no samples any
// more. Callees of calls that had begun before the window are samples without their callers. Both
// happen equally often. In windows a sample's function has a share of the time. It gets the same
// share of the time after the window. The rest counts in the callees' samples.
//
// # Intervals
//
// Windows belong to groups in turn. How far the groups differ says how far the estimate may be off:
// intervals are those of Student's t for 95 %. They say how far chance goes, and not how far what measuring
// costs makes samples too long. There are two more terms. Few samples differ by chance more than
// few groups show, and each call's time is known to one reading of the clock. Numbers of calls that nobody counted
// have intervals of their own, see Guess.
package estimate
