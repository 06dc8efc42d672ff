package probe_test

import (
	"fmt"
	"os"

	"github.com/waymark-go/waymark/probe"
)

// A MyProvider has two probes. Their names, for tracers, are those of the fields.
type MyProvider struct {
	probe.Provider
	startProbe  probe.P0
	finishProbe probe.P1[int]
}

// A program registers a provider, fires its probes, and disposes of it. With DefaultFactory in place of
// Print, bpftrace sees the same: usdt:*:MyProvider:finishProbe, with the result as arg0.
func Example() {
	var trace MyProvider
	if err := probe.Print(os.Stdout).Register(&trace); err != nil {
		fmt.Println(err)
	}
	trace.startProbe.Fire()
	result := foo()
	trace.finishProbe.Fire(result)
	trace.Dispose()
	trace.startProbe.Fire() // nothing happens
	// Output:
	// MyProvider.startProbe()
	// MyProvider.finishProbe(42)
}

func foo() int { return 42 }

// Names, the module, functions and stability are those of tags.
func ExampleProvider() {
	type orders struct {
		probe.Provider `probe:"shop,module=orders" stability:"provider=Stable/Evolving/Common"`
		Finish         probe.P2[int, string] `probe:"finish,function=serve"`
	}
	var p orders
	probe.Register(&p, probe.NoOp())
	d, _ := p.Description()
	fmt.Println(d.Name, d.Module, d.Stability.Provider, d.Stability.Args)
	for _, one := range p.Probes() {
		fmt.Println(one, one.Types())
	}
	p.Dispose()
	// Output:
	// shop orders Stable/Evolving/Common Private/Private/Unknown
	// shop:orders:serve:finish [int string]
}

// Probes can be had by name, and fired without their types.
func ExampleProbe_Trigger() {
	var trace MyProvider
	probe.Register(&trace, probe.Print(os.Stdout))
	defer trace.Dispose()
	finish := trace.Probe("finishProbe")
	if finish.Enabled() {
		fmt.Println(finish.Trigger(7))
	}
	fmt.Println(finish.Trigger("seven"))
	// Output:
	// MyProvider.finishProbe(7)
	// <nil>
	// probe MyProvider:::finishProbe: argument 0 is of type string, want int
}

// Several sinks see each firing. One of them is a function of the program.
func ExampleCompose() {
	count := 0
	counting := probe.Func(func(p *probe.Probe, args []any) { count++ })
	var trace MyProvider
	probe.Compose(probe.Print(os.Stdout), counting).Register(&trace)
	trace.startProbe.Fire()
	trace.finishProbe.Fire(-1)
	trace.Dispose()
	fmt.Println(count)
	// Output:
	// MyProvider.startProbe()
	// MyProvider.finishProbe(-1)
	// 2
}
