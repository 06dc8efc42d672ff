package condition

import (
	"reflect"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// Values are a call's arguments or results where they are.
type Values struct {
	Event *rt.Event
	At    unsafe.Pointer // as the hook gives it; nil: the event has them
}

// Facts are what codes may read beside values.
type Facts struct {
	Duration int64 // ns
	Panicked bool
	Slots    uint64 // those that are true, and from bit slotRefused on those that could not be decided
}

// SlotRefused reports whether one of the slots that Enter has returned could not be decided.
func SlotRefused(slots uint64) bool { return slots>>slotRefused != 0 }

// An Outcome is what comes of an evaluation.
type Outcome uint8

const (
	False   = Outcome(isFalse)
	True    = Outcome(isTrue)
	Other   = Outcome(isOther)  // the values have other types than the code was bound to
	Refused = Outcome(isFailed) // a value can't be reached: nil, out of range, or memory that can't be read
)

var masked = reflect.TypeOf(rt.Masked{})

// Unread stands for a value of a recorded call that can't be reached: to read it rejects the call.
type Unread struct{}

var unread = reflect.TypeOf(Unread{})
