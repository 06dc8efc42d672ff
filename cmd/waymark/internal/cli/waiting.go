package cli

import "github.com/waymark-go/waymark/tracefile"

// waitingUsage is that of the flag --waiting of commands that print recordings.
const waitingUsage = "show how long goroutines ran, were ready and waited, if that was recorded"

// explainWaiting says on stderr which recordings of a set, of which it was asked, don't say when
// goroutines ran. It reports whether any does.
func (a *app) explainWaiting(asked bool, set *tracefile.Set) bool {
	known := false
	var without *tracefile.File
	for _, f := range set.Processes {
		if f.Info().Waiting {
			known = true
		} else {
			without = f
		}
	}
	if asked && without != nil {
		a.note("--waiting: " + without.Path() + " does not say when goroutines ran: record with --waiting")
	}
	return known
}
