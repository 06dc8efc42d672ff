package sampler

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/callgraph"
)

// The states of goroutines, by what they do.
func TestStates(t *testing.T) {
	block := make(chan struct{})
	var mu sync.Mutex
	mu.Lock()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	call, endCall := systemCall()
	var wg sync.WaitGroup
	run := func(f func()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f()
		}()
	}
	run(func() { stateReceive(block) })
	run(func() { stateSelect(block) })
	run(func() { stateLock(&mu) })
	run(func() { stateSpin(block) })
	run(func() { stateRead(read) })
	if call != nil {
		run(func() { stateSyscall(call) })
	}
	run(func() { stateCoroutine(block) })
	tree := sample(t, Options{Rate: 500, MaxCPU: 1}, 100)
	close(block)
	mu.Unlock()
	write.Close()
	if call != nil {
		endCall()
	}
	wg.Wait()
	read.Close()

	found := make(map[string]*callgraph.Node)
	tree.Walk(func(path []*callgraph.Node) {
		n := path[len(path)-1]
		if name := strings.TrimPrefix(n.Func.Name, here); strings.HasPrefix(name, "state") && found[name] == nil {
			found[name] = n
		}
		if strings.Contains(n.Func.Name, "runtime.gopark") || strings.Contains(n.Func.Name, "chanrecv") {
			t.Errorf("%s is in the tree", n.Func.Name)
		}
	})
	for name, part := range map[string]func(*callgraph.Node) time.Duration{
		"stateReceive": (*callgraph.Node).Waiting, "stateSelect": (*callgraph.Node).Waiting, "stateLock": (*callgraph.Node).Waiting,
		"stateRead": (*callgraph.Node).Waiting, "stateCoroutine": (*callgraph.Node).Waiting,
		"stateSpin":    func(n *callgraph.Node) time.Duration { return n.CPU + n.Ready },
		"stateSyscall": func(n *callgraph.Node) time.Duration { return n.Syscall },
	} {
		n := found[name]
		if name == "stateSyscall" && call == nil {
			continue
		}
		if n == nil {
			t.Errorf("%s is not in\n%s", name, tree)
		} else if got := float64(part(n)) / float64(n.Total); got < 0.9 {
			t.Errorf("%s: %.3f of the time is in the state, want all: %+v", name, got, n)
		}
	}
}

//go:noinline
func stateReceive(block chan struct{}) { <-block }

//go:noinline
func stateSelect(block chan struct{}) {
	select {
	case <-block:
	case <-make(chan int):
	}
}

//go:noinline
func stateLock(mu *sync.Mutex) { mu.Lock() }

//go:noinline
func stateSpin(block chan struct{}) {
	for {
		select {
		case <-block:
			return
		default:
			spin(7, 1000)
		}
	}
}

//go:noinline
func stateRead(f *os.File) { f.Read(make([]byte, 1)) }

//go:noinline
func stateSyscall(call func()) { call() }
