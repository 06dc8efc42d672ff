// Package viewer shows recordings in the terminal: functions, the call tree, callers and callees of a
// function, and traces.
//
//	m := viewer.New(viewer.Source{Name: "app.wmt", Read: read, Traces: list, Trace: find, Editor: viewer.Editor})
//	err := tui.Run(m, stdin, stdout, m.Send)
//
// The events are read once, for a report of package report, which has all numbers. The model takes
// messages and returns views, and asks its Source for the rest.
package viewer
