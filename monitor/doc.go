// Package monitor has monitors that are registered against groups of functions, one for each
// package, and ready-made ones: the interface of A Java Method Tracing Facility (Ken Cavanaugh,
// 2010), for Go.
//
//	err := monitor.Register(stream.IO, monitor.Print(os.Stderr)) // each call
//	...
//	monitor.Clear(stream.IO)
//
// A Factory makes a Monitor for each package, which is told of calls by the functions' ids. Package
// waymark, below this one, has the smaller interface: one Observer, told of events that name their
// functions. Use Attach of that package for code of your own. Use this package for its ready-made
// monitors, for one monitor of each package, and for code in the document's way.
package monitor
