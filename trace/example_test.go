package trace_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/trace"
)

// A program keeps its slowest and its failed requests, and prints them at the end.
func Example() {
	c, err := trace.Start(waymark.Pattern("example.com/shop/api.handle"), trace.Options{Slowest: 20, Failed: true})
	if err != nil {
		log.Fatal(err) // trace.ErrNotBuilt: plain Go has built the program
	}
	// ...
	if err := c.Stop(); err != nil {
		log.Fatal(err) // the function was not seen
	}
	trace.WriteList(os.Stdout, c.Traces())
	for _, t := range c.Traces() {
		fmt.Print(t)
	}
}

// From inside a running program: the call graph of one request, with the arguments and results of
// each call, its cumulative and its exclusive time.
func ExampleWatch() {
	trees := make(chan *trace.Call, 1)
	w, err := trace.Watch(waymark.Pattern("example.com/shop/api.handle"), trace.WatchOptions{
		OnTree: func(root *trace.Call) {
			select {
			case trees <- root:
			default: // one is enough
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	root := <-trees
	w.Stop()
	var print func(c *trace.Call, depth int)
	print = func(c *trace.Call, depth int) {
		fmt.Println(strings.Repeat("  ", depth), c.Func.Name, c.Args, c.Results, c.Duration, c.Self)
		for _, below := range c.Calls {
			print(below, depth+1)
		}
	}
	print(root, 0)
}
