// Package timing measures how long things take in a running program: calls of functions, and what
// goes on between two places in the code. For each thing it counts measurements and adds up their
// durations, with quantiles.
//
//	statistics := timing.NewStatistics()
//	timing.Default.AddHandler(statistics)
//	marshal, err := timing.Default.Timer("marshal", "Makes bytes of a request.")
//	...
//	marshal.Enable()
//	marshal.Time(func() { b = r.marshal() })
//	fmt.Print(statistics.Snapshot())
//
// # Model
//
// A [Timer] measures one thing, from an enter to an exit, on any number of goroutines at the same
// time. A [Group] contains timers and other groups, to switch them together. A timer is active
// while the timer itself or a group around it is enabled. A [Set] holds timers and groups by name,
// and calls its handlers for the events of active timers. A [Statistics] is a handler that adds up
// durations and returns a [Snapshot] of them. A [Log] is a handler that prints each event. A timer
// that is not active, or has no handler, costs one atomic load.
//
// # Functions with directives
//
// A program that waymark has built need not make timers, nor call them. [Attach] measures calls of
// the functions in groups, with a timer for each function, and with timer groups that stand for the
// groups:
//
//	err := timing.Attach(timing.Default, stream.IO)
//
// What begins in one place and ends in another is measured by info functions in these places, which
// share a timer by their names:
//
//	//waymark:info enter
//	func (c *Conn) beginRequest(id int) {}
//
//	//waymark:info exit
//	func (c *Conn) endRequest(id int) {}
//
// # Which exit belongs to which enter
//
// [Timer.Exit] takes the [Measurement] that [Timer.Enter] has returned. A call's exit belongs to the
// call's enter, whatever happens. An info function's exit ends the latest measurement that info
// functions began on its goroutine, or else the oldest one of another goroutine. Exits without an
// enter are counted, and reported once for each timer. A timer that is switched off forgets what info
// functions began, because it will not see the exit. All else is measured to its end.
//
// # Cost
//
// A measurement reads the clock twice, and allocates nothing once a timer is warm. Those of calls and
// info functions take two locks that other goroutines rarely want. A warm timer takes some 2 KB for what is open. With
// statistics it takes 2 KB or more for each sixteenth of the goroutines that use the timer.
// BenchmarkTimer measures the time. A measurement contains the end of the enter and the beginning
// of the exit: some 100 ns where the timer is that of a function.
package timing
