// Package testing, as waymark adds to it: it tells the recorder, by way of package
// runtime, which test runs on which goroutine from when to when, and how it ended.

package testing

import (
	"runtime"
	"sync/atomic"
)

// wmBinary tells whose tests the go command runs. It alone gives this flag: a test
// binary that a test starts as a helper may end in the middle of a test.
func wmBinary(importPath string) {
	if *panicOnExit0 {
		runtime.WMTestBinary(importPath)
	}
}

func wmBegin(c *common) { wmTell(c, wmTestBegins) }

func wmPause(c *common) { wmTell(c, wmTestPauses) }

func wmContinue(c *common) { wmTell(c, wmTestContinues) }

func wmPanic(c *common) { wmTell(c, wmTestPanics) }

func wmEnd(c *common) {
	switch {
	case c.Failed():
		wmTell(c, wmTestFails)
	case c.Skipped():
		wmTell(c, wmTestSkips)
	default:
		wmTell(c, wmTestPasses)
	}
}

// wmTell leaves out benchmarks, the root of all tests, which has no name, and the body
// of synctest.Test, which is part of the test that called it.
func wmTell(c *common, state uint8) {
	if c.name != "" && !c.bench && !c.isSynctest {
		runtime.WMTest(state, c.name, "")
	}
}

// wmLogs counts the logs that have been told, up to wmMaxLogs: readers hold them in
// memory, and a program may log without end.
var wmLogs atomic.Int32

const wmMaxLogs = 10_000

func wmLog(c *common, text string) {
	if c.name != "" && !c.bench && wmLogs.Load() < wmMaxLogs {
		wmLogs.Add(1)
		runtime.WMTest(wmTestLogs, c.name, text)
	}
}

// wmErr is called by common.Fail, which has marked the parents before, by calling
// itself: they are left out.
func wmErr(c *common) {
	if c.name == "" || c.bench {
		return
	}
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	if caller, _ := runtime.CallersFrames(pcs[:]).Next(); caller.Function != "testing.(*common).Fail" {
		runtime.WMTest(wmTestErrs, c.name, "")
	}
}

func wmExample(name string) { runtime.WMTest(wmTestBegins, name, "") }

// wmExampleEnd is deferred: the outcome of an example is known only then, and if the
// example panicked, it goes on panicking after that.
func wmExampleEnd(name string, ok *bool) {
	if *ok {
		runtime.WMTest(wmTestPasses, name, "")
	} else {
		runtime.WMTest(wmTestFails, name, "")
	}
}
