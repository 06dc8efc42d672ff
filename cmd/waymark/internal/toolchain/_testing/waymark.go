// Package testing, as waymark adds to it: it tells the recorder, by way of package
// runtime, which test runs on which goroutine from when to when, and how it ended.

package testing

import "runtime"

// States of a test, those of package github.com/waymark-go/waymark/format; a test
// compares the constants.
const (
	wmTestBegins = 1 + iota
	wmTestPauses
	wmTestContinues
	wmTestPasses
	wmTestFails
	wmTestSkips
	wmTestPanics
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

// wmTell leaves out the root of all tests, which has no name, and the body of
// synctest.Test, which is part of the test that called it.
func wmTell(c *common, state uint8) {
	if c.name != "" && !c.isSynctest {
		runtime.WMTest(state, c.name)
	}
}

func wmExample(name string) { runtime.WMTest(wmTestBegins, name) }

// wmExampleEnd is deferred: the outcome of an example is known only then, and if the
// example panicked, it goes on panicking after that.
func wmExampleEnd(name string, ok *bool) {
	if *ok {
		runtime.WMTest(wmTestPasses, name)
	} else {
		runtime.WMTest(wmTestFails, name)
	}
}
