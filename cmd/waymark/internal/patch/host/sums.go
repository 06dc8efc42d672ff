//go:build linux && amd64

package host

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/control"
)

// mostRows is how many functions' numbers are told.
const mostRows = 500

// sums has the numbers of calls since it began, or since it was last asked.
type sums struct {
	*task
	periods bool
	rows    map[string]*row
	dropped map[*patch.Site]uint64 // calls there was no room for, until they were last looked at
	missed  uint64                 // of these since the task began
	counted map[*patch.Site]uint64 // as dropped, calls that were only counted; nil: it was never paused. The host's lock guards it, and what follows
	budget  float64                // share of the program's CPU time
	rests   *rest                  // nil: it isn't paused, or calls aren't counted meanwhile
	off     bool                   // it is paused without counting
}

// A rest is a pause in which calls are counted, as it began.
type rest struct {
	cpu     time.Duration
	counted uint64
}

// leastJudged is the CPU time after which it is known what counting takes: the kernel tells it in steps of 10 ms.
const leastJudged = 100 * time.Millisecond

// perCount is what it takes to count a call, ns: CPU time of 200 million calls, see decision 212.
const perCount = 2.6

// A row is the numbers of a function. Times are in ticks.
type row struct {
	calls, ended, returned, panics, errors, open uint64 // ended are those that have times
	before                                       uint64 // open when the period began
	total, inner, self, least, most              uint64
	around                                       map[uint64]int // calls of it in progress, by goroutine
	durations                                    histogram.Counter
}

func (s *sums) row(site *patch.Site) *row {
	name := site.Name()
	r := s.rows[name]
	if r == nil {
		r = &row{least: math.MaxUint64, around: make(map[uint64]int)}
		s.rows[name] = r
	}
	return r
}

func (s *sums) begin(c *patch.Call) {
	if !s.has(c) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.row(c.Site)
	if r.open++; s.only == nil {
		r.calls++
	}
	r.around[c.Goroutine]++
}

func (s *sums) end(c *patch.Call) {
	if !s.has(c) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.row(c.Site)
	if r.around[c.Goroutine] == 0 { // it had begun before
		return
	}
	took := c.Ended - min(c.Began, c.Ended)
	r.open--
	if c.Unsure || !s.accepts(c) { // nobody knows how long it took
		if r.around[c.Goroutine]--; r.around[c.Goroutine] == 0 {
			delete(r.around, c.Goroutine)
		}
		return
	}
	r.ended++
	panicked := c.End == patch.Panicked || c.Recovered
	if panicked {
		r.panics++
	}
	if c.Failed {
		r.errors++
	}
	if !panicked || !s.periods { // periods tell those apart that panicked
		r.returned++
	}
	if r.around[c.Goroutine]--; r.around[c.Goroutine] == 0 {
		delete(r.around, c.Goroutine)
		r.total += took
	} else {
		r.inner += took
	}
	r.self += took - min(c.Callees, took)
	r.least, r.most = min(r.least, took), max(r.most, took)
	if s.periods {
		r.durations.Add(time.Duration(took)) // in ticks
	}
}

