package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/recorder"
)

// What a program has of the system, and of the heap.
type resources struct {
	Descriptors, Arenas, Goroutines, Threads int
	Mapped                                   uint64 // bytes
	Heap, Other                              uint64 // bytes: allocated, and of the runtime
}

func measure() (r resources) {
	entries, err := os.ReadDir("/proc/self/fd")
	check(err)
	r.Descriptors, r.Arenas = len(entries), mappings()
	entries, err = os.ReadDir("/proc/self/task")
	check(err)
	r.Threads = len(entries)
	debug.SetTraceback("system") // all goroutines, waymark's too
	b := make([]byte, 1<<20)
	r.Goroutines = strings.Count(string(b[:runtime.Stack(b, true)]), "goroutine ")
	b, err = os.ReadFile("/proc/self/statm")
	check(err)
	_, err = fmt.Sscan(string(b), &r.Mapped)
	check(err)
	r.Mapped *= uint64(os.Getpagesize())
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Heap, r.Other = m.HeapAlloc, m.OtherSys
	return r
}

// loop makes many recordings, and prints what the program has after a few and after all of them.
func loop() {
	// The runtime's poller has two descriptors, from the first timer on. Whether a recording waits by
	// one of them is chance; this one doesn't.
	time.Sleep(time.Microsecond)
	s := newStep()
	s.run(func() {
		for {
			hold(s, 1)
		}
	})
	for i := 1; i <= 120; i++ {
		overflow := []string{"block", "drop", "ring"}[i%3]
		r, err := recorder.Start(config(dir+"/loop.wmt", overflow))
		check(err)
		if i%2 == 0 {
			s.turn() // a call that begins in one recording and ends in another
		}
		leaves(100)
		if _, err := r.Dump(); err == nil {
			check(os.Remove(dir + "/loop.dump1.wmt"))
		}
		check(r.Close())
		if i == 20 || i == 120 {
			check(json.NewEncoder(os.Stdout).Encode(measure()))
		}
	}
}
