package trace

import (
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// An outcome is how a call has ended.
type outcome struct {
	failed    bool // it returned an error
	panicked  bool // a panic ended it, or it recovered one
	recovered bool // it returned after it had recovered a panic
	exited    bool // runtime.Goexit ended it
}

// walk calls enter for each call of a strand that begins, and exit for each that ends. Calls that
// are open at the end have no exit.
func walk(s *gather.Strand, enter func(*gather.Event), exit func(*gather.Event, outcome)) {
	type frame struct {
		ev  *gather.Event
		how outcome
	}
	var stack []frame
	panics := 0 // that nobody has recovered yet
	goexit := false
	for i := range s.Events {
		ev := &s.Events[i]
		switch ev.Kind {
		case format.Enter:
			stack = append(stack, frame{ev: ev})
			enter(ev)
		case format.Exit:
			n := len(stack)
			if n == 0 {
				continue // can't happen: enters and exits pair
			}
			how := stack[n-1].how
			switch stack = stack[:n-1]; {
			case !ev.Left:
			case goexit && panics == 0:
				how.exited = true
			default:
				how.panicked, how.recovered = true, false
			}
			exit(ev, how)
		case format.Error:
			if n := len(stack); n > 0 {
				stack[n-1].how.failed = true
			}
		case format.Panic:
			panics++
		case format.Goexit:
			goexit = true
		case format.Recover:
			panics = max(panics-1, 0)
			for n := len(stack) - 1; n >= 0 && stack[n].ev.Frame >= ev.Frame; n-- {
				if stack[n].ev.Frame == ev.Frame {
					stack[n].how.panicked, stack[n].how.recovered = true, true
					break
				}
			}
		}
	}
}
