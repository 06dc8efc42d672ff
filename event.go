package waymark

import (
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/text"
)

// An Observer is told what happens to the calls of functions that it is attached to.
//
// Observe runs on the goroutine of the call, on several goroutines at the same time. An observer that
// sees the beginning of a call sees the end too, on the same goroutine, even if the attachment was
// closed meanwhile. What Observe calls is not traced. An observer that panics is reported on stderr
// and not called any more. Observe must not end the goroutine (runtime.Goexit, T.FailNow).
type Observer interface{ Observe(*Event) }

// An ObserverFunc is a function that observes.
type ObserverFunc func(*Event)

// Observe calls f.
func (f ObserverFunc) Observe(e *Event) { f(e) }

// An Event is what has happened to a call. It is valid during Observe only: e.Clone() may be kept.
//
//	Kind      Kind   // Enter, Exit, Panic, Goexit or Marker
//	Func      *Func  // of a Marker the info function, else the function that was called
//	Goroutine uint64 // the id of the goroutine, as stack traces have it
//	Returned  bool   // of an Exit: the call has returned; else a panic or Goexit has left it
//	Value     any    // of a Panic: its value
//	Caller    *Func  // of a Marker: the function that has called the info function
//	Point     Point  // of a Marker: what begins or ends
//
//	Args() []any     // of an Enter or a Marker: receiver and arguments, a variadic one's as a slice
//	Results() []any  // of an Exit that has returned
//	Hidden() bool    // a policy hides Args, Results and Value
//	Clone() *Event
//
// Values are copies: they may be kept, but not be changed, as other observers get the same. What
// they point to is the program's. Values on the caller's stack are copied with what they point to
// there; closures and unsafe pointers to the stack come as nil. Masked stands for values whose
// names look like secrets.
type Event = switchboard.Event

// A Kind says what has happened to a call.
type Kind = switchboard.Kind

const (
	Enter  Kind = switchboard.Enter  // it begins; nothing in it has run
	Exit   Kind = switchboard.Exit   // it ends; its deferred calls have run
	Panic  Kind = switchboard.Panic  // a panic begins in it, and has not unwound anything; the call may recover it
	Goexit Kind = switchboard.Goexit // runtime.Goexit begins in it
	Marker Kind = switchboard.Marker // it calls an info function
)

// A Point says what an info function marks.
type Point = function.Point

const (
	NoPoint Point = function.NoPoint // a place
	Begin   Point = function.Begin   // the beginning of something: //waymark:info enter
	End     Point = function.End     // its end: //waymark:info exit
)

// A Func is a function of the program.
//
//	Name, Package, File string   // Name is as runtime.FuncForPC returns it
//	Line                int
//	Group               string   // that it is directly in, "" if none
//	Groups              []string // that it is in, directly or not
//	TracingName         string   // Type.Method, or what a directive says
//	ID                  int      // the index of its tracing name among its package's, sorted
//	Doc                 string   // the first sentence of its comment
//	Tiny                []string // functions that are inlined and run as part of its calls
//	Marker              bool     // it is an info function, with its Point
//
// Functions without directives have no Group, TracingName, ID and Doc.
type Func = function.Func

// Masked stands for a value that must not be seen: its name looks like that of a secret.
type Masked = rt.Masked

// Text returns a value as text, cut if it is long, as Print prints it. Of the
// program's methods it calls none but Error. It follows no pointer and looks into no map. Fields
// whose names look like those of secrets come as ***.
func Text(v any) string { return string(text.Append(nil, v)) }
