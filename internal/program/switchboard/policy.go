package switchboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// An Origin says where a wish comes from.
type Origin int

const (
	Program     Origin = iota // the program's own code
	Environment               // the variable WAYMARK
	Command                   // a command, through the control socket
)

func (o Origin) String() string {
	switch o {
	case Program:
		return "the program"
	case Environment:
		return "the environment"
	case Command:
		return "the control socket"
	}
	return fmt.Sprintf("Origin(%d)", int(o))
}

// seen are the wishes that policies are about: they see single calls, and most of them values.
const seen = rt.Recorded | rt.Watched | rt.Gathered | rt.Root

// A Policy says what may be wanted. The zero Policy allows everything. Policies are about wishes
// that see calls: to observe, to record and to gather traces, not to count or to time. Forbid and
// Origins are about all wishes of commands.
type Policy struct {
	Forbid  bool
	Groups  map[string]bool // functions directly in these groups; nil: all functions
	Kinds   []string        // of wishes; nil: all
	Origins []Origin        // nil: all
	Hide    bool            // nobody sees values
}

// ErrForbidden is what a PolicyError wraps.
var ErrForbidden = errors.New("a policy forbids it")

// A PolicyError is the error of a wish that a policy is against. Package waymark documents it.
type PolicyError struct {
	Kind   ObserverKind
	Group  string
	Origin Origin
	Reason string
}

// Unwrap returns ErrForbidden.
func (r *PolicyError) Unwrap() error { return ErrForbidden }

func (r *PolicyError) Error() string {
	against := ""
	if r.Group != "" {
		against = " against group " + r.Group
	}
	return fmt.Sprintf("register %s%s by %s: %s", r.Kind, against, r.Origin, r.Reason)
}

// check returns a *PolicyError if a policy is against one of the wishes.
func (b *Board) check(o *Owner, wishes []Wish) error {
	for _, w := range wishes {
		if reason := b.refusal(o.Origin, &w); reason != "" {
			return &PolicyError{Kind: ObserverKind(o.Kind), Group: o.Group, Origin: o.Origin, Reason: reason}
		}
	}
	return nil
}

// refusal returns why a policy is against a wish; empty: none is.
func (b *Board) refusal(origin Origin, w *Wish) string {
	sees := w.Want&seen != 0
	if !sees && origin != Command {
		return ""
	}
	for i := range b.policies {
		p := &b.policies[i]
		switch {
		case p.Forbid:
			return "the program forbids monitors"
		case sees && p.Groups != nil && slices.ContainsFunc(w.Select.Groups, func(g string) bool { return !p.Groups[g] }):
			return "the program forbids this group"
		case sees && p.Groups != nil && w.Select.Groups == nil && !w.Narrow:
			return "the program allows only groups, not patterns"
		case sees && p.Kinds != nil && !slices.Contains(p.Kinds, w.Kind):
			return "the program allows only " + strings.Join(p.Kinds, ", ")
		case p.Origins != nil && !slices.Contains(p.Origins, origin):
			return "the program doesn't allow it to this caller"
		}
	}
	return ""
}

// narrows reports whether a policy allows some groups only.
func (b *Board) narrows() bool {
	return slices.ContainsFunc(b.policies, func(p Policy) bool { return p.Groups != nil })
}

// Narrows reports whether a policy allows some groups only.
func (b *Board) Narrows() bool {
	defer b.lock().unlock()
	return b.narrows()
}

// permits reports whether policies allow functions directly in a group to be seen.
func (b *Board) permits(group string) bool {
	return !slices.ContainsFunc(b.policies, func(p Policy) bool { return p.Groups != nil && !p.Groups[group] })
}

// Permits reports whether policies allow functions directly in a group to be seen.
func (b *Board) Permits(group string) bool {
	defer b.lock().unlock()
	return b.permits(group)
}

// allows reports whether policies about groups allow the wish for a function.
func (b *Board) allows(w *wish, f *function.Func) bool {
	return w.Want&seen == 0 || b.permits(f.Group)
}

// Guard puts a policy into force, which can't be taken back. Wishes that it does not allow are
// taken away. It returns what to say to whoever has set WAYMARK, and whether this policy is the
// first one to hide values.
func (b *Board) Guard(p Policy) (lines []string, hides bool) {
	defer b.lock().unlock()
	narrowed, before := b.narrows(), b.recordsAll()
	b.policies = append(b.policies, p)
	var kept []*Owner
	recorded := false // WAYMARK's recording goes on
	for _, o := range b.owners {
		reason := ""
		for _, w := range o.wishes {
			if reason == "" {
				reason = b.refusal(o.Origin, &w.Wish)
			}
		}
		if reason != "" {
			o.wishes = nil
			if o.Removed != nil {
				lines = append(lines, o.Removed(reason))
			}
			continue
		}
		kept = append(kept, o)
		for _, w := range o.wishes {
			recorded = recorded || o.Origin == Environment && w.Want&rt.Recorded != 0
		}
	}
	b.owners = kept
	hides = (p.Forbid || p.Hide) && !b.hidden.Swap(true)
	if hides && recorded {
		lines = append(lines, "record: the program forbids to see arguments; values are not recorded any more")
	}
	after := b.recordsAll()
	if after && p.Groups != nil && !narrowed {
		lines = append(lines, "record: the program allows only some groups; other functions are not recorded any more")
	}
	if before && (!after || p.Groups != nil) {
		b.switches.HidePanics() // functions that must not be seen may raise them
	}
	b.applyAll()
	return lines, hides
}

// recordsAll reports whether an owner wants all functions to be recorded that policies allow.
func (b *Board) recordsAll() bool {
	return slices.ContainsFunc(b.owners, func(o *Owner) bool {
		return slices.ContainsFunc(o.wishes, func(w *wish) bool { return w.Narrow && w.Want&rt.Recorded != 0 })
	})
}

// Hidden reports whether values must not be seen.
func (b *Board) Hidden() bool { return b.hidden.Load() }
