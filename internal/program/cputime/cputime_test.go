package cputime

import (
	"runtime"
	"testing"
	"time"
)

// burn takes CPU time until it has been measured. A test that waits for CPU time ends on any
// machine.
func burn(t *testing.T, ns int64) {
	for from := Process(); Process()-from < ns; {
		if Process() == 0 {
			t.Skip("there is no clock of CPU time")
		}
	}
}

func TestProcess(t *testing.T) {
	before, began := Process(), time.Now()
	burn(t, 20e6)
	took, passed := Process()-before, int64(time.Since(began))
	if took < 20e6 || took > passed*int64(runtime.NumCPU()) {
		t.Errorf("%d ns of CPU, want 20e6 to %d", took, passed*int64(runtime.NumCPU()))
	}
}

func TestWatch(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := Process()
	w := Begin()
	burn(t, 5e6)
	ns, ok := w.End()
	all := Process() - before
	if runtime.GOOS == "linux" && (!ok || ns > all || ns < 1e6) {
		t.Errorf("%d ns of the thread, %t; want 1e6 to %d, the process's", ns, ok, all)
	}
	other := make(chan bool)
	go func() { // on another thread, as this one is locked
		_, ok := w.End()
		other <- ok
	}()
	if <-other {
		t.Error("the time of one thread was measured on another")
	}
}

// A piece of which nobody knows what it took is like the others, by its size.
func TestMeter(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var m Meter
	if ns := m.Take(Watch{}, 10); ns != 0 {
		t.Errorf("%d ns, want 0: nothing is known", ns)
	}
	w := Begin()
	burn(t, 5e6)
	took := m.Take(w, 10)
	if ns := m.Take(Watch{}, 20); ns < 2*took-1 || ns > 2*took+1 {
		t.Errorf("%d ns for twice what took %d", ns, took)
	}
}
