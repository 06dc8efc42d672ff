// Package waymark observes functions of the program that imports it. These are the functions of a
// group, which belong together wherever they are, or functions that patterns name.
//
//	var IO = waymark.NewGroup("IO")
//
//	//waymark:group IO
//	func (s *Stream) ReadInt() (int, error) { ... }
//
//	func main() {
//		a, err := waymark.Attach(IO, waymark.Print(os.Stderr)) // each call, as it happens
//		...
//		a.Close()
//	}
//
// The command waymark builds the program: `waymark build`, `run` or `test`. Built by plain
// `go build` it runs as well, and nothing is observed. While nothing is attached a call costs a load
// and two tests.
//
// Select functions by a Group or by Pattern. Attach an Observer to them, your own or Print; or
// Record their calls in a trace file, which `waymark report` and `replay` read. Guard restricts what
// may be attached and recorded.
//
// Package monitor, on top of this one, has monitors that are registered against groups, one for
// each package. It has ready-made ones: logs, spans, operations in progress. Package timing
// measures functions with timers, package stats adds up their calls.
package waymark
