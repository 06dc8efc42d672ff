// Package timing measures how long things take in a running program: calls of functions, and what goes on between two places in
// the code. It adds up, for each thing, how often and how long, with quantiles.
//
// # Model
//
// A Timer measures one thing, from an enter to an exit, on any number of goroutines at the same time. A Group contains timers and
// other groups, so that they can be switched together: a timer is active while it is enabled or a group around it is. All lie in a
// Set, by name. What happens to active timers is told to the set's handlers: a Statistics adds up durations and gives them as a
// Snapshot, a Log prints each event. An inactive timer, or one that no handler listens to, costs one atomic load.
//
//	var store = timing.Default
//
//	statistics := timing.NewStatistics()
//	store.AddHandler(statistics)
//	marshal, err := store.Timer("marshal", "Makes bytes of a request.")
//	...
//	marshal.Enable()
//	marshal.Time(func() { b = r.marshal() })
//	fmt.Print(statistics.Snapshot())
//
// # Functions with directives
//
// In a program that was built by waymark timers needn't be made nor called. Attach has calls of the functions in groups measured, by
// a timer for each, in groups as they are:
//
//	err := timing.Attach(timing.Default, stream.IO)
//
// and what begins in one place and ends in another is measured by info functions in these places, which share a timer by their names:
//
//	//waymark:info enter
//	func (c *Conn) beginRequest(id int) {}
//
//	//waymark:info exit
//	func (c *Conn) endRequest(id int) {}
//
// # Which exit belongs to which enter
//
// A call's exit belongs to its enter, whatever happens. Timer.Exit ends the latest measurement of its goroutine; if that has none, the
// oldest that another goroutine began. An exit for which there is no enter is counted, and reported once for each timer.
// A timer that is switched off forgets what Timer.Enter began, as it won't see the exit; calls and Timer.Time are measured to
// their end.
//
// # Cost
//
// A measurement takes two locks that other goroutines rarely want, twice the clock, and no memory once a timer is warm: then it has
// some 2 KB for what is open, and with statistics 2 KB or more for each sixteenth of the goroutines that use it. BenchmarkTimer
// tells the rest. What is measured contains the end of the enter and the beginning of the exit: with calls of functions some 100 ns.
package timing
