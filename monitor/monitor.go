package monitor

import (
	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A Monitor is told what the functions of one package do. Functions are named by ids, see
// FunctionName.
//
// Methods run on the goroutine of the call, on several goroutines at the same time. A monitor that
// sees the beginning of a call sees the end too, on the same goroutine, even if the monitor was
// removed meanwhile. What the methods call is not traced. A monitor that panics is reported on
// stderr, and is not called any more. Methods must not end the goroutine (runtime.Goexit, T.FailNow).
//
// Values are copies, see waymark.Event.
type Monitor interface {
	// Package returns the import path of the package that the monitor serves.
	Package() string

	// Enter is called before anything in the function runs. args are the receiver, if there is
	// one, and the arguments; a variadic parameter's are one slice.
	Enter(id int, args ...any)

	// Info is called when function caller calls the info function self with args.
	Info(args []any, caller, self int, point waymark.Point)

	// Exit is called as the last thing in a function without results, and when a panic or Goexit
	// has left the function.
	Exit(id int)

	// ExitResults is called as the last thing in a function with results, after its deferred calls.
	ExitResults(id int, results ...any)

	// Panic is called before a panic with that value unwinds anything, for the innermost monitored
	// call, whether or not the function recovers from it. value is Goexit when runtime.Goexit
	// begins.
	Panic(id int, value any)

	// Clear forgets what the monitor has gathered.
	Clear()
}

// A Factory makes the monitors that are registered against groups: one for each package.
type Factory interface {
	// Create makes the monitor for the package of that import path; nil if there is nothing to
	// tell. It must not call Register, Clear, For, and what else changes or lists who observes.
	Create(pkg string) Monitor
}

// A FactoryFunc is a function that makes monitors.
type FactoryFunc func(pkg string) Monitor

// Create calls f.
func (f FactoryFunc) Create(pkg string) Monitor { return f(pkg) }

// Goexit is what Monitor.Panic gets in place of a panic's value when runtime.Goexit was called.
var Goexit = goexit{}

type goexit struct{}

func (goexit) String() string { return "runtime.Goexit" }

// A Base is a Monitor that does nothing: monitors embed it, and have the methods that they need.
type Base struct {
	Path string // of the package
}

func (b Base) Package() string                   { return b.Path }
func (Base) Enter(int, ...any)                   {}
func (Base) Info([]any, int, int, waymark.Point) {}
func (Base) Exit(int)                            {}
func (Base) ExitResults(int, ...any)             {}
func (Base) Panic(int, any)                      {}
func (Base) Clear()                              {}

// NoOp returns a factory of monitors that do nothing. They serve to measure what it costs to call a
// monitor, or take the place of another one.
func NoOp() Factory { return noOp{} }

type noOp struct{}

func (noOp) Kind() string { return "NoOp" }

func (noOp) Create(pkg string) Monitor { return Base{pkg} }

// KindOf returns the kind of a factory, for policies and lists: what its method Kind returns, if it
// has one, else its type. Nobody else's factory has the kind of a ready-made one.
func KindOf(f Factory) waymark.ObserverKind {
	return waymark.ObserverKind(switchboard.KindOf(f))
}

// GoroutineID returns the id of the calling goroutine, as stack traces have it, for monitors that
// keep something for each. It is 0 in a program that was not built by waymark.
func GoroutineID() uint64 { return goroutine.ID() }
