package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/program/recorder"
)

// What a program has of the system, and of the heap.
type resources struct {
	Descriptors, Arenas, Goroutines, Threads int
	Mapped                                   uint64 // bytes that can be accessed, but for the Go heap
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
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Heap, r.Other = m.HeapAlloc, m.OtherSys
	r.Mapped = accessible() - m.HeapSys
	return r
}

// accessible returns how much of its address space the program can use, in bytes. Go reserves memory
// for the heap 64 MB at a time, and makes it accessible as the heap grows.
func accessible() (sum uint64) {
	b, err := os.ReadFile("/proc/self/maps")
	check(err)
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		var begin, end uint64
		var mode string
		_, err := fmt.Sscanf(line, "%x-%x %s", &begin, &end, &mode)
		check(err)
		if !strings.HasPrefix(mode, "---") {
			sum += end - begin
		}
	}
	return sum
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
