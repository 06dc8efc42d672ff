package trace_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/trace"
)

// From inside a running program: the calls of one request as they happen, with arguments and
// results. Then comes its call graph, whose calls have their cumulative and exclusive times,
// Duration and Self. waymark has built the program with --args --results.
func ExampleWatch() {
	var tree *trace.Call
	w, err := trace.Watch(waymark.Pattern("...trace_test.order"), trace.WatchOptions{
		Enter:  func(c *trace.Call) { fmt.Println("enter", name(c), c.Args) },
		Exit:   func(c *trace.Call) { fmt.Println("exit", name(c), c.Results) },
		OnTree: func(root *trace.Call) { tree = root },
	})
	if err != nil {
		fmt.Println(err) // trace.ErrNotBuilt: plain Go has built the program
		return
	}
	order("tea", 3) //lint:ignore SA4017 it is watched
	w.Stop()
	order("salt", 1) //lint:ignore SA4017 it is not watched

	var print func(c *trace.Call, depth int)
	print = func(c *trace.Call, depth int) {
		fmt.Println(strings.Repeat("  ", depth)+name(c), c.Failed, c.Self <= c.Duration)
		for _, below := range c.Calls {
			print(below, depth+1)
		}
	}
	print(tree, 0)
}

// name returns the name of the function without its package.
func name(c *trace.Call) string { return c.Func.Name[strings.LastIndexByte(c.Func.Name, '.')+1:] }

//go:noinline
func order(item string, n int) error {
	if total := price(item) * n; total > 500 {
		return pay(total)
	}
	return nil
}

//go:noinline
func price(item string) int { return 100 * len(item) }

//go:noinline
func pay(total int) error { return errors.New("no money") }
