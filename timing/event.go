package timing

import (
	"fmt"
	"time"
)

// A Kind says what happened to a timer.
type Kind uint8

const (
	Enter   Kind = iota // a measurement began
	Exit                // a measurement ended
	Stray               // an exit without an enter, see Timer.Exit
	Dropped             // the timer was switched off before an info function's exit, which no handler will see
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

// An Event is something that happened to a timer.
type Event struct {
	Timer *Timer
	Kind  Kind

	// Goroutine is the id of the goroutine on which the event happened. Entered is the id of the
	// goroutine that made the enter which an Exit or Dropped belongs to. Both are 0 where ids are
	// not known, see [Config].
	Goroutine, Entered uint64

	Time     time.Duration // since the set was made
	Duration time.Duration // of an Exit: the time since its enter; never below 0
}

// A Handler handles the events of a set's active timers. Handle runs on the goroutine on which the
// event happens, on several goroutines at the same time. The time that Handle takes for an enter is
// part of the measurement. Handle must not enter or exit timers of the set.
//
// After each Enter that a handler has seen comes an Exit or Dropped, even if the handler has been
// removed in between. A handler that has not seen an Enter does not see the end.
type Handler interface{ Handle(Event) }
