package timing

import (
	"fmt"
	"time"
)

// A Kind says what happened to a timer.
type Kind uint8

const (
	Enter   Kind = iota // something began
	Exit                // it ended
	Stray               // an exit without an enter
	Dropped             // the timer was switched off before the exit, which is of no interest any more
)

func (k Kind) String() string {
	switch k {
	case Enter:
		return "enter"
	case Exit:
		return "exit"
	case Stray:
		return "stray"
	case Dropped:
		return "dropped"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// An Event is what handlers are told of.
type Event struct {
	Timer *Timer
	Kind  Kind

	// Goroutine is the id of the one on which it happened, Entered of the one on which the enter did that an Exit or Dropped
	// belongs to. They are 0 where ids aren't known, see Config.
	Goroutine, Entered uint64

	Time     time.Duration // since the set was made
	Duration time.Duration // of an Exit, since its enter; never below 0
}

// A Handler is told of the events of a set's active timers. It runs on the goroutine on which they happen, at the same time
// on several goroutines, and what it does at an enter takes its time from what is measured. It must not enter or exit timers of the set.
//
// Each Enter that it is told of is followed by an Exit or Dropped, even if the handler has been removed meanwhile; and of an enter that
// it wasn't told of it isn't told the end either.
type Handler interface{ Handle(Event) }
