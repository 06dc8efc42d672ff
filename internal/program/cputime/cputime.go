// Package cputime reads how much CPU time the process, and a thread, have taken.
package cputime

import "github.com/waymark-go/waymark/internal/program/rt"

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
	turn   uint64 // see rt.Turn
	ns     int64
}

// Begin begins to measure. Where threads have no clocks, End reports false.
func Begin() Watch {
	t := turn() // first: what others take from here on is seen
	thread, ns := ofThread()
	return Watch{thread, t, ns}
}

// turn returns the turn of the goroutine with its P. In a program that waymark didn't build nobody knows.
func turn() uint64 {
	if rt.Enabled {
		return rt.Turn()
	}
	return 0
}

// End returns what the work has taken, in ns. It reports false if that is not known: the goroutine
// runs on another thread now, or others have run on this one.
func (w Watch) End() (ns int64, ok bool) {
	thread, now := ofThread()
	if w.thread == 0 || thread != w.thread || turn() != w.turn || now < w.ns {
		return 0, false
	}
	return now - w.ns, true
}

// A Meter measures pieces of work that are alike. Where nobody knows what one has taken, it is what others have, by their
// sizes.
type Meter struct{ ns, size float64 }

// Take returns what a piece of work of that size has taken since w began, in ns: 0 if that of none is known.
func (m *Meter) Take(w Watch, size int) int64 {
	if ns, ok := w.End(); ok {
		m.ns, m.size = m.ns+float64(ns), m.size+float64(size)
		return ns
	}
	if m.size == 0 {
		return 0
	}
	return int64(m.ns / m.size * float64(size))
}
