package waymark

import (
	"errors"
	"fmt"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// What is wrong, for errors.Is.
var (
	ErrName         = errors.New("want a name of letters, digits and _ - . /")
	ErrDuplicate    = errors.New("there is another group of this name; the second can't be used")
	ErrCycle        = errors.New("would contain itself")
	ErrNil          = errors.New("is nil")
	ErrUnknownGroup = errors.New("there is no group")
	ErrForbidden    = switchboard.ErrForbidden // what a PolicyError wraps
	ErrNotBuilt     = errors.New("the program was not built by waymark: build it with waymark build")
	ErrRecording    = agent.ErrRecording   // a recording is going on already
	ErrNoWindow     = agent.ErrNoWindow    // no flight recorder is running
	ErrEmptyWindow  = agent.ErrEmptyWindow // the flight recorder holds no events
)

// A GroupError says what is wrong with a group. It wraps ErrName, ErrDuplicate, ErrCycle or ErrNil.
type GroupError struct {
	Group string // its name
	Err   error
}

func (e *GroupError) Error() string {
	switch {
	case !format.ValidGroupName(e.Group):
		return fmt.Sprintf("group %q: %v", e.Group, e.Err)
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
//	Kind   string // what should have been attached, see Policy
//	Group  string // empty if it was not a group
//	Origin Origin
//	Reason string
type PolicyError = switchboard.PolicyError
