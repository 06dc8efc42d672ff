package main

import (
	"fmt"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A bar is a figure that waymark is to reach.
type bar struct {
	figure, bar string
	// value returns what was measured; false if it wasn't.
	value   func(s *summary) (float64, bool)
	unit    string // format of the value
	reached func(v float64) bool
}

func atMost(max float64) func(float64) bool  { return func(v float64) bool { return v <= max } }
func atLeast(min float64) func(float64) bool { return func(v float64) bool { return v >= min } }

// of returns the median of a figure of waymark's.
func of(rung, shape string, f func(measure.Result) float64) func(*summary) (float64, bool) {
	return func(s *summary) (float64, bool) {
		r := s.find(waymarkName, rung, shape)
		if r == nil {
			return 0, false
		}
		return r.median(f), true
	}
}

// combine returns f of two figures.
func combine(a, b func(*summary) (float64, bool), f func(a, b float64) float64) func(*summary) (float64, bool) {
	return func(s *summary) (float64, bool) {
		x, okX := a(s)
		y, okY := b(s)
		if !okX || !okY {
			return 0, false
		}
		return f(x, y), true
	}
}

func difference(a, b float64) float64 { return a - b }
func quotient(a, b float64) float64   { return a / b }

// scaling returns the throughput of a number of goroutines over that of one, traced, in
// relation to the same of plain calls. Times are of CPUs: those that stay the same mean
// that it scales as well as can be.
func scaling(rung, shape string) func(*summary) (float64, bool) {
	tracedLoss := combine(of(rung, shape, tracedNS), of(rung, "1 goroutine", tracedNS), quotient)
	plainLoss := combine(of(rung, shape, plainNS), of(rung, "1 goroutine", plainNS), quotient)
	return combine(plainLoss, tracedLoss, quotient)
}

func reader(rung string, f func(measure.Result) float64) func(*summary) (float64, bool) {
	return func(s *summary) (float64, bool) {
		r := s.find(readingName, rung, cCalls)
		if r == nil {
			return 0, false
		}
		return r.median(f), true
	}
}

// bars returns all of them. Those about real programs are in the tables of
// `make bench-programs`.
func bars() []bar {
	return []bar{
		{"off, over plain: a function of some ns", "<= +0.5 ns", of(rungOff, "leaf", overNS), "%+.2f ns", atMost(0.5)},
		{"off, over plain: a level of a recursion ten deep", "<= +0.5 ns", of(rungOff, "recursion 10", overNS), "%+.2f ns", atMost(0.5)},
		{"allocations, off", "0", of(rungOff, "leaf", allocs), "%.2g", atMost(0.001)},
		{"on, to memory, goroutine known", "<= 1.15 x floor", of(rungMemory, "leaf", ratio), "%.2f x", atMost(1.15)},
		{"on, to memory, a level of a recursion", "<= 1.15 x floor", of(rungMemory, "recursion 10", ratio), "%.2f x", atMost(1.15)},
		{"on, to file, `block`, at up to 30 M events/s", "<= 1.3 x floor", of(rungFile, "50 ns", ratio), "%.2f x", atMost(1.3)},
		{"the same: lost", "0", of(rungFile, "50 ns", lostShare), "%.2g", atMost(0)},
		{"on, to file, `block`, sustained by a program that makes more", ">= 40 M events/s", of(rungFile, sustained, million(rate)), "%.1f M events/s", atLeast(40)},
		{"the same: lost", "0", of(rungFile, sustained, lostShare), "%.2g", atMost(0)},
		{"the same: bytes per event", "<= 4", of(rungFile, sustained, bytesPerEvent), "%.2f", atMost(4)},
		{"two int arguments, to memory", "<= +4 ns", combine(of(rungMemory, "two ints", overNS), of(rungMemory, "leaf", overNS), difference), "%+.1f ns", atMost(4)},
		{"off with functions in 3 groups, over off", "<= +0.2 ns", combine(of(rungMonitors, "3 groups, off", overNS), of(rungOff, "leaf", overNS), difference), "%+.2f ns", atMost(0.2)},
		{"another group's monitor, over off", "<= +0.2 ns", combine(of(rungMonitors, "another group on", overNS), of(rungOff, "leaf", overNS), difference), "%+.2f ns", atMost(0.2)},
		{"an observer told of two ints and a result", "<= 80 ns", of(rungMonitors, "observer", overNS), "%.0f ns", atMost(80)},
		{"a monitor that gets two ints and a result", "<= 100 ns", of(rungMonitors, "NoOp", overNS), "%.0f ns", atMost(100)},
		{"statistics: calls only", "<= 3 ns", of(rungCount, "leaf", overNS), "%.1f ns", atMost(3)},
		{"statistics: calls, total and self time", "<= 1.2 x floor", of(rungStats, "leaf", ratio), "%.2f x", atMost(1.2)},
		{"the same, a level of a recursion", "<= 1.2 x floor", of(rungStats, "recursion 10", ratio), "%.2f x", atMost(1.2)},
		{"statistics with min, max and histogram", "<= 1.5 x floor", of(rungHistogram, "leaf", ratio), "%.2f x", atMost(1.5)},
		{"statistics with histogram, a level of a recursion", "<= 1.5 x floor", of(rungHistogram, "recursion 10", ratio), "%.2f x", atMost(1.5)},
		{"a call in a trace, under its root", "<= 2 x floor", of(rungUnder, "leaf", ratio), "%.2f x", atMost(2)},
		{"a call elsewhere while traces are gathered, over off", "<= +0.5 ns", combine(of(rungElsewhere, "leaf", overNS), of(rungOff, "leaf", overNS), difference), "%+.2f ns", atMost(0.5)},
		{"a call while first calls are noted, over off", "<= +0.2 ns", combine(of(rungSeen, "leaf", overNS), of(rungOff, "leaf", overNS), difference), "%+.2f ns", atMost(0.2)},
		{"statistics with paths", "<= 1.6 x floor", of(rungPaths, "leaf", ratio), "%.2f x", atMost(1.6)},
		{"statistics with paths, a level of a recursion", "<= 1.6 x floor", of(rungPaths, "recursion 10", ratio), "%.2f x", atMost(1.6)},
		{"2 goroutines, to memory: scaling over the plain program's", ">= 0.9", scaling(rungMemory, "2 goroutines"), "%.2f", atLeast(0.9)},
		{"10,000 goroutines, to memory: over one goroutine's cost", "<= 1.3 x", combine(of(rungMemory, "10000 goroutines", overNS), of(rungMemory, "1 goroutine", overNS), quotient), "%.2f x", atMost(1.3)},
		{"report", ">= 40 M events/s", reader("waymark report", million(rate)), "%.1f M events/s", atLeast(40)},
		{"report: memory", "<= 200 MB", reader("waymark report", million(memory)), "%.0f MB", atMost(200)},
	}
}

func million(f func(measure.Result) float64) func(measure.Result) float64 {
	return func(r measure.Result) float64 { return f(r) / 1e6 }
}

// cells returns the bar as a row of a table.
func (b bar) cells(s *summary) []string {
	v, ok := b.value(s)
	if !ok {
		return []string{b.figure, b.bar, "not measured", "-"}
	}
	answer := "no"
	if b.reached(v) {
		answer = "yes"
	}
	return []string{b.figure, b.bar, fmt.Sprintf(b.unit, v), answer}
}
