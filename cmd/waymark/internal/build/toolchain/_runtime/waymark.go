// Package runtime, as waymark adds to it: the hooks.
//
// A program reaches them by these names, each file having one concern:
//
//	waymark_register.go    WMRegister, WMBind: packages say which functions are instrumented
//	waymark_ARCH.s         WMEnter, WMExit: the fast path; .h: what several of them include
//	waymark_emit.go        events, as records in a P's chunk; the slow path
//	waymark_values.go      WMEnterArgs, WMExitResults: the same with values
//	waymark_calls.go       calls that are counted, timed, or seen by monitors
//	waymark_samples.go     samples of calls that are counted, as a budget wants it
//	waymark_seen.go        sites that were ever called
//	waymark_long.go        calls of which only the long ones are recorded
//	waymark_traces.go      traces: calls that are gathered from a root call's start to its end
//	waymark_strands.go     what each goroutine does in a trace; its memory is in waymark_blocks.go
//	waymark_tickets.go     goroutines that join a trace otherwise than by its go statements: by timers, from pools
//	waymark_active.go      WMActiveTraces: the traces in progress
//	waymark_taken.go       WMStartTraces, WMTakeTrace: the library gets traces
//	waymark_unwind.go      panics, Goexit, recovery, ends of goroutines
//	waymark_probes.go      USDT probes at functions: WMEnterProbed, WMReturnProbed, WMExitProbed
//	waymark_hides.go       values within runtime/secret.Do
//	waymark_providers.go   WMTakeProvider: locations for providers of package probe
//	waymark_waits.go       when goroutines run, are ready, and wait
//	waymark_state.go       what a recording, a goroutine and a P hold
//	waymark_start.go       WMStart, WMStop: a recording begins and ends
//	waymark_locks.go       the order of locks
//
// Events are written to chunks of a shared arena. Each P owns one chunk, so no two threads ever
// write to the same one. The number of buffers does not depend on the number of goroutines.
// Nothing has to happen when goroutines are switched. The first event of another goroutine on
// the P is noticed by its goid, and writes a Go record first. WMEnter and WMExit are assembly,
// in which the scheduler can't preempt. wmEmit does what they don't handle: a full chunk,
// another goroutine, tracing switched off meanwhile.
//
// The layout of chunks, records and the control chunk is that of package
// github.com/waymark-go/waymark/internal/wire/format, whose constants are in waymark_format.go.

package runtime

// A WMSite is the word that an instrumented function checks at entry: 0 when
// tracing of the function is off, else its id. One load gives both. If its calls aren't merely
// recorded there are flags above the id, see waymark_flags.go.
type WMSite uint32

// A WMFrame is a traced call in progress: site<<32 | token. 0 is none: the
// decision to trace is made once, at entry, so that enter and exit always pair.
// The token is the distance from the top of the stack to the caller's frame.
type WMFrame uint64

// token gives the distance of the call's frame from the top of the stack.
func (f WMFrame) token() uint32 { return uint32(f) }

// site gives the id of the function's site.
func (f WMFrame) site() uint32 { return uint32(f>>32) & wmSiteID }

// plain gives the frame as it is recorded.
func (f WMFrame) plain() uint64 { return uint64(f &^ wmFrameFlags) }

// left tells whether a panic or Goexit is leaving the frame, whose deferred calls are running.
func (f WMFrame) left(gp *g) bool {
	p := gp._panic
	return p != nil && !p.recovered && wmToken(gp, uintptr(p.sp)) == f.token()
}

// wmToken returns the token of the frame that calls a function with the given stack
// pointer. The assembly finds the same value: it reads SP wmCallSize deeper. A stack
// pointer in a variable is worth nothing once the stack has moved. The stack may move
// at the start of any function that can be preempted. So wmToken can't be preempted,
// and its callers pass on the token.
//
//go:nosplit
func wmToken(gp *g, sp uintptr) uint32 { return uint32(gp.stack.hi - sp + wmCallSize) }
