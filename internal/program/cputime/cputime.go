// Package cputime reads how much CPU time the process, and a thread, have taken.
package cputime

// Exact returns the CPU time that the process has taken, in ns, and reports whether that is exact, as on Linux. There
// Process lags where threads run: their times grow with the kernel's tick, unless somebody reads them. thread returns the
// id of a thread that may run, for each number from 0 on, or 0, and reports false if there are no more. The time of others
// may lag, as of those that run C.
func Exact(thread func(i int) (id uint64, ok bool)) (ns int64, exact bool) {
	for i := 0; canBringUp; i++ {
		id, ok := thread(i)
		if !ok {
			break
		}
		if id > 0 {
			bringUp(id)
		}
	}
	ns = Process()
	return ns, canBringUp && ns > 0
}

// A Watch measures the CPU time of a piece of work, by the time of the thread that it runs on.
type Watch struct {
	thread int
	ns     int64
}

// Begin begins to measure. Where threads have no clocks, End reports false.
func Begin() Watch {
	thread, ns := ofThread()
	return Watch{thread, ns}
}

// End returns what the work has taken, in ns. It reports false if that is not known: the goroutine
// runs on another thread now.
func (w Watch) End() (ns int64, ok bool) {
	thread, now := ofThread()
	if w.thread == 0 || thread != w.thread || now < w.ns {
		return 0, false
	}
	return now - w.ns, true
}
