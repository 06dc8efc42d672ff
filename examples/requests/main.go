// Requests is the program of the document that traces come from. Threads make requests of four
// methods, and a trace file is written when main has returned.
//
//	waymark build -o requests . && ./requests
//	waymark traces trace-file.xml
//	waymark tree trace-file.xml
package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/trace"
)

const (
	threads  = 3
	requests = 4 // of each thread
)

func main() {
	_, err := trace.Start(waymark.Pattern("main.ParentMethod"), trace.Options{File: "trace-file.xml", Slowest: 10})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var running sync.WaitGroup
	for thread := range threads {
		running.Add(1)
		go func() {
			defer running.Done()
			for range requests {
				ParentMethod(time.Duration(1+thread) * time.Millisecond)
			}
		}()
	}
	running.Wait()
}

// ParentMethod makes a request.
//
//go:noinline
func ParentMethod(d time.Duration) {
	time.Sleep(d)
	ChildMethod1(d)
	ChildMethod2(d)
}

// ChildMethod1 is part of a request.
//
//go:noinline
func ChildMethod1(d time.Duration) {
	time.Sleep(d)
	GrandChildMethod1(d)
}

// GrandChildMethod1 is part of ChildMethod1.
//
//go:noinline
func GrandChildMethod1(d time.Duration) { time.Sleep(d) }

// ChildMethod2 is part of a request.
//
//go:noinline
func ChildMethod2(d time.Duration) { time.Sleep(d) }
