// Package trace gathers traces while the program runs: of each request the calls that it made, and
// when. It keeps those that are worth it, such as the slowest ones. waymark must have built the
// program.
//
//	c, err := trace.Start(waymark.Pattern("main.handle"), trace.Options{Slowest: 20, Failed: true})
//	if err != nil {
//		return err
//	}
//	...
//	for _, t := range c.Traces() {
//		fmt.Print(t) // its calls, with cumulative and exclusive times
//	}
//
// # Model
//
// A trace is a root call, with all calls that it makes. It has the calls of other goroutines, too:
// those that a goroutine of the trace starts before the root call ends, or hands work to. Root
// calls are the outermost calls of the functions that [Start] is given.
//
// [Options] select traces when their root calls end: what a call is worth is known then. With
// Slowest, a faster trace makes room for a slower one. Others make room for newer ones.
//
// A trace is there as single calls ([Trace.Call]) and as a list of actions ([Trace.Actions]).
// [Trace.Tree] is a tree that adds up calls with the same callers. A collector saves its traces as
// a file of actions in XML, which `waymark traces`, `report` and `tree` read.
//
// # Limits
//
// What time.AfterFunc calls belongs to the trace of who set the timer last, if the timer fires before
// the trace is over. What context.AfterFunc calls belongs to that of who cancels the context, or of who
// has set its deadline. Work that goes through a channel to a goroutine that runs already is not in
// the trace unless it takes a [Handoff] along. What a bound leaves out is counted, in Trace.Lost and
// [Collector.Counts].
package trace
