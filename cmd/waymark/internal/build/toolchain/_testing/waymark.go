// Package testing, as waymark adds to it: it tells the recorder of tests, by way of package
// runtime. It tells which test runs on which goroutine from when to when, and how the test ended.
// And the limit of -timeout does not count what tracing takes.

package testing

import (
	"fmt"
	wmtestlog "internal/testlog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// wmBinary tells whose tests the go command runs. It alone gives this flag: a test
// binary that a test starts as a helper may end in the middle of a test.
func wmBinary(importPath string) {
	if *panicOnExit0 {
		runtime.WMTestBinary(importPath)
		if dir := os.Getenv("WAYMARKTESTLOG"); dir != "" && *testlog == "" {
			wmLookedAt.start(dir)
		}
	}
}

// A wmLooks writes which files and variables tests look at, as the go command has them
// logged for its cache. Each is written at once, as a process may end at any time.
type wmLooks struct {
	mu   sync.Mutex
	file *os.File
	seen map[string]bool
}

var wmLookedAt wmLooks

// start begins a log in the folder dir, unless there is one. Its name has the process id.
func (l *wmLooks) start(dir string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return
	}
	f, err := os.Create(dir + string(os.PathSeparator) + fmt.Sprint(os.Getpid()) + ".testlog")
	if err != nil {
		return // without a log nobody believes what the tests called
	}
	l.file, l.seen = f, make(map[string]bool)
	wmtestlog.SetLogger(l)
}

func (l *wmLooks) Getenv(key string) { l.add("getenv " + key) }
func (l *wmLooks) Open(name string)  { l.add("open " + name) }
func (l *wmLooks) Stat(name string)  { l.add("stat " + name) }

// Chdir begins anew: names that come later are of another folder.
func (l *wmLooks) Chdir(dir string) {
	l.mu.Lock()
	clear(l.seen)
	l.mu.Unlock()
	l.add("chdir " + dir)
}

func (l *wmLooks) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen[line] && !strings.Contains(line, "\n") {
		l.seen[line] = true
		l.file.WriteString(line + "\n")
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

// wmTell leaves out benchmarks, and the root of all tests, which has no name. It also
// leaves out the body of synctest.Test, which is part of the test that called it.
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

// wmOutput takes a line that a test writes to T.Output. What T.Log writes there has been told by wmLog.
func wmOutput(c *common, line []byte) {
	var pcs [1]uintptr
	runtime.Callers(4, pcs[:])
	if caller, _ := runtime.CallersFrames(pcs[:]).Next(); caller.Function != "testing.(*common).log" {
		wmLog(c, strings.TrimSuffix(string(line), "\n"))
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

// The alarm of -timeout. The command gives the go command a longer limit than the user's, and the
// recorder the user's.
var (
	wmMost    time.Duration // the longer limit; 0: the user's is all there is
	wmStarted time.Time
	wmTimer   atomic.Pointer[time.Timer]
	wmStopped atomic.Bool
)

// wmLimit sets -timeout to the limit that the user knows.
func wmLimit() {
	if !*panicOnExit0 || *timeout <= 0 {
		return
	}
	if d := time.Duration(runtime.WMTestAlarm(0)); wmMost == 0 && d > 0 && d < *timeout {
		wmMost, *timeout = *timeout, d
	}
	wmStarted = time.Now()
	wmStopped.Store(false)
}

// wmPutOff reports whether the alarm has to ring later, and sets it.
func wmPutOff() bool {
	t := wmTimer.Load()
	if wmMost == 0 || t == nil || wmStopped.Load() {
		return false
	}
	elapsed := time.Since(wmStarted)
	d := min(time.Duration(runtime.WMTestAlarm(int64(elapsed))), wmMost-elapsed)
	if d <= 0 {
		return false
	}
	t.Reset(max(d, time.Millisecond))
	if wmStopped.Load() {
		t.Stop()
	}
	return true
}

// wmLate says in the message of the alarm how much later it rings.
func wmLate() string {
	if wmMost == 0 {
		return ""
	}
	late := (time.Since(wmStarted) - *timeout).Round(time.Second)
	if late <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %v that tracing took (-timeout sets another limit)", late)
}
