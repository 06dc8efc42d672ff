package trace

import "github.com/waymark-go/waymark/internal/rt"

// A Handoff takes work of a trace to a goroutine that runs already, such as one of a pool. It may be
// copied, and used more than once and at the same time. The zero Handoff, and one that was taken
// outside of traces or in a program that plain Go has built, has no effect.
type Handoff struct{ ticket rt.Ticket }

// NewHandoff returns a Handoff of the trace that the calling goroutine is in. It goes to the
// goroutine that does the work, for example in the value that a channel carries.
func NewHandoff() Handoff {
	if !rt.Enabled {
		return Handoff{}
	}
	return Handoff{rt.NewTicket()}
}

// Do calls f. What f calls on this goroutine, and goroutines that it starts, belong to the trace,
// below the call that called NewHandoff. They don't if the trace is over, or if the goroutine is in
// a trace already: that of a root call in progress, or of another Do.
func (h Handoff) Do(f func()) {
	if h != (Handoff{}) && rt.JoinTrace(h.ticket) {
		defer rt.LeaveTrace(h.ticket)
	}
	f()
}
