package recording

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// Lacks returns lines about what is missing in recordings, for output that has no place for it.
// Calls that had not ended are not missing.
func Lacks(list []Summary) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i].Open = 0
	}
	lines := LacksBeside(list)
	if lost := Sum(list).Info.Lost; lost > 0 {
		lines = append([]string{units.Things(lost, "event") + " lost: calls are missing"}, lines...)
	}
	return lines
}

// LacksBeside returns lines about what makes numbers incomplete, besides lost events.
func LacksBeside(list []Summary) []string {
	var lines []string
	for _, rec := range list {
		if rec.Statistics {
			if rec.Killed {
				lines = append(lines, fmt.Sprintf("process %s was killed or crashed: its numbers are of its first %s", rec.Process, units.Duration(rec.Duration)))
			}
			continue
		}
		name := filepath.Base(rec.Files[0])
		for _, state := range []string{Completeness(rec.Info), Beginning(rec.Info), countedUntil(rec.Info)} {
			if state != "" {
				lines = append(lines, name+": "+state)
			}
		}
		if rec.Info.Patched {
			lines = append(lines, name+": the program was patched while it ran: calls that the compiler has inlined are not seen")
		}
		if rec.Info.NoErrors {
			lines = append(lines, name+": errors that calls returned are not known: the program has no DWARF")
		}
		if n := rec.Info.Missing; n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s of the recording missing", name, units.Things(uint64(n), "part")))
		}
	}
	say := func(n uint64, noun, text string) {
		if n > 0 {
			lines = append(lines, units.Things(n, noun)+" "+text)
		}
	}
	s := Sum(list)
	say(uint64(s.Info.Damaged), "byte", "damaged and left out")
	if s.Past {
		say(s.Open, "call", "not ended in the window, counted until it ends")
	} else {
		say(s.Open, "call", "not ended, counted until the end")
	}
	p := s.Problems
	say(p.Cut, "call", "without a recorded end, counted until an event shows that it is over")
	say(p.Unmatched, "call", "without a recorded beginning, left out")
	say(p.Unknown, "event", "of no known goroutine or function, left out")
	say(p.Backward, "event", "earlier than the one before, taken as simultaneous")
	say(s.Mixed, "wait", "recorded with others, for the reason of the longest")
	return append(lines, countedLines(list)...)
}

// Stopped returns why recording ended before the program did, "" if it did not.
func Stopped(i tracefile.Info) string {
	missing := fmt.Sprintf("what the program did after %s is not in it", units.Duration(int64(i.Duration)))
	switch i.Stopped {
	case tracefile.StoppedFull:
		return "recording stopped when the file had the size of --max-size; " + missing
	case tracefile.StoppedDisk:
		return "recording stopped before it filled the disk: free some space, or bound the file with --max-size; " + missing
	case tracefile.StoppedFailed:
		return "recording stopped when the file could not be written; " + missing
	}
	return ""
}

// Completeness returns why the recording ends before its program did, "" if it does not.
func Completeness(i tracefile.Info) string {
	switch {
	case i.Stopped != tracefile.NotStopped:
		return Stopped(i)
	case i.RecoveryErr != nil:
		return fmt.Sprintf("the program was killed or crashed, and its last events are missing: %v", i.RecoveryErr)
	case i.Live:
		return "still being recorded"
	case !i.Complete && i.Recovered == 0 && i.Damaged > 0:
		return "the end is missing: the file was cut or damaged, or the program was killed"
	case !i.Complete && i.Recovered == 0: // as where buffers don't survive the program
		return "the program was killed or crashed; its last events may be missing"
	case !i.Complete:
		return fmt.Sprintf("the program was killed or crashed; %s recovered from its buffers", units.Things(i.Recovered, "event"))
	}
	return ""
}

// Beginning returns why the recording begins after its program did, "" if it does not.
func Beginning(i tracefile.Info) string {
	switch {
	case i.From == 0:
		return ""
	case i.Ring:
		return fmt.Sprintf("a window: what happened before %s was overwritten", units.Duration(int64(i.From)))
	}
	return fmt.Sprintf("part %d: what happened before %s is in earlier parts", i.Part, units.Duration(int64(i.From)))
}
