package timing

import (
	"fmt"
	"strings"
)

// A NameError says that a timer or a group can't have this name.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("timer %q: want a name of printable characters", e.Name)
}

// A DuplicateError says that a set has a timer or a group of this name already.
type DuplicateError struct{ Name string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("timer %s: there is another timer or group of this name", e.Name)
}

// An UnknownError says that a set has no timer and no group of this name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no timer or group %s", e.Name) }

// A CycleError says that a group would contain itself, by way of these groups, of which each is in the one before.
type CycleError struct{ Groups []string }

func (e *CycleError) Error() string {
	return "timer group " + e.Groups[0] + " would contain itself: " + strings.Join(e.Groups, " > ")
}

// A NilError says that something is nil that must not be.
type NilError struct {
	What string // such as "a member"
	Of   string // the group that it was given with, if there is one
}

func (e *NilError) Error() string {
	if e.Of == "" {
		return e.What + " is nil"
	}
	return fmt.Sprintf("timer group %s: %s is nil", e.Of, e.What)
}

// A ForeignError says that a timer or group can't be in a group of another set.
type ForeignError struct{ Name, Group string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("timer group %s: %s is of another set", e.Group, e.Name)
}
