package waymark

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/waymark-go/waymark/agent"
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

// A Policy says who may register what. Monitors see arguments and results of functions, also
// of unexported ones, so a program that handles secrets may want to forbid some of it. The
// zero Policy allows everything.
type Policy struct {
	Forbid      bool     // allow nothing at all
	Groups      []*Group // only these, and what they contain; nil: all
	Kinds       []string // only factories of these kinds, composed ones if all parts are, see KindOf; nil: all
	Callers     []Caller // only by these; nil: all
	NoArguments bool     // monitors get neither arguments nor results nor panic values, and nothing is recorded
}

// Guard puts a policy into force, for as long as the program runs: it can't be taken back, and what
// a second policy allows must be allowed by the first one, too. What is registered
// already and isn't allowed is removed. Functions in groups that are put into an allowed one
// later aren't allowed.
func Guard(p Policy) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
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
	registry.policies = append(registry.policies, sealed)
	if p.Forbid || p.NoArguments {
		hidden.Store(true)
	}
	agent.Restrict(p.Forbid || p.Groups != nil || p.Kinds != nil && !slices.Contains(p.Kinds, "Print") ||
		p.Callers != nil && !slices.Contains(p.Callers, Environment), p.NoArguments)
	var kept []*registration
	for _, r := range registry.list {
		if registry.allowed(r) == nil {
			kept = append(kept, r)
		}
	}
	registry.list = kept
	registry.apply()
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

// allowed gives a ForbiddenError if a policy is against the registration.
func (r *registryState) allowed(reg *registration) error {
	kind := KindOf(reg.factory)
	for _, p := range r.policies {
		reason := ""
		switch {
		case p.Forbid:
			reason = "the program forbids monitors"
		case p.within != nil && !p.within[reg.group]:
			reason = "the program forbids this group"
		case p.Kinds != nil && !hasKinds(p.Kinds, reg.factory):
			reason = "the program allows only " + strings.Join(p.Kinds, ", ")
		case p.Callers != nil && !slices.Contains(p.Callers, reg.caller):
			reason = "the program doesn't allow it to this caller"
		case p.NoArguments && records(reg.factory):
			reason = "the program forbids to see arguments, which recordings have"
		default:
			continue
		}
		return &ForbiddenError{Group: reg.group.name, Kind: kind, Caller: reg.caller, Reason: reason}
	}
	return nil
}

// permitted tells whether policies allow functions of g to be seen.
func (r *registryState) permitted(g *Group) bool {
	return !slices.ContainsFunc(r.policies, func(p policy) bool { return p.within != nil && !p.within[g] })
}

// hasKinds tells whether f is of one of the kinds, and if it is composed all its parts are.
func hasKinds(kinds []string, f MonitorFactory) bool {
	return !slices.ContainsFunc(parts(f), func(part MonitorFactory) bool { return !slices.Contains(kinds, KindOf(part)) })
}

// KindOf gives the kind of a factory, for policies and lists: what its method Kind gives, if it has one, else its
// type. Nobody else's factory has the kind of one of this package's or of package timing's.
func KindOf(f MonitorFactory) string {
	k, ok := f.(interface{ Kind() string })
	if !ok {
		return fmt.Sprintf("%T", f)
	}
	kind := k.Kind()
	switch f.(type) {
	case *printer, noOp, recording, *OperationTracer, *slogFactory, *regions, *compose:
		return kind
	}
	if of := reflect.TypeOf(f); of.PkgPath() == timingPath {
		return kind
	}
	if base, _, _ := strings.Cut(kind, "("); slices.Contains(ownKinds, base) {
		return fmt.Sprintf("%T", f)
	}
	return kind
}

// ownKinds are the kinds of this package's factories, and of package timing's.
var ownKinds = []string{"Print", "NoOp", "Record", "OperationTracer", "Slog", "RuntimeTrace", "Compose", "Timing"}

const timingPath = "github.com/waymark-go/waymark/timing"
