package cputime

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestExact compares what a thread has taken by its own clock, which is exact, with what the process has, which lags
// where nobody asks for the thread's.
func TestExact(t *testing.T) {
	var thread atomic.Int64
	var done atomic.Bool
	defer done.Store(true)
	ended := make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		id, _ := ofThread()
		thread.Store(int64(id))
		for !done.Load() {
		}
		close(ended)
	}()
	for thread.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	id := uint64(thread.Load())
	both := func() (process, own int64) {
		process, exact := Exact(func(i int) (uint64, bool) { return id, i == 0 })
		if own = read(uintptr(^id<<3 | ofOneThread)); !exact || own == 0 {
			t.Skip("the kernel doesn't say what threads have taken")
		}
		return process, own
	}
	const tries = 50
	lags := 0
	for n := 0; n < tries; {
		process0, own0 := both()
		time.Sleep(time.Millisecond)
		process1, own1 := both()
		if own1-own0 < 200e3 {
			continue // it has had no CPU
		}
		if n++; process1-process0 < own1-own0-50e3 { // this thread may have had none between the two clocks
			lags++
		}
	}
	if done.Store(true); lags > tries/2 {
		t.Errorf("in %d of %d times the process has taken less than one of its threads", lags, tries)
	}
	<-ended
}