// Next implements control.Task.
func (s *sums) Next() (n control.News) {
	s.last()
	drops := s.h.drops() // before the task's own lock: who tells of calls has both
	counted, before, err := s.count()
	if err != nil {
		n.Notes = append(n.Notes, "calls were not counted: "+err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed += s.add(drops, s.dropped)
	s.dropped, n.Skipped = drops, s.missed
	s.add(counted, before)
	tick := s.scale.tick()
	ns := func(ticks uint64) int64 { return int64(float64(ticks) * tick) }
	for name, r := range s.rows {
		if r.calls == 0 && r.ended == 0 && (r.open == 0 || s.only != nil) { // whether one in progress is meant shows when it ends
			continue
		}
		out := control.Numbers{Function: name, Calls: r.calls, Returned: r.returned, Panics: r.panics, Errors: r.errors, Open: r.open, TotalNS: ns(r.total), SelfNS: ns(r.self)}
		if r.ended > 0 {
			out.MinNS, out.MaxNS, out.AvgNS = ns(r.least), ns(r.most), ns((r.total+r.inner)/r.ended)
		}
		if s.periods {
			out.Calls = r.ended
		}
		if s.only == nil {
			s.complete(&out, r)
		}
		if s.periods && r.ended > 0 {
			out.P99NS = ns(uint64(r.durations.Histogram().Quantile(0.99)))
		}
		n.Hits += out.Calls
		n.Functions = append(n.Functions, out)
		if s.periods {
			*r = row{open: r.open, before: r.open, around: r.around, least: math.MaxUint64}
		}
	}
	if s.periods { // hits are those since the beginning
		s.hits += n.Hits
		n.Hits = s.hits
	}
	slices.SortFunc(n.Functions, func(a, b control.Numbers) int {
		return cmp.Or(cmp.Compare(b.TotalNS, a.TotalNS), strings.Compare(a.Function, b.Function))
	})
	n.Functions = n.Functions[:min(len(n.Functions), mostRows)]
	s.done(&n)
	return n
}

// complete adds to numbers the calls that have ended and have no times, as there was no room for their beginnings or ends. What
// they took is estimated from the others.
func (s *sums) complete(out *control.Numbers, r *row) {
	ended := r.calls + r.before - min(r.open, r.calls+r.before)
	if s.periods {
		out.Calls = max(ended, r.ended)
	}
	if ended <= r.ended {
		return
	}
	out.Untimed = ended - r.ended
	if r.ended == 0 {
		return
	}
	share := float64(ended) / float64(r.ended)
	out.Estimate(share)
	out.Returned = uint64(math.Round(float64(out.Returned) * share))
}

// add counts calls that have no events, and returns how many there are more than there were before.
func (s *sums) add(now, before map[*patch.Site]uint64) (n uint64) {
	for site, calls := range now {
		if more := calls - before[site]; more > 0 && s.known[site.Func] {
			s.row(site).calls += more
			n += more
		}
	}
	return n
}

// count returns the calls that were only counted, until now and until it was last asked; nothing if the task was never paused.
func (s *sums) count() (now, before map[*patch.Site]uint64, err error) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if before = s.counted; before == nil {
		return nil, nil, nil
	}
	if now, err = s.h.t.Counted(); err == nil {
		s.counted = now
		err = s.judge()
	}
	return now, before, err
}

// judge has a task that is paused no longer count calls, if that alone takes more than the budget.
func (s *sums) judge() error {
	if s.rests == nil {
		return nil
	}
	now := s.rest()
	took, used := time.Duration(float64(now.counted-s.rests.counted)*perCount), now.cpu-s.rests.cpu
	if share := control.Share(took, used, 0); used > leastJudged && share > s.budget {
		s.rests, s.off = nil, true
		s.say(fmt.Sprintf("to count the calls alone takes %.0f %% of the program's CPU time, more than the budget: from now on numbers are of calls that are seen", 100*share))
		return s.pause(true)
	}
	return nil
}

// rest returns what was counted until now.
func (s *sums) rest() *rest {
	r := &rest{cpu: s.h.CPU()}
	for site, n := range s.counted {
		if s.known[site.Func] {
			r.counted += n
		}
	}
	return r
}

// wants implements watcher: while the task is paused, that calls are counted.
func (s *sums) wants() []patch.Wanted {
	if s.rests == nil {
		return s.all
	}
	var list []patch.Wanted
	for _, w := range s.all {
		if s.h.t.Records(w.Func) { // of others it would be told for a part of the time
			list = append(list, patch.Wanted{Func: w.Func, Record: trampoline.Record{Count: true}})
		}
	}
	return list
}

// Pause implements control.Costly: calls are counted meanwhile, unless a condition says which, or that alone takes too much.
func (s *sums) Pause(on bool) (err error) {
	h := s.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case s.only != nil || s.off:
		return s.pause(on)
	case on == (s.rests != nil) || !slices.Contains(h.tasks, s.self):
		return nil
	case s.counted == nil:
		if s.counted, err = h.t.Counted(); err != nil {
			return err
		}
	}
	was := s.rests
	if s.rests = nil; on {
		s.rests = s.rest()
	}
	if _, err = h.want(); err != nil {
		s.rests = was
	} else if on {
		s.forget()
	}
	return err
}

// forget implements forgetter.
func (s *sums) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rows {
		r.open, r.before = 0, 0
		clear(r.around)
	}
}

// Close implements control.Task.
func (s *sums) Close() error { return s.h.stop(s) }
