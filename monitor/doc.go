// Package monitor has monitors that are registered against groups of functions, one for each
// package, and ready-made ones. It is the interface of A Java Method Tracing Facility (Ken
// Cavanaugh, 2010), for Go.
//
//	err := monitor.Register(stream.IO, monitor.Print(os.Stderr)) // each call
//	...
//	monitor.Clear(stream.IO)
//
// A Factory makes a Monitor for each package. A Monitor gets the calls of the package's functions,
// each function by its id. Package waymark has the smaller interface: one Observer, which gets
// events that name their functions. Use waymark.Attach for code of your own. Use this package for
// its ready-made monitors, for one monitor of each package, and for code that follows the document.
package monitor
