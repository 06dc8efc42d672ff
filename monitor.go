package waymark

import (
	"fmt"

	"github.com/waymark-go/waymark/internal/rt"
)

// A Monitor is told what the functions of one package do. Functions are named by ids, see FunctionName.
//
// Its methods run on the goroutine whose calls they are told of, at the same time on several
// goroutines. A call that it was told the beginning of is also told the end of, on the same
// goroutine, even if the monitor was removed meanwhile. What they call is not
// traced. One that panics is reported on stderr, and is not called any more. They must not end the
// goroutine (runtime.Goexit, T.FailNow).
//
// Values are copies: they may be kept, but not be changed, as other monitors get the same.
// What they point to is the program's. Values on the stack of the caller are
// copied with what they point to there; closures and unsafe pointers to the stack come as
// nil. Masked stands for those whose names look like secrets.
type Monitor interface {
	// Package gives the import path of the package that the monitor serves.
	Package() string

	// Enter is called before anything in the function runs. args are the receiver, if
	// there is one, and the arguments; a variadic parameter's are one slice.
	Enter(id int, args ...any)

	// Info is called when function caller calls the info function self with args.
	Info(args []any, caller, self int, point TimingPoint)

	// Exit is called as the last thing in a function without results, and when a
	// panic or Goexit has left the function.
	Exit(id int)

	// ExitResults is called as the last thing in a function with results, after its deferred calls.
	ExitResults(id int, results ...any)

	// Panic is called before a panic with that value unwinds anything, for the innermost
	// monitored call, whether or not the function recovers from it. value is
	// Goexit when runtime.Goexit begins.
	Panic(id int, value any)

	// Clear forgets what the monitor has gathered.
	Clear()
}

// A MonitorFactory makes the monitors that are registered against groups: one for each package.
type MonitorFactory interface {
	// Create makes the monitor for the package of that import path. It must not call
	// functions of the registry.
	Create(pkg string) Monitor
}

// A TimingPoint says what an info function means to timers.
type TimingPoint int

const (
	None  TimingPoint = iota // nothing
	Enter                    // something begins
	Exit                     // it ends
)

func (p TimingPoint) String() string {
	switch p {
	case None:
		return "NONE"
	case Enter:
		return "ENTER"
	case Exit:
		return "EXIT"
	}
	return fmt.Sprintf("TimingPoint(%d)", int(p))
}

// Masked is what monitors get in place of a value that must not be seen: its name looks
// like that of a secret.
type Masked = rt.Masked

// Goexit is what Monitor.Panic gets in place of a panic's value when runtime.Goexit was called.
var Goexit = goexit{}

type goexit struct{}

func (goexit) String() string { return "runtime.Goexit" }
