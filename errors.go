package waymark

import (
	"fmt"
	"strings"
)

// A NameError says that a group can't have this name.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("group %q: want a name of letters, digits and _ - . /", e.Name)
}

// A DuplicateGroupError says that there is a group of this name already.
type DuplicateGroupError struct{ Name string }

func (e *DuplicateGroupError) Error() string {
	return fmt.Sprintf("group %s: there is another group of this name; the second can't be used", e.Name)
}

// An UnknownGroupError says that there is no group of this name.
type UnknownGroupError struct{ Name string }

func (e *UnknownGroupError) Error() string { return fmt.Sprintf("there is no group %s", e.Name) }

// A CycleError says that a group would contain itself, by way of these groups, of
// which each is in the one before.
type CycleError struct{ Groups []string }

func (e *CycleError) Error() string {
	return "group " + e.Groups[0] + " would contain itself: " + strings.Join(e.Groups, " > ")
}

// A NilError says that something is nil that must not be.
type NilError struct {
	What  string // such as "a subgroup"
	Of    string // the group that it was given with, if there is one
	Index int    // its place among several
}

func (e *NilError) Error() string {
	if e.Of == "" {
		return e.What + " is nil"
	}
	return fmt.Sprintf("group %s: %s (number %d) is nil", e.Of, e.What, e.Index+1)
}

// A NotTracedError says that a package has no function with a directive, or wasn't
// built by waymark.
type NotTracedError struct{ Package string }

func (e *NotTracedError) Error() string {
	return fmt.Sprintf("package %s is not traced: none of its functions is in a group, or it was not built by waymark", e.Package)
}

// A NotInGroupError says that a package has no function in a group.
type NotInGroupError struct{ Package, Group string }

func (e *NotInGroupError) Error() string {
	return fmt.Sprintf("package %s has no function in group %s", e.Package, e.Group)
}

// An IDError says that a package has no function of this id.
type IDError struct {
	Package string
	ID      int
	Count   int // of ids, which begin with 0
}

func (e *IDError) Error() string {
	return fmt.Sprintf("package %s: id %d is out of range: there are %d", e.Package, e.ID, e.Count)
}

// A FunctionError says that a package has no traced function of this name.
type FunctionError struct{ Package, Name string }

func (e *FunctionError) Error() string {
	return fmt.Sprintf("package %s has no traced function %s", e.Package, e.Name)
}

// A ForbiddenError says that a policy doesn't allow to register a factory, see Guard.
type ForbiddenError struct {
	Group  string
	Kind   string // of the factory, see KindOf
	Caller Caller
	Reason string
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("register %s against group %s by %s: %s", e.Kind, e.Group, e.Caller, e.Reason)
}
