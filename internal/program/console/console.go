// Package console prints on the stderr of the traced program, for its user:
//
//	console.Say("report: %v; there are no further reports", err) // waymark: report: ...
//
// The program goes on as if nothing had been printed: a stderr that nobody reads, or that is
// another file by now, gets nothing.
package console

import (
	"fmt"
	"sync/atomic"
)

// Say prints a line.
func Say(format string, args ...any) { Print(fmt.Appendf(nil, "waymark: "+format+"\n", args...)) }

// Print prints text.
func Print(text []byte) {
	if to := diverted.Load(); to != nil {
		(*to)(text)
		return
	}
	write(text)
}

// diverted is what a test reads; nil: stderr.
var diverted atomic.Pointer[func(text []byte)]

// Divert has to called with all that is printed, until restore is called. It is for tests.
func Divert(to func(text []byte)) (restore func()) {
	before := diverted.Swap(&to)
	return func() { diverted.Store(before) }
}
