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
// A trace is the life of a root call. It has the calls that the root call's goroutine makes from
// the root call's start to its end. It also has those of the goroutines that a goroutine of the
// trace starts meanwhile. Whether a trace is kept is decided when its root call ends. Only kept
// traces are decoded.
//
// The hooks in package runtime write the events of each goroutine into blocks of memory outside the
// heap. A goroutine joins the trace of the goroutine that executes the go statement. If a timer
// starts it (time.AfterFunc), it joins the trace of the goroutine that has set the timer. Or it
// joins that of a ticket, which a goroutine of the trace has taken (rt.NewTicket). Work that is
// handed to a goroutine that runs already, as by a channel, is not followed without a ticket.
package gather
