package testtrace

import (
	"strings"

	"github.com/waymark-go/waymark/tracefile"
)

// An Outcome is how a test ended.
type Outcome uint8

const (
	Unended Outcome = iota // the program ended while it was running
	Waiting                // the program ended before its turn came, see T.Parallel
	Passed
	Skipped
	Failed
	Panicked
)

var outcomes = [...]string{"did not end", "did not get its turn", "passed", "skipped", "failed", "panicked"}

func (o Outcome) String() string { return outcomes[o] }

// A Test is one run of a test, an example, or a fuzz target with its seeds.
type Test struct {
	Name       string // as in package testing: TestParse/empty
	Outcome    Outcome
	Goroutine  uint64
	Begin, End uint64 // clock; End is never if it did not end

	// When it waited for its turn, clock; to is never if its turn did not come.
	waitFrom, waitTo uint64

	erred  uint64 // clock when it was marked as failed for the first time; never if it was not
	logs   []Log
	parent *Test
}

// A Log is what a test logged.
type Log struct {
	Goroutine, Clock uint64
	Text             string // with file and line
}

// never is the clock of what did not happen.
const never = 1<<64 - 1

// ticks returns how long the test ran, without waiting. end is the clock when the recording ended.
func (t *Test) ticks(end uint64) uint64 {
	end = max(min(t.End, end), t.Begin)
	from, to := min(t.waitFrom, end), min(t.waitTo, end)
	return end - t.Begin - (max(to, from) - from)
}

// tests makes tests of what happened to them, in the order in which they began.
func tests(events []tracefile.TestEvent) []*Test {
	var all []*Test
	running := make(map[string]*Test)
	for _, ev := range events {
		if ev.State == tracefile.TestBegins {
			t := &Test{Name: ev.Name, Goroutine: ev.Goroutine, Begin: ev.Clock, End: never, erred: never}
			t.parent = parentOf(ev.Name, running)
			running[ev.Name] = t
			all = append(all, t)
			continue
		}
		t := running[ev.Name]
		if t == nil {
			continue // its beginning was in a damaged block
		}
		switch ev.State {
		case tracefile.TestPauses:
			t.Outcome, t.waitFrom, t.waitTo = Waiting, ev.Clock, never
			continue
		case tracefile.TestContinues:
			t.Outcome = Unended
			t.waitTo = ev.Clock
			continue
		case tracefile.TestLogs:
			t.logs = append(t.logs, Log{ev.Goroutine, ev.Clock, ev.Text})
			continue
		case tracefile.TestErrs:
			t.erred = min(t.erred, ev.Clock)
			continue
		case tracefile.TestPasses:
			t.Outcome = Passed
		case tracefile.TestFails:
			t.Outcome = Failed
		case tracefile.TestSkips:
			t.Outcome = Skipped
		case tracefile.TestPanics:
			t.Outcome = Panicked
		default:
			continue // a state of a later version
		}
		t.End = max(ev.Clock, t.Begin)
		delete(running, ev.Name)
	}
	return all
}

// parentOf finds the running test that a subtest is of. The part of a name that
// t.Run was given may have slashes itself.
func parentOf(name string, running map[string]*Test) *Test {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		if t := running[name[:i]]; t != nil {
			return t
		}
	}
	return nil
}
