package waymark

import (
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// An Origin says who wants to observe or to record.
type Origin = switchboard.Origin

const (
	FromProgram     Origin = switchboard.Program     // the program's own code
	FromEnvironment Origin = switchboard.Environment // the variable WAYMARK
	FromCommand     Origin = switchboard.Command     // a command, through the control socket
)

// An ObserverKind says what observes or records. An observer or a factory of monitors that is not
// ready-made has its type as kind, as in ObserverKind("main.counter"): monitor.KindOf and
// PolicyError.Kind tell it.
type ObserverKind = switchboard.ObserverKind

const (
	KindPrint           ObserverKind = "Print"           // lines of calls: of this package, of package monitor, of WAYMARK=print
	KindRecord          ObserverKind = "Record"          // recordings: Record, monitor.Record, probe.Record, WAYMARK=record
	KindTraces          ObserverKind = "Traces"          // trace.Start
	KindWatch           ObserverKind = "Watch"           // trace.Watch, and the command that watches calls
	KindStack           ObserverKind = "Stack"           // the command that shows callers
	KindMonitor         ObserverKind = "Monitor"         // the command that shows calls as they are made
	KindUSDT            ObserverKind = "USDT"            // probes that tracers of the system see
	KindTiming          ObserverKind = "Timing"          // timing.Attach and timing.Monitor
	KindSlog            ObserverKind = "Slog"            // monitor.Slog
	KindRuntimeTrace    ObserverKind = "RuntimeTrace"    // monitor.RuntimeTrace
	KindOperationTracer ObserverKind = "OperationTracer" // monitor.OperationTracer
	KindNoOp            ObserverKind = "NoOp"            // monitor.NoOp
)

// A Policy says who may observe what. Observers and recordings see arguments and results of
// functions, exported or not. A program that handles secrets may want to forbid that in part. The
// zero Policy allows everything.
//
// Policies are about observers, monitors, printed calls, traces and recordings. They do not
// restrict statistics, which have names, counts and times, and no values. Only Forbid, and Origins
// without FromCommand, keep commands from gathering statistics, too: then commands can only list
// what is on.
type Policy struct {
	Forbid  bool     // allow nothing at all
	Groups  []*Group // only functions in these, and in what they contain; nil: all functions
	Origins []Origin // only from these; nil: all

	// Kinds are what may be attached. A composed observer may be if all its parts may. nil: all.
	Kinds []ObserverKind

	NoArguments bool // nobody gets arguments, results or values of panics
}

// Guard puts a policy into force, for as long as the program runs. It can't be taken back, and a
// second policy allows only what the first one allows, too. What is attached already and is not
// allowed is removed. A policy covers the groups that an allowed group contains when Guard is
// called. It does not cover groups added later. While a policy has Groups, functions can be
// selected by groups only, not by patterns.
//
// Guard restricts the variable WAYMARK in the same way: a recording with WAYMARK=record is of kind
// Record, FromEnvironment, and of all functions. If a policy does not allow that, nothing more is
// recorded; if it has Groups, only functions in these are. A line on stderr says so. In both cases
// values of panics are not recorded either, as any function may raise them.
//
// Guard does not undo what has happened: calls before it have been observed and recorded, with
// their values. Calls in progress are observed and recorded to their end; Forbid and NoArguments
// hide their values. Recording begins before the program's first package is initialised. So call
// Guard early, in an init function of a package that imports little. Put //waymark:ignore over
// functions that nobody may ever see.
func Guard(p Policy) {
	sealed := switchboard.Policy{Forbid: p.Forbid, Hide: p.NoArguments, Origins: clone(p.Origins)}
	if p.Kinds != nil {
		sealed.Kinds = []string{}
		for _, k := range p.Kinds {
			sealed.Kinds = append(sealed.Kinds, string(k))
		}
	}
	if p.Groups != nil {
		sealed.Groups = make(map[string]bool)
		for _, g := range p.Groups {
			if g != nil && g.err == nil {
				for inner := range g.all() {
					sealed.Groups[inner.name] = true
				}
			}
		}
	}
	lines, hides := switchboard.Default.Guard(sealed)
	if hides && linked.Agent != nil {
		linked.Agent.HideValues()
	}
	for _, line := range lines {
		console.Say("WAYMARK: %s", line)
	}
}

// clone keeps the difference between nil and empty.
func clone[T any](list []T) []T {
	if list == nil {
		return nil
	}
	return append([]T{}, list...)
}
