// Package cputime reads how much CPU time the process, and a thread, have taken.
package cputime

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
