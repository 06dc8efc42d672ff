package agent

import (
	"sync"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/printer"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// What t=PATTERN prints of calls, by d=DETAIL.
const (
	detailStack  = 1 // who called
	detailValues = 2 // arguments and results, of functions that were built to give them
	detailFiles  = 3 // where the callers are
)

// printCalls begins to print the calls of the functions that patterns name: those that a condition
// accepts, if there is one.
func printCalls(patterns []string, detail int, only *condition.Program) error {
	if len(patterns) == 0 {
		return nil
	}
	selected, err := newSelection(patterns, nil)
	if err != nil {
		return err
	}
	p := printer.New(printer.Style{FullNames: true, Durations: true, Values: detail >= detailValues,
		Callers: detail >= detailStack, Files: detail >= detailFiles, Masked: explainMasked}, console.Print)
	owner := switchboard.Default.Join(p.Kind(), switchboard.Environment)
	owner.Removed = func(string) string {
		return "print: the program's policy forbids it; functions are not printed any more by patterns"
	}
	return owner.Set(switchboard.Wish{Want: rt.Watched, Kind: p.Kind(), Select: switchboard.Selection{Has: selected.has}, Condition: only,
		Observer: func(string) switchboard.Observer { return p }})
}

// explainMasked says once what *** means.
var explainMasked = sync.OnceFunc(func() {
	console.Say("***: the name looks like a secret's; build with --redact none to see all values")
})
