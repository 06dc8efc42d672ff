package waymark

import (
	"errors"
	"fmt"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Errors for errors.Is. Packages stats and timing use the same values for the same mistakes.
var (
	ErrName         = fault.ErrName            // a group can't have the name
	ErrDuplicate    = fault.ErrDuplicate       // another group has the name
	ErrUnknownGroup = fault.ErrUnknown         // no group has the name
	ErrCycle        = fault.ErrCycle           // a group would contain itself
	ErrNil          = fault.ErrNil             // an argument is nil
	ErrNotBuilt     = fault.ErrNotBuilt        // waymark has not built the program
	ErrForbidden    = switchboard.ErrForbidden // a PolicyError wraps it
	ErrRecording    = fault.ErrRecording       // a recording is going on already
	ErrNoWindow     = fault.ErrNoWindow        // no flight recorder is running
	ErrEmptyWindow  = fault.ErrEmptyWindow     // the flight recorder holds no events
)

// A GroupError says what is wrong with a group. Its Err wraps ErrName, ErrDuplicate,
// ErrUnknownGroup, ErrCycle or ErrNil.
type GroupError struct {
	Group string // its name
	Err   error
}

func (e *GroupError) Error() string {
	switch {
	case errors.Is(e.Err, ErrName):
		return fmt.Sprintf("group %q: want a name of letters, digits and _ - . /", e.Group)
	case errors.Is(e.Err, ErrDuplicate):
		return "group " + e.Group + ": there is another group of this name; the second can't be used"
	case errors.Is(e.Err, ErrUnknownGroup):
		return "there is no group " + e.Group
	case errors.Is(e.Err, ErrCycle):
		return fmt.Sprintf("group %s %v", e.Group, e.Err)
	}
	return fmt.Sprintf("group %s: %v", e.Group, e.Err)
}

// Unwrap returns Err.
func (e *GroupError) Unwrap() error { return e.Err }

// A PolicyError says that a policy does not allow to observe or to record, see Guard. It wraps
// ErrForbidden.
//
//	Kind   ObserverKind // what should have been attached
//	Group  string       // empty if it was not a group
//	Origin Origin
//	Reason string
type PolicyError = switchboard.PolicyError
