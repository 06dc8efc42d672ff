// Package traces finds the traces of recordings: each is one request's life.
//
//	list, _, err := traces.List(set, filter, traces.Options{Slowest: 20})
//	...
//	tree, err := traces.Find(set, filter, nil, list[0].Key, nil)
//
// A trace is a root call, with all calls that it makes. All calls of the goroutines that a
// goroutine of the trace starts meanwhile belong to it, too. Unless Options.Root chooses others,
// root calls are the calls without a recorded caller. A goroutine that such a call of main.main has
// started has traces of its own: else all that a program does would be one trace.
//
// What goroutines do after the root call has ended is detached: it belongs to the trace, but not to
// its duration. That of goroutines that run on for long belongs to no trace; see recording.Members,
// which all that knows traces asks.
package traces
