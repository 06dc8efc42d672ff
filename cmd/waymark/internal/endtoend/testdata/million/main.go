// Million parks a million goroutines, each in a traced call, and prints the
// resident memory of the process in bytes.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

const goroutines = 1_000_000

func main() {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(goroutines)
	done.Add(goroutines)
	for range goroutines {
		go func() {
			defer done.Done()
			park(&ready, gate)
		}()
	}
	ready.Wait()
	fmt.Println(resident())
	close(gate)
	done.Wait()
}

//go:noinline
func park(ready *sync.WaitGroup, gate chan struct{}) {
	ready.Done()
	<-gate
}

func resident() (bytes int) {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &bytes); n == 1 {
			return bytes << 10
		}
	}
	return 0
}
