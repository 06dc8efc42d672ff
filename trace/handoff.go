package trace

import (
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// A Handoff takes work of traces to a goroutine that runs already, such as one of a pool. It may be
// copied, and used more than once and at the same time. The zero Handoff, and one that was taken
// outside of traces or in a program that plain Go has built, has no effect.
type Handoff struct {
	ticket rt.Ticket
	above  *spot // of the watched calls that took it
}

// NewHandoff returns a Handoff of the traces and watched calls that the calling goroutine is in. It goes to the
// goroutine that does the work, for example in the value that a channel carries.
func NewHandoff() Handoff {
	if !rt.Enabled {
		return Handoff{}
	}
	return Handoff{rt.NewTicket(), (*spot)(rt.Above())}
}

// Do calls f. What f calls on this goroutine, and goroutines that it starts, belong to the trace,
// below the call that called NewHandoff. They don't if the trace is over. They don't if the
// goroutine is in a trace of the same collector already: that of a root call in progress, or of
// another Do.
func (h Handoff) Do(f func()) {
	if h != (Handoff{}) {
		if joined := rt.JoinTrace(h.ticket); joined != 0 {
			defer rt.LeaveTrace(joined)
		}
	}
	if h.above != nil {
		before := rt.Above() //lint:ignore SA4006 it is used where programs are instrumented
		rt.SetAbove(unsafe.Pointer(h.above.hand()))
		defer rt.SetAbove(before)
	}
	f()
}
