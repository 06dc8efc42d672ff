//go:build waymark

package rt

import "runtime"

// A Trace is a trace that was kept, see package gather. Clocks are those of events.
type Trace = runtime.WMTrace

// A Strand is what a goroutine did in a trace.
type Strand = runtime.WMStrand

// A TraceEvent is an event of a strand.
type TraceEvent = runtime.WMTraceEvent

// Bits of Trace.Flags, all about the root call.
const (
	TraceFailed   = runtime.WMTraceFailed   // it returned an error
	TracePanicked = runtime.WMTracePanicked // a panic ended it, or it recovered one
	TraceExited   = runtime.WMTraceExited   // runtime.Goexit ended it
)

// Values of TraceEvent.Kind.
const (
	GatheredEnter   = runtime.WMGatheredEnter
	GatheredExit    = runtime.WMGatheredExit
	GatheredPanic   = runtime.WMGatheredPanic
	GatheredRecover = runtime.WMGatheredRecover
	GatheredGoexit  = runtime.WMGatheredGoexit
	GatheredError   = runtime.WMGatheredError
	GatheredGo      = runtime.WMGatheredGo
	GatheredTicket  = runtime.WMGatheredTicket
)

// An ActiveTrace is a trace whose root call is in progress.
type ActiveTrace = runtime.WMActiveTrace

// A Ticket lets goroutines join a trace. The zero Ticket is of none.
type Ticket = runtime.WMTicket

// TraceCounts count since the program began.
type TraceCounts = runtime.WMTraceCounts

// StartTraces has calls of sites with Root begin traces. The clock has been chosen. All traces may
// take so many bytes, one most calls. After its root's end a kept trace waits linger ns for
// goroutines that still run. It returns the ticks per second of the clock.
func StartTraces(bytes uintptr, most uint64, linger int64) (rate uint64) {
	return runtime.WMStartTraces(bytes, most, linger)
}

// KeepTraces says which traces are kept: all; those whose root call failed; those whose root call
// took longer than so many ns; one in so many. 0 stands for none.
func KeepTraces(all, failed bool, longer int64, oneIn uint64) {
	runtime.WMKeepTraces(all, failed, longer, oneIn)
}

// WaitTraces waits until there is something to do for TakeTrace, and reports whether there may be
// more traces. One goroutine at a time may call it.
func WaitTraces() bool { return runtime.WMWaitTraces() }

// TakeTrace returns the oldest kept trace that does not wait for a goroutine, nil if there is none.
// It also has goroutines leave traces that are over if there is little memory left: the program
// stands still for that.
func TakeTrace() *Trace { return runtime.WMTakeTrace() }

// EndTraces has no more traces begin. Those in progress are given up.
func EndTraces() { runtime.WMEndTraces() }

// ForgetTraces gives back all memory of traces, after EndTraces and the last TakeTrace. The program
// stands still meanwhile.
func ForgetTraces() { runtime.WMForgetTraces() }

// CountTraces returns how many traces there have been.
func CountTraces() TraceCounts { return runtime.WMCountTraces() }

// ActiveTraces returns the traces whose root calls are in progress. The program stands still meanwhile.
func ActiveTraces() []ActiveTrace { return runtime.WMActiveTraces() }

// NewTicket returns a ticket of the trace that the calling goroutine is in.
func NewTicket() Ticket { return runtime.WMNewTicket() }

// JoinTrace has the calling goroutine join the ticket's trace until LeaveTrace, and reports whether it
// did: the trace may be over, or the goroutine in one already.
func JoinTrace(t Ticket) bool { return runtime.WMJoinTrace(t) }

// LeaveTrace ends what JoinTrace has begun.
func LeaveTrace(t Ticket) { runtime.WMLeaveTrace(t) }
