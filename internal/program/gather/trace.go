package gather

import (
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Trace is the life of a root call. It belongs to the function that it is delivered to.
type Trace struct {
	Key       uint64         // the number of the trace, from 1 on; no two traces of a program have the same
	Root      *function.Func // what the root call called
	Goroutine uint64         // id of the goroutine that made the root call
	Parent    uint64         // id of the goroutine that started that goroutine
	Start     time.Time      // when the root call began
	Duration  time.Duration  // of the root call

	Failed   bool // the root call returned an error that isn't nil, or answered a request with one, or Panicked
	Panicked bool // a panic ended the root call, or the root call recovered a panic
	Exited   bool // runtime.Goexit ended the root call
	Chosen   bool // Keep.Tail or one of Keep.Rules holds

	// Truncated says that calls are missing, because the trace had Options.Most calls or there was
	// no memory. Lost is their number.
	Truncated bool
	Lost      uint64

	Types *Types // of the values of events; nil: there are no values

	Within rt.Span // that the root call is in, if that was looked for
	Status int     // of HTTP, that the request was answered with; 0: none

	id id

	// Strands are the goroutines of the trace. The first one made the root call. The others are in
	// the order in which they joined.
	Strands []Strand
}

// An Active is a trace whose root call is in progress.
type Active struct {
	Root       *function.Func // nil: unknown
	Goroutine  uint64         // id of the goroutine that made the root call
	Parent     uint64         // id of the goroutine that started that goroutine
	Start      time.Time      // when the root call began
	Calls      uint64         // that have begun
	Goroutines int            // that have joined
	Lost       uint64         // calls

	id id
}

// A Strand is what a goroutine did in a trace.
type Strand struct {
	Goroutine uint64         // id
	Parent    uint64         // id of the goroutine that started it, set the timer that did, or handed it work
	Started   time.Duration  // when that one did so, since the root call's start; 0 of the first strand
	By        *function.Func // its innermost gathered call then; nil: unknown, or the first strand
	Frame     uint64         // frame of that call in its strand, as Event.Frame
	Handed    bool           // the goroutine ran before it joined the trace, and left it when the work was done

	// Detached says that the goroutine was still running when the trace was delivered: calls in
	// progress have no exit.
	Detached bool

	// Events are in the order of time. Enters and exits pair. A call that a panic or Goexit leaves
	// ends without an exit of its own. It has an exit with Left where its end was noticed. The calls
	// of a strand that is detached may be open at the end.
	Events []Event

	Values []byte // of the events, one behind the other: Event.Size says how many are an event's
}

// An Event is something that happened on a goroutine.
type Event struct {
	Kind format.Kind // Enter, Exit, Panic, Recover, Goexit or Error
	Left bool        // of an exit: the call has not returned, a panic or Goexit left it
	Size uint16      // of the arguments of an enter, of the results of an exit, bytes; 0: they aren't known

	// Func is the function that was entered, that ended, or that returned an error; nil for the
	// other kinds.
	Func *function.Func

	// Frame is the distance in bytes from the top of the goroutine's stack to a stack frame. That is
	// the frame of the call, or of what panicked, recovered or called Goexit. Callees have greater
	// ones. A function that the compiler has inlined has the frame of its caller.
	Frame uint64

	At time.Duration // since the root call's start
}
