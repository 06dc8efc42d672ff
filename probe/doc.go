// Package probe is for typed tracepoints that a program's authors put where it matters. They cost
// next to nothing until somebody looks. Then bpftrace, bcc, perf and other tracers of the system
// see them by name, with their arguments. Plain `go build` builds the program, without cgo.
//
//	type MyProvider struct {
//		probe.Provider
//		startProbe  probe.P0
//		finishProbe probe.P1[int]
//	}
//
//	func main() {
//		var trace MyProvider
//		if err := probe.Register(&trace); err != nil {
//			log.Print(err) // the program goes on, its probes do nothing
//		}
//		defer trace.Dispose()
//		trace.startProbe.Fire()
//		trace.finishProbe.Fire(work())
//	}
//
// And then, while it runs:
//
//	bpftrace -p PID -l 'usdt:*'
//	bpftrace -p PID -e 'usdt:*:MyProvider:finishProbe { @[arg0] = count(); }'
//
// A provider is a struct that embeds Provider, with a field for each probe. The field is a P0 for
// one without arguments, P1[int] for one with an int, up to P12. Register makes it live, Dispose
// ends it.
//
// Factories say where firings go. USDT is for tracers, Print for an io.Writer, Record for
// waymark's recordings, Slog for a logger. RuntimeTrace is for `go tool trace`, Func for a function
// of the program. Compose joins some, NoOp is none. Register without a factory uses
// DefaultFactory.
//
// Arguments of all types can be had. Tracers see integers, floating-point numbers, booleans and
// strings, see USDT; other sinks see all values. As with fmt.Println, what arguments point to is in
// the heap, even while nobody looks. Enabled reports whether somebody does: ask before preparing
// arguments that cost something.
//
// The environment variable WAYMARK=usdt=0 leaves USDT out. A policy of waymark.Guard restricts USDT
// and Record: they are of the kinds USDT and Record. Sinks that the program itself has chosen to
// have, such as Print, are not restricted.
//
// docs/probes.md of the repository says more: what tracers get, what it costs, how other languages'
// providers are written with it.
package probe
