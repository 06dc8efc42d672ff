package inspect

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// sums has the numbers of calls since it began.
type sums struct {
	wish
	selected switchboard.Selection
	clock    uint64 // when it began, in ticks and in ns
	mono     int64
	before   []sum   // by site
	waits    bool    // how long goroutines waited is added up, and told
	count    bool    // calls are only counted
	perCall  float64 // what it takes to time a call, ns

	free    []bool          // by site: calls are timed anyway, as the program wanted when the task began
	looked  []uint64        // by site: what timed returned when Trim was last called, or the task began
	counted map[string]bool // names of functions, by Trim
}

// A sum is that of a site, with calls in progress.
type sum struct {
	rt.Sum
	open, least, most uint64 // calls in progress, the shortest and the longest of these
}

func newSums(s switchboard.Selection, w control.Watch) (control.Task, error) {
	t := &sums{selected: s, waits: w.Waits && !w.Count, count: w.Count}
	want := uint32(rt.Timed)
	if w.Count {
		want = rt.Counted
	}
	if t.waits {
		rt.WaitTimes(true)
	}
	t.clock, t.mono = rt.Clock()
	t.perCall = budget.Calibrate(rt.Floor, func() int64 { _, mono := rt.Clock(); return mono }).Call
	t.before, _ = read()
	t.free = switchboard.Default.Timed()
	t.looked = t.timed()
	err := t.begin("Stats", s, want, nil, nil)
	if err != nil {
		t.Close()
	}
	return t, err
}

// Close implements control.Task.
func (t *sums) Close() error {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if !t.closed {
		t.closed = true
		t.owner.Close()
		if t.waits {
			rt.WaitTimes(false)
		}
	}
	return nil
}

// Took implements control.Costly, with calls that other commands have timed.
func (t *sums) Took() time.Duration {
	if t.count {
		return 0
	}
	calls := uint64(0)
	for _, n := range t.timed() {
		calls += n
	}
	return time.Duration(float64(calls) * t.perCall)
}

// leastTrimmed is the least share of calls that Trim leaves.
const leastTrimmed = 0.1

// timed returns how many calls of each site were timed for commands.
func (t *sums) timed() []uint64 {
	list := make([]uint64, rt.Sites())
	rt.Counts(make([]uint64, len(list)), list)
	for site := range list[:min(len(list), len(t.free))] {
		if t.free[site] {
			list[site] = 0
		}
	}
	return list
}

// Trim implements control.Trimmer: the functions with the most calls are only counted from now on.
func (t *sums) Trim(share float64) (functions int, err error) {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	now, whole := t.timed(), 0.0
	calls := func(site int) float64 {
		if site < len(t.looked) {
			return float64(now[site] - t.looked[site])
		}
		return float64(now[site])
	}
	type timed struct {
		name  string
		calls float64
	}
	var list []timed
	for _, table := range switchboard.Default.Tables() {
		for i, f := range table.Funcs() {
			if site := int(table.Base) + i; site < len(now) && calls(site) > 0 && t.selected.Contains(f) {
				list = append(list, timed{f.Name, calls(site)})
				whole += calls(site)
			}
		}
	}
	slices.SortFunc(list, func(a, b timed) int { return cmp.Compare(b.calls, a.calls) })
	counted := make(map[string]bool)
	for name := range t.counted {
		counted[name] = true
	}
	// Callers of calls that aren't timed take less time. So they are timed a little longer before they may follow.
	left, most := whole, max(share, leastTrimmed)*whole
	for _, one := range list {
		if left <= most {
			break
		}
		left -= one.calls
		counted[one.name] = true
	}
	if t.closed {
		return len(counted), nil
	}
	few, many := t.wanted[0], t.wanted[0]
	many.Want = rt.Counted
	selected := t.wanted[0].Select
	few.Select = switchboard.Selection{Has: func(f *function.Func) bool { return selected.Contains(f) && !counted[f.Name] }}
	many.Select = switchboard.Selection{Has: func(f *function.Func) bool { return selected.Contains(f) && counted[f.Name] }}
	if err := t.owner.Set(few, many); err != nil {
		return 0, err
	}
	t.looked, t.counted = now, counted
	return len(counted), nil
}

