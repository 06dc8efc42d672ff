package waymark

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
)

// A Caller says who registers a monitor.
type Caller int

const (
	InProcess   Caller = iota // the program's own code
	Environment               // the variable WAYMARK
	Socket                    // a command, through the control socket
)

func (c Caller) String() string {
	switch c {
	case InProcess:
		return "the program"
	case Environment:
		return "the environment"
	case Socket:
		return "the control socket"
	}
	return fmt.Sprintf("Caller(%d)", int(c))
}

// A Policy says who may observe what. Monitors and recordings see arguments and results of
// functions, also of unexported ones, so a program that handles secrets may want to forbid some of
// it. The zero Policy allows everything.
//
// Policies are about monitors, printed calls and recordings. They do not restrict statistics, which
// have names, counts and times, and no values.
type Policy struct {
	Forbid      bool     // allow nothing at all
	Groups      []*Group // only functions in these, and in what they contain; nil: all functions
	Kinds       []string // only factories of these kinds, composed ones if all parts are, see KindOf; nil: all
	Callers     []Caller // only by these; nil: all
	NoArguments bool     // neither monitors nor recordings get arguments, results or values of panics
}

// Guard puts a policy into force, for as long as the program runs: it can't be taken back, and what
// a second policy allows must be allowed by the first one, too. What is registered already and
// isn't allowed is removed. A policy covers the groups that an allowed group contains when Guard is
// called. It does not cover groups added later.
//
// What the variable WAYMARK asks for is restricted in the same way: a recording with WAYMARK=record
// counts as a factory of kind Record, registered by the Environment against all functions. If a
// policy does not allow that, nothing more is recorded; if it has Groups, only functions in these
// are. A line on stderr says so. In both cases values of panics are not recorded either, as any
// function may raise them.
//
// Guard does not undo what has happened: calls before it have been reported and recorded, with
// their values. Calls in progress are reported and recorded to their end; Forbid and NoArguments
// hide their values. Recording begins before the program's first package is initialised. So call
// Guard early, in an init function of a package that imports little. Put //waymark:ignore over
// functions that nobody may ever see.
func Guard(p Policy) {
	for _, line := range registry.guard(p) {
		recorder.Say("WAYMARK: %s", line)
	}
}

// guard puts a policy into force, and returns what to say to whom has set WAYMARK.
func (r *registryState) guard(p Policy) (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sealed := policy{Policy: p}
	sealed.Kinds, sealed.Callers = clone(p.Kinds), clone(p.Callers)
	if p.Groups != nil {
		sealed.within = make(map[*Group]bool)
		for _, g := range p.Groups {
			if g != nil {
				maps.Copy(sealed.within, g.all())
			}
		}
	}
	r.policies = append(r.policies, sealed)
	if agent.Restrict(p.Forbid || p.Groups != nil || p.Kinds != nil && !slices.Contains(p.Kinds, "Print") ||
		p.Callers != nil && !slices.Contains(p.Callers, Environment), p.NoArguments) {
		lines = append(lines, "print: the program's policy forbids it; functions are not printed any more by patterns")
	}
	var kept []*registration
	wanted := false // WAYMARK's recording goes on
	for _, reg := range r.list {
		reason := r.refusal(reg)
		switch {
		case reason == "":
			kept = append(kept, reg)
			wanted = wanted || reg.caller == Environment && records(reg.factory)
		case reg.group == nil:
			lines = append(lines, "record: "+reason+"; nothing more is recorded")
		case reg.caller == Environment:
			lines = append(lines, reg.forbidden(reason).Error())
		}
	}
	r.list = kept
	if (p.Forbid || p.NoArguments) && !hidden.Swap(true) {
		if rt.Enabled {
			agent.HideValues()
		}
		if wanted {
			lines = append(lines, "record: the program forbids to see arguments; values are not recorded any more")
		}
	}
	if r.everything && !r.recordsAll() {
		if p.Groups != nil && wanted {
			lines = append(lines, "record: the program allows only some groups; other functions are not recorded any more")
		}
		r.everything = false
		r.apply()
		agent.Choose(r.chosen())
		return lines
	}
	r.apply()
	return lines
}

// recordsAll reports whether all functions are recorded: WAYMARK asks for it, and no policy is
// against it.
func (r *registryState) recordsAll() bool {
	return slices.ContainsFunc(r.list, func(reg *registration) bool { return reg.group == nil }) &&
		!slices.ContainsFunc(r.policies, func(p policy) bool { return p.within != nil })
}

// chosen returns the ids of the sites that apply switches on and off.
func (r *registryState) chosen() map[uint32]bool {
	sites := make(map[uint32]bool)
	for _, p := range r.packages {
		for _, m := range p.members {
			sites[m.pkg.Base+uint32(m.index)] = true
		}
	}
	return sites
}

// A policy is a Policy in force.
type policy struct {
	Policy
	within map[*Group]bool // the groups that are allowed, with all that they contained then; nil: all
}

// hidden says that monitors must not see values any more, those of calls in progress either.
var hidden atomic.Bool

// clone keeps the difference between nil and empty.
func clone[T any](list []T) []T {
	if list == nil {
		return nil
	}
	return append([]T{}, list...)
}

// refusal returns why a policy is against the registration; empty: none is.
func (r *registryState) refusal(reg *registration) string {
	for _, p := range r.policies {
		switch {
		case p.Forbid:
			return "the program forbids monitors"
		case p.within != nil && reg.group != nil && !p.within[reg.group]:
			return "the program forbids this group"
		case p.Kinds != nil && !hasKinds(p.Kinds, reg.factory):
			return "the program allows only " + strings.Join(p.Kinds, ", ")
		case p.Callers != nil && !slices.Contains(p.Callers, reg.caller):
			return "the program doesn't allow it to this caller"
		}
	}
	return ""
}

// forbidden makes the error of a registration that is against a policy.
func (reg *registration) forbidden(reason string) *ForbiddenError {
	return &ForbiddenError{Group: reg.group.name, Kind: KindOf(reg.factory), Caller: reg.caller, Reason: reason}
}

// permitted tells whether policies allow functions of g to be seen.
func (r *registryState) permitted(g *Group) bool {
	return !slices.ContainsFunc(r.policies, func(p policy) bool { return p.within != nil && !p.within[g] })
}
