package recorder

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/format"
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

// A window is a part of a test's time that is kept, with both clocks.
type window struct{ from, to uint64 }

// A testRun is a test, an example or a fuzz target that runs, or has failed.
type testRun struct {
	begin, end uint64 // clocks; end is never while it runs
	erred      uint64 // clock when it was first marked as failed, or never
	paused     bool
	waited     window // for its turn
	resumed    uint64 // clock; its latest events from then on are kept
	from       uint64 // clock of the first of them
	windows    []window
	left       int64 // bytes until the last window closes; 0: it is closed
	halved     int   // how often its windows were halved

	regions []*region // that it keeps, when it has failed
	gaps    []*gap
}

// A gap is what a test lacks.
type gap struct {
	bound    uint64 // clock of the last failure before
	from, to uint64
	events   uint64
	lows     map[uint64]format.Low
	said     uint64 // of events, how many the file says
}

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

func (k *keeping) bound(clock uint64) {
	if n := len(k.bounds); n == 0 || k.bounds[n-1] < clock {
		k.bounds = append(k.bounds, clock)
	}
}

// open begins a window of so many bytes of what is written from the clock on.
func (t *testRun) open(from uint64, size int64) {
	t.windows = append(t.windows, window{from, never})
	t.left = max(size, 1)
}

// close ends the window that is open.
func (t *testRun) close(at uint64) {
	if t.left > 0 {
		t.left = 0
		t.windows[len(t.windows)-1].to = at
	}
}

// freeze keeps what is kept now of the test's latest events.
func (t *testRun) freeze(clock uint64) {
	t.close(clock)
	if !t.paused {
		t.windows = append(t.windows, window{t.from, clock})
	}
}