// Pause implements control.Costly: calls are counted meanwhile.
func (t *sums) Pause(on bool) error {
	t.pausing.Lock()
	defer t.pausing.Unlock()
	if t.closed {
		return nil
	}
	wish := t.wanted[0]
	if on {
		wish.Want = rt.Counted
	}
	return t.owner.Set(wish)
}

// read returns the sums of all sites at an instant of the clock.
func read() (list []sum, clock uint64) {
	open := make([]rt.Open, rt.Sites())
	clock = rt.OpenCalls(open, nil)
	list = make([]sum, len(open))
	for site := range open {
		o, x := &open[site], &list[site]
		if x.Sum = o.Ended; o.Least == 0 { // no call is in progress
			x.Sum = rt.SumOf(uint32(site))
		}
		x.open, x.least, x.most = x.Calls-x.Ended, ^o.Least, o.Most
		x.Total, x.Inner, x.Self, x.Panics = x.Total+o.Total, x.Inner+o.Inner, x.Self+o.Self, x.Panics+o.Panics
		x.Runnable, x.Waiting = x.Runnable+o.Runnable, x.Waiting+o.Waiting
	}
	return list, clock
}

// Next implements control.Task.
func (t *sums) Next() control.News {
	var news control.News
	list, clock := read()
	_, mono := rt.Clock()
	tick := 1.0
	if clock > t.clock {
		tick = float64(mono-t.mono) / float64(clock-t.clock)
	}
	ns := func(ticks uint64) int64 { return int64(float64(max(int64(ticks), 0)) * tick) }
	for _, table := range switchboard.Default.Tables() {
		for i, f := range table.Funcs() {
			site := int(table.Base) + i
			if f.Marker || site >= len(list) || !t.selected.Contains(f) {
				continue
			}
			now, before := list[site], sum{}
			if site < len(t.before) {
				before = t.before[site]
			}
			calls := now.Calls - before.Calls
			if calls == 0 && now.open == 0 {
				continue
			}
			n := control.Numbers{
				Function: f.Name, Calls: calls, Returned: now.Ended - before.Ended, Panics: now.Panics - before.Panics,
				Errors: now.Errors - before.Errors, Open: now.open, Gaps: now.Gaps, TotalNS: ns(now.Total - before.Total), SelfNS: ns(now.Self - before.Self),
			}
			if least, most := min(now.Least, now.least), max(now.Most, now.most); least <= most {
				n.MinNS, n.MaxNS = ns(least), ns(most)
			}
			of := calls + before.open
			if !t.count {
				n.Untimed = min(now.Untimed-before.Untimed, of)
			}
			if timed := of - n.Untimed; timed > 0 {
				n.AvgNS = ns(now.Total+now.Inner-before.Total-before.Inner) / int64(timed)
				n.Estimate(float64(of) / float64(timed))
			}
			if t.waits {
				waiting := min(ns(now.Waiting-before.Waiting), n.TotalNS)
				ready := min(ns(now.Runnable-before.Runnable), n.TotalNS-waiting)
				n.Parts = &control.Parts{RunningNS: n.TotalNS - waiting - ready, RunnableNS: ready, WaitingNS: waiting}
			}
			news.Hits += calls
			news.Functions = append(news.Functions, n)
		}
	}
	slices.SortFunc(news.Functions, func(a, b control.Numbers) int {
		if n := cmp.Compare(b.TotalNS, a.TotalNS); n != 0 {
			return n
		}
		return cmp.Compare(b.Calls, a.Calls)
	})
	news.Functions = news.Functions[:min(len(news.Functions), mostRows)]
	t.end(&news)
	return news
}
