//go:build waymark

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/trace"
)

// One request from within: its calls as they happen, and its call graph.
func Example_watch() {
	w, err := trace.Watch(waymark.Pattern("...ParentMethod"), trace.WatchOptions{
		Enter: func(c *trace.Call) {
			fmt.Println("enter", c.Func.Name[strings.LastIndexByte(c.Func.Name, '.')+1:], c.Args)
		},
		OnTree: func(root *trace.Call) {
			fmt.Println(len(root.Calls), "calls below,", root.Duration >= 4*time.Millisecond, root.Self >= time.Millisecond, root.Self < root.Duration)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ParentMethod(time.Millisecond)
	w.Stop()
	ParentMethod(time.Millisecond) // not watched
	// Output:
	// enter ParentMethod [1ms]
	// enter ChildMethod1 [1ms]
	// enter GrandChildMethod1 [1ms]
	// enter ChildMethod2 [1ms]
	// 2 calls below, true true true
}
