// Package runtime, as waymark adds to it: the way from package testing to the recorder.

package runtime

// They are set before any test runs, if there is a recorder.
var (
	wmOnBinary func(importPath string)
	wmOnTest   func(state uint8, name, text string, goroutine, clock uint64)
	wmOnAlarm  func(elapsed int64) (left int64)
)

// WMOnTests has the functions called for what package testing tells.
func WMOnTests(binary func(importPath string), test func(state uint8, name, text string, goroutine, clock uint64), alarm func(elapsed int64) (left int64)) {
	wmOnBinary, wmOnTest, wmOnAlarm = binary, test, alarm
}

// WMTestBinary tells that the go command runs this program to test a package.
func WMTestBinary(importPath string) {
	if wmSeenOnBinary != nil {
		wmWork(func() { wmSeenOnBinary(importPath) })
	}
	if wmOnBinary != nil {
		wmWork(func() { wmOnBinary(importPath) })
	}
}

// WMTest tells what happens to a test on the calling goroutine, and what it logs. It is wmWork with less of the
// stack: a test's is small when it begins.
func WMTest(state uint8, name, text string) {
	if wmSeenOnTest == nil && wmOnTest == nil {
		return
	}
	gp := getg()
	wmMute(gp, true)
	if wmSeenOnTest != nil {
		wmSeenOnTest(state, name)
	}
	if wmOnTest != nil {
		wmOnTest(state, name, text, gp.goid, wmClock())
	}
	wmMute(gp, false)
}

// WMTestAlarm returns how long the tests may go on, in ns, when they have run for so many ns; less
// than 0 if nobody knows.
func WMTestAlarm(elapsed int64) (left int64) {
	if wmOnAlarm == nil {
		return -1
	}
	wmWork(func() { left = wmOnAlarm(elapsed) })
	return left
}
