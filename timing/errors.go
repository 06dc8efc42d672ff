package timing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/waymark-go/waymark/internal/program/fault"
)

// An Error says what is wrong with a timer or a group. Its Err is one of the errors below.
type Error struct {
	Name string // of the timer or the group; empty if there is none
	Err  error

	text string
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.Err }

// Errors for errors.Is. All but ErrForeign are the same values as the errors of package waymark
// with these names.
var (
	ErrName      = fault.ErrName      // a name is empty or has characters that can't be printed
	ErrDuplicate = fault.ErrDuplicate // the set has a timer or a group of this name
	ErrUnknown   = fault.ErrUnknown   // the set has no timer and no group of this name
	ErrCycle     = fault.ErrCycle     // a group would contain itself
	ErrNil       = fault.ErrNil       // an argument is nil

	// ErrForeign says that a timer or a group can't be in a group of another set.
	ErrForeign = errors.New("a member is of another set")
)

func nameError(name string) error {
	return &Error{name, ErrName, fmt.Sprintf("timer %q: want a name of printable characters", name)}
}

func duplicateError(name string) error {
	return &Error{name, ErrDuplicate, fmt.Sprintf("timer %s: there is another timer or group of this name", name)}
}

func unknownError(name string) error {
	return &Error{name, ErrUnknown, "there is no timer or group " + name}
}

// nilError is about an argument that is not a member of a group.
func nilError(what string) error { return &Error{"", ErrNil, what + " is nil"} }

// memberError is about a member that a group can't have.
func memberError(group string, err error, what string) error {
	return &Error{group, err, "timer group " + group + ": " + what}
}

// cycleError is about groups of which each is in the one before; the first is the last, too.
func cycleError(groups []string) error {
	text := "timer group " + groups[0] + " would contain itself: " + strings.Join(groups, " > ")
	return &Error{groups[0], ErrCycle, text}
}
