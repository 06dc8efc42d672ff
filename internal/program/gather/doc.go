// Package gather gathers the traces of root calls in memory, and delivers those that are worth
// keeping:
//
//	g, err := gather.Start(gather.Options{
//		Roots:   switchboard.Selection{Has: isHandler},
//		Keep:    gather.Keep{Failed: true, Longer: 100 * time.Millisecond},
//		Deliver: func(t *gather.Trace) { … },
//	})
//	…
//	g.Stop()
//
// A trace is the life of a root call: the calls that its goroutine makes from the root call's start
// to its end, and those of the goroutines that are started meanwhile by a goroutine of the trace.
// Whether a trace is kept is decided when its root call ends. Only kept traces are decoded.
//
// The hooks in package runtime write the events of each goroutine into blocks of memory outside the
// heap. A goroutine joins the trace of the goroutine that executes the go statement; if a timer does
// (time.AfterFunc), that of the goroutine that has set the timer; or that of a ticket, which a goroutine
// of the trace has taken (rt.NewTicket). Work that is handed to a goroutine that runs already, as by a
// channel, is not followed without a ticket.
package gather