// origin returns the clock from which on bytes count for the window that is open.
func (t *testRun) origin() uint64 {
	if t.erred != never && t.erred > t.resumed {
		return t.erred
	}
	return t.resumed
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

// goroutines notes which goroutines are alive.
func (k *keeping) goroutines(g *region) {
	for _, s := range g.starts {
		if k.over[s.Goroutine] {
			delete(k.over, s.Goroutine)
		} else {
			k.live[s.Goroutine] = s
		}
	}
	for _, id := range g.ended {
		if _, ok := k.live[id]; ok {
			delete(k.live, id)
		} else if len(k.over) < mostOver { // beyond that, starts are kept in vain
			k.over[id] = true
		}
	}
}

// mostOver bounds a table of goroutines.
const mostOver = 1 << 16

// hold has a failed test keep a region if it wants to.
func (t *testRun) hold(g *region) bool {
	if !t.wants(g) {
		return false
	}
	t.regions = append(t.regions, g)
	g.holders++
	return true
}

// wants reports whether a region holds events of the test's windows.
func (t *testRun) wants(g *region) bool {
	for _, w := range t.windows {
		if g.from <= w.to && g.to >= w.from {
			return true
		}
	}
	return t.end == never && !t.paused && g.to >= t.from
}

// overlaps reports whether a region holds events of the test's time.
func (t *testRun) overlaps(g *region) bool {
	waiting := g.from >= t.waited.from && g.to <= t.waited.to
	return g.from <= t.end && g.to >= t.begin && !waiting
}

// choose returns the regions that nobody wants any more, and takes note of what tests lack then.
func (k *keeping) choose() (free []*region) {
	k.swept = k.written
	var wanted []window
	for _, t := range k.running {
		k.slide(t)
		wanted = append(wanted, t.windows...)
		if !t.paused {
			wanted = append(wanted, window{t.from, never})
		}
	}
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
	return free
}

// union sorts windows, and makes one of those that meet.
func union(list []window) []window {
	slices.SortFunc(list, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	out := list[:0]
	for _, w := range list {
		if n := len(out); n > 0 && w.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, w.to)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// boundAt returns the clock of the last failure until a clock, 0 if there was none.
func (k *keeping) boundAt(clock uint64) uint64 {
	i, ok := slices.BinarySearch(k.bounds, clock)
	if ok {
		return k.bounds[i]
	}
	if i == 0 {
		return 0
	}
	return k.bounds[i-1]
}

// mostLows bounds the goroutines of which is told how far they unwound.
const mostLows = 1 << 18

// lacks notes that a region of the test's time is given back.
func (t *testRun) lacks(g *region, bound uint64) {
	var to *gap
	for _, one := range t.gaps {
		if one.bound == bound {
			to = one
		}
	}
	if to == nil {
		to = &gap{bound: bound, from: g.from, lows: make(map[uint64]format.Low)}
		t.gaps = append(t.gaps, to)
	}
	to.to, to.events = max(to.to, g.to), to.events+g.events
	for _, l := range g.lows {
		if old, ok := to.lows[l.Goroutine]; ok {
			to.lows[l.Goroutine] = old.Lower(l)
		} else if len(to.lows) < mostLows {
			to.lows[l.Goroutine] = l
		}
	}
	for _, id := range g.ended {
		delete(to.lows, id)
	}
}

// starts returns the starts of goroutines in the regions that are alive. They are to be told once.
func (k *keeping) starts(free []*region) (list []format.Started) {
	for _, g := range free {
		for _, s := range g.starts {
			if _, ok := k.live[s.Goroutine]; ok {
				delete(k.live, s.Goroutine)
				list = append(list, s)
			}
		}
	}
	return list
}

// unsaid returns what the file does not say yet of what tests lack: those that run and that failed
// last, or at the end of the recording all. A gap that grows is said again only when it has doubled:
// a test that runs for hours should not make the file grow.
func (k *keeping) unsaid(all bool) (list []format.Gap) {
	last := k.boundAt(never)
	say := func(t *testRun) {
		for _, g := range t.gaps {
			grows := !all && t.end == never && g.bound == last
			if g.events == g.said || grows && g.events < 2*g.said {
				continue
			}
			g.said = g.events
			one := format.Gap{Test: t.begin, From: g.from, To: g.to, Events: g.events}
			for _, l := range g.lows {
				one.Lows = append(one.Lows, l)
			}
			slices.SortFunc(one.Lows, func(a, b format.Low) int { return cmp.Compare(a.Goroutine, b.Goroutine) })
			list = append(list, one)
		}
	}
	for _, t := range k.running {
		say(t)
	}
	for i := len(k.failed) - 1; i >= 0 && (all || i >= len(k.failed)-recentFailed); i-- {
		say(k.failed[i])
	}
	if k.given >= 2*k.said && k.given > 0 || all && k.given > k.said {
		k.said = k.given
		list = append(list, format.Gap{Events: k.given})
	}
	return list
}

// recentFailed is how many of the tests that failed last are looked at for what they lack.
const recentFailed = 1000

// shrink halves the windows of the test that keeps most, and reports whether there was one. Tests share
// the bytes of a region that several keep: those that ran side by side keep more than one that ran
// alone.
func (k *keeping) shrink() bool {
	wanted := make(map[*testRun][]*region)
	for _, g := range k.pending {
		g.wanters = 0
		for _, t := range k.running {
			if t.wants(g) {
				g.wanters++
				wanted[t] = append(wanted[t], g)
			}
		}
	}
	var most *testRun
	var regions []*region
	size := int64(0)
	consider := func(t *testRun, list []*region) {
		sum := int64(0)
		for _, g := range list {
			sum += g.share()
		}
		if sum > size && t.halved < 62 {
			most, regions, size = t, list, sum
		}
	}
	for _, t := range k.failed {
		consider(t, t.regions)
	}
	for t, list := range wanted {
		consider(t, list)
	}
	if most == nil {
		return false
	}
	for most.halved < 62 { // until it is less
		most.halved++
		k.slide(most)
		if most.cut(regions, k.head>>most.halved, k.tail>>most.halved, k.rest>>most.halved) < size {
			break
		}
	}
	if most.end == never {
		return true
	}
	most.regions = slices.DeleteFunc(most.regions, func(g *region) bool {
		if most.wants(g) {
			return false
		}
		if g.holders--; g.holders == 0 {
			k.pending = append(k.pending, g)
		}
		return true
	})
	k.kept = slices.DeleteFunc(k.kept, func(g *region) bool { return g.holders == 0 })
	return true
}

// cut makes the windows smaller, and returns how many bytes the test pays for the regions that they still
// hold.
func (t *testRun) cut(regions []*region, head, tail, rest int64) (left int64) {
	list := slices.Clone(regions)
	slices.SortFunc(list, func(a, b *region) int { return cmp.Compare(a.to, b.to) })
	t.windows, t.left = nil, 0
	forth := func(i int, size int64) {
		for ; i < len(list) && size >= list[i].share(); i++ {
			size -= list[i].share()
			t.windows = append(t.windows, window{list[i].from, list[i].to})
		}
	}
	back := func(i int, size int64) {
		for ; i >= 0 && size >= list[i].share(); i-- {
			size -= list[i].share()
			t.windows = append(t.windows, window{list[i].from, list[i].to})
		}
	}
	forth(0, head)
	if t.erred != never {
		i := slices.IndexFunc(list, func(g *region) bool { return g.to >= t.erred })
		if i < 0 {
			i = len(list)
		}
		back(i-1, tail)
		forth(i, rest)
		tail = rest
	}
	if t.end != never {
		back(len(list)-1, tail)
	}
	t.windows = union(t.windows)
	for _, g := range list {
		if t.wants(g) {
			left += g.share()
		}
	}
	return left
}
