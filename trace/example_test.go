package trace_test

import (
	"fmt"
	"log"
	"os"

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
