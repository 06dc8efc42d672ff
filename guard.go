package waymark

import (
	"github.com/waymark-go/waymark/internal/program/agent"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// An Origin says who wants to observe or to record.
type Origin = switchboard.Origin

const (
	FromProgram     Origin = switchboard.Program     // the program's own code
	FromEnvironment Origin = switchboard.Environment // the variable WAYMARK
	FromCommand     Origin = switchboard.Command     // a command, through the control socket
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

	// Kinds are what may be attached. They are Print, Record, Traces and Watch of package trace, and
	// names of other ready-made monitors. Types of observers and factories are kinds, too, as in
	// "main.counter". A composed one may be attached if all its parts may. nil: all.
	Kinds []string

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
	sealed := switchboard.Policy{Forbid: p.Forbid, Hide: p.NoArguments, Kinds: clone(p.Kinds), Origins: clone(p.Origins)}
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
	if hides {
		agent.HideValues()
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
