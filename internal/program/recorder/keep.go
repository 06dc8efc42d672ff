package recorder

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A recording of tests that is for their failures alone gives back the events of tests that passed.
// keeping decides which events stay:
//
//   - of a test that fails or does not end, its beginning, what it did before it was marked as
//     failed and shortly after, and its end. These are windows of clocks. Their size is in bytes of
//     the file, which is what reading takes time for. A short test is in its windows as a whole.
//   - of a test that is running, the same, as it may fail.
//   - nothing of any other time.
//
// A test that waits for its turn (t.Parallel) does not run. A test whose subtests run does, because
// it fails with them.
//
// Nothing here reads or writes: see giveback.go.
type keeping struct {
	head, tail, rest int64 // sizes of windows, bytes: from the beginning, to the failure or the end, and from there

	written int64  // bytes of events since the recording began
	seen    uint64 // latest clock of them
	marks   []mark // how far written was at which clock, in the order of time
	swept   int64  // written, when regions were last chosen

	running map[string]*testRun
	failed  []*testRun // in the order of their ends
	bounds  []uint64   // clocks of failures: what a test lacks before and after them is told apart
	pending []*region  // those that only running tests keep
	kept    []*region  // those that failed tests keep
	live    map[uint64]format.Started
	over    map[uint64]bool // goroutines that have ended before their start was seen
	wanted  []window        // in choose
	free    []*region       // what choose returned last
	given   uint64          // events given back
	said    uint64          // of these, how many the file says
}

// A mark says what the latest clock was when so many bytes of events had been written.
type mark struct {
	written int64
	clock   uint64
}

// never is the clock of what has not happened.
const never = 1<<64 - 1

func newKeeping(most int64) *keeping {
	return &keeping{head: most / 128, tail: most / 32, rest: most / 128,
		running: make(map[string]*testRun), live: make(map[uint64]format.Started), over: make(map[uint64]bool)}
}

// test takes note of what happens to a test.
func (k *keeping) test(state format.TestState, name string, clock uint64) {
	t := k.running[name]
	if state == format.TestBegins {
		t = &testRun{begin: clock, end: never, erred: never, resumed: clock, waited: window{never, 0}}
		t.open(clock, k.head)
		k.running[name] = t
		return
	}
	if t == nil {
		return
	}
	k.slide(t)
	switch state {
	case format.TestPauses:
		t.freeze(clock)
		t.paused, t.waited = true, window{clock, never}
	case format.TestContinues:
		t.paused, t.resumed, t.from, t.waited.to = false, clock, clock, clock
		t.open(clock, k.head>>t.halved)
		k.bound(clock)
	case format.TestErrs:
		if t.erred == never {
			t.erred = clock
			t.close(min(clock, max(k.seen, t.begin)))
			t.open(t.from, k.rest>>t.halved)
			k.bound(clock)
		}
	case format.TestPasses, format.TestSkips:
		delete(k.running, name)
	case format.TestFails, format.TestPanics:
		delete(k.running, name)
		t.end = clock
		t.freeze(clock)
		k.failed = append(k.failed, t)
		k.bound(clock)
		for _, g := range k.kept {
			t.hold(g)
		}
		k.pending = slices.DeleteFunc(k.pending, func(g *region) bool {
			if !t.hold(g) {
				return false
			}
			k.kept = append(k.kept, g)
			return true
		})
	}
}

// slide moves the beginning of what is kept of a running test's latest events.
func (k *keeping) slide(t *testRun) {
	if t.end != never || t.paused {
		return
	}
	size := k.tail
	if t.erred != never {
		size = k.rest
	}
	t.from = max(t.from, t.resumed, k.clockAt(k.written-size>>t.halved))
}

// clockAt returns the latest clock when so many bytes had been written, 0 if that was before all marks.
func (k *keeping) clockAt(written int64) uint64 {
	i, ok := slices.BinarySearchFunc(k.marks, written, func(m mark, w int64) int { return cmp.Compare(m.written, w) })
	if !ok {
		i--
	}
	if i < 0 {
		return 0
	}
	return k.marks[i].clock
}

// add takes in a region that was written.
func (k *keeping) add(g *region) {
	k.written += g.size
	k.seen = max(k.seen, g.to)
	k.marks = append(k.marks, mark{k.written, k.seen})
	if n := len(k.marks); n > 1000 && k.marks[n/2].written < k.written-k.tail-k.head {
		k.marks = append(k.marks[:0], k.marks[n/2:]...)
	}
	for _, t := range k.running {
		if t.left > 0 && g.to >= t.origin() {
			if t.left -= g.size; t.left <= 0 {
				t.left = 1
				t.close(max(k.seen, t.origin()))
			}
		}
	}
	k.goroutines(g)
	held := false
	for _, t := range k.recent(g.from) {
		held = t.hold(g) || held
	}
	if held {
		k.kept = append(k.kept, g)
	} else {
		k.pending = append(k.pending, g)
	}
}

// recent returns the failed tests that ended at a clock or later.
func (k *keeping) recent(clock uint64) []*testRun {
	i := len(k.failed)
	for i > 0 && k.failed[i-1].end >= clock {
		i--
	}
	return k.failed[i:]
}

// choose returns the regions that nobody wants any more, and takes note of what tests lack then. The
// slice is used again for the next ones.
func (k *keeping) choose() []*region {
	k.swept = k.written
	wanted, free := k.wanted[:0], k.free[:0]
	for _, t := range k.running {
		k.slide(t)
		wanted = append(wanted, t.windows...)
		if !t.paused {
			wanted = append(wanted, window{t.from, never})
		}
	}
	k.wanted = wanted
	wanted = union(wanted)
	k.pending = slices.DeleteFunc(k.pending, func(g *region) bool {
		i, _ := slices.BinarySearchFunc(wanted, g.from, func(w window, from uint64) int { return cmp.Compare(w.to, from) })
		if i < len(wanted) && wanted[i].from <= g.to || g.size < format.GapSize {
			return false
		}
		free = append(free, g)
		k.given += g.events
		for _, t := range k.running {
			if t.overlaps(g) {
				t.lacks(g, k.boundAt(g.to))
			}
		}
		for _, t := range k.recent(g.from) {
			if t.overlaps(g) {
				t.lacks(g, k.boundAt(g.to))
			}
		}
		return true
	})
	k.free = free
	return free
}
