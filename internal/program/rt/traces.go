//go:build waymark

package rt

import (
	"runtime"
	"unsafe"
)

// Above returns what was noted with the calling goroutine. If nothing was, it returns what was
// noted with the goroutine that started it, or set the timer for it, at that time. nil stands for
// nothing.
func Above() unsafe.Pointer { return runtime.WMAbove() }

// SetAbove notes p with the calling goroutine.
func SetAbove(p unsafe.Pointer) { runtime.WMSetAbove(p) }

// A Trace is a trace that was kept, see package gather. Clocks are those of events.
type Trace = runtime.WMTrace

// A Span is a span of the program's own tracing that a root call is in. Zeros are none.
type Span = runtime.WMSpan

// A Strand is what a goroutine did in a trace.
type Strand = runtime.WMStrand

// A TraceEvent is an event of a strand.
type TraceEvent = runtime.WMTraceEvent

// Bits of Trace.Flags, all about the root call.
const (
	TraceFailed   = runtime.WMTraceFailed   // it returned an error, or answered a request with one
	TracePanicked = runtime.WMTracePanicked // a panic ended it, or it recovered one
	TraceExited   = runtime.WMTraceExited   // runtime.Goexit ended it
	TraceChosen   = runtime.WMTraceChosen   // it took longer than SetTail says, or a Rule selects it
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

// A Ticket lets goroutines join traces. The zero Ticket is of none.
type Ticket = runtime.WMTicket

// TraceCounts count since StartTraces.
type TraceCounts = runtime.WMTraceCounts

// Gatherers is how many gatherers of traces there may be at a time. They have numbers from 0 on.
const Gatherers = runtime.WMGatherers

// GatheredBy returns what Want can want of a site for a gatherer, with Gathered: its calls are in the
// gatherer's traces.
func GatheredBy(number int) uint32 { return runtime.WMGatheredBy(number) }

// RootOf returns what Want can want of a site for a gatherer, with Root: its calls begin traces of the
// gatherer.
func RootOf(number int) uint32 { return runtime.WMRootOf(number) }

// StartTraces takes a gatherer into use, and returns its number, -1 if none is free. The clock has been
// chosen. All traces may take so many bytes, one most calls. After its root's end a kept trace waits
// linger ns for goroutines that still run. With args and results they have those of calls that sites want
// Values of.
func StartTraces(bytes uintptr, most uint64, linger int64, args, results bool) (number int) {
	return runtime.WMStartTraces(bytes, most, linger, args, results)
}

// GatherValues says how values are written, unless a recording has said so: see Capture. It is called before
// sites want Values.
func GatherValues(depth, bytes int, redact []string) { runtime.WMGatherValues(depth, bytes, redact) }

// TypesOf returns the descriptions of the types of values that were gathered in an era: what
// format.ParseTypes reads. It returns nil if they are as many bytes as the caller knows: they only grow. It
// reports false if the era is over, or there are too many.
func TypesOf(era uint32, known int) (list []byte, ok bool) { return runtime.WMTypesOf(era, known) }

// KeepTraces says which traces are kept: all; those whose root call failed, or took longer than so
// many ns; one in so many; those that rules select. 0 stands for none. With ranked the longer ones may lack any that is not
// among the longest that the queue takes. The rules of the first call hold.
func KeepTraces(number int, all, failed bool, longer int64, ranked bool, oneIn uint64, rules []Rule) {
	runtime.WMKeepTraces(number, all, failed, longer, ranked, oneIn, rules)
}

// A Rule selects traces by the HTTP request that they handle: by all of its fields that aren't zero.
type Rule = runtime.WMRule

// Tails has a gatherer also keep traces that take longer than SetTail says, or no longer.
func Tails(number int, on bool) { runtime.WMTails(number, on) }

// TailSamples calls f for samples of how many ticks root calls took, since it was last called. One goroutine at a
// time may call it and SetTail for a gatherer.
func TailSamples(number int, f func(site uint32, ticks uint64)) { runtime.WMTailSamples(number, f) }

// SetTail has traces kept whose root call, of that site, takes more ticks.
func SetTail(number int, site uint32, ticks uint64) { runtime.WMSetTail(number, site, ticks) }

// WaitTraces waits until there is something to do for TakeTrace, and reports whether there may be
// more traces. One goroutine at a time may call it for a gatherer.
func WaitTraces(number int) bool { return runtime.WMWaitTraces(number) }

// TakeTrace returns the oldest kept trace that does not wait for a goroutine, nil if there is none.
// It also has goroutines leave traces that are over if there is little memory left: the program
// stands still for that.
func TakeTrace(number int) *Trace { return runtime.WMTakeTrace(number) }

// EndTraces has no more traces begin. Those in progress are given up.
func EndTraces(number int) { runtime.WMEndTraces(number) }

// ForgetTraces frees the gatherer and gives back all memory of its traces, after EndTraces and the last
// TakeTrace. The program stands still meanwhile.
func ForgetTraces(number int) { runtime.WMForgetTraces(number) }

// CountTraces returns how many traces there have been.
func CountTraces(number int) TraceCounts { return runtime.WMCountTraces(number) }

// ActiveTraces returns a gatherer's traces whose root calls are in progress. The program stands still meanwhile.
func ActiveTraces(number int) []ActiveTrace { return runtime.WMActiveTraces(number) }

// FindSpans has find called from now on for each call that begins a trace, on its goroutine and before the
// call's own code. find gets those arguments that may name a span: contexts, requests and messages; and an empty span.
// It must keep neither. It mutes the goroutine if it calls code of others.
func FindSpans(find func(in []any, span *Span)) { runtime.WMFindSpans(&find) }

// NewTicket returns a ticket of the traces that the calling goroutine is in, of all gatherers.
func NewTicket() Ticket { return runtime.WMNewTicket() }

// JoinTrace has the calling goroutine join the ticket's traces until LeaveTrace. It returns what
// LeaveTrace is to be given, 0 if there is nothing to leave. The traces may be over, or the
// goroutine in others of the same gatherers already.
func JoinTrace(t Ticket) (joined uint32) { return runtime.WMJoinTrace(t) }

// LeaveTrace ends what JoinTrace has begun.
func LeaveTrace(joined uint32) { runtime.WMLeaveTrace(joined) }
