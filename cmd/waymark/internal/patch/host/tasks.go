//go:build linux && amd64

package host

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/decide"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/value"
)

// A scale turns ticks into time.
type scale struct {
	clock uint64
	mono  int64
	wall  time.Time
}

func newScale() scale {
	c, m := patch.Clock()
	return scale{c, m, time.Now()}
}

// tick returns how long a tick is, ns.
func (s scale) tick() float64 {
	c, m := patch.Clock()
	if c <= s.clock {
		return 1
	}
	return float64(m-s.mono) / float64(c-s.clock)
}

// A task wants functions.
type task struct {
	h     *host
	all   []patch.Wanted
	known map[*image.Func]bool // the same; true: it was asked for, else as others call it
	scale scale
	limit uint64 // calls, stacks or traces that are told; 0: no limit

	values  *values            // nil: arguments and results aren't wanted, or can't be had
	only    *condition.Program // nil: all calls
	args    bool               // it reads arguments
	results bool
	of      map[*patch.Site]*decide.Decider

	self   watcher
	paused bool          // the host's lock guards it
	seen   atomic.Uint64 // calls and lines that were recorded for it

	notesMu sync.Mutex
	notes   []string             // that haven't been told
	noted   map[*patch.Site]bool // there was one

	mu            sync.Mutex
	hits, skipped uint64
	met           uint64 // calls, or lines that were reached, among which those are that are told
	longest       uint64 // of these, ticks
}

// meets counts a call, or a line that was reached, that may be told.
func (t *task) meets(c *patch.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.met++
	t.longest = max(t.longest, c.Ended-min(c.Began, c.Ended))
}

// news returns what is told with each of the news. It is for who has the lock.
func (t *task) news() control.News {
	return control.News{Hits: t.hits, Skipped: t.skipped, Met: t.met, LongestNS: int64(float64(t.longest) * t.scale.tick())}
}

func (t *task) base() *task           { return t }
func (t *task) wants() []patch.Wanted { return t.all }

// sees counts a call that is recorded for the task.
func (t *task) sees(c *patch.Call) {
	if t.near(c) {
		t.seen.Add(1)
	}
}

// What a recorded call takes, in readings of two clocks (docs/performance.md); with values it is the larger.
const (
	perCall   = 1.5
	perValued = 2.2
)

// Took implements control.Costly.
func (t *task) Took() time.Duration {
	per := perCall
	if t.values != nil {
		per = perValued
	}
	calls := t.seen.Load()
	for site, n := range t.h.drops() {
		if _, ok := t.known[site.Func]; ok {
			calls += n
		}
	}
	return time.Duration(float64(calls) * per * patch.Reads())
}

// A forgetter is a task that keeps calls in progress.
type forgetter interface{ forget() }

// Pause implements control.Costly: functions are patched back meanwhile.
func (t *task) Pause(on bool) error {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	return t.pause(on)
}

// pause is Pause for who has the lock.
func (t *task) pause(on bool) error {
	h := t.h
	switch {
	case on && slices.Contains(h.tasks, t.self):
		t.paused = true
		h.drop(t.self)
		if f, ok := t.self.(forgetter); ok {
			f.forget()
		}
	case !on && t.paused:
		t.paused = false
		h.tasks = append(h.tasks, t.self)
	default:
		return nil
	}
	_, err := h.want()
	return err
}

// last has the events told that a program has made before it ended.
func (t *task) last() {
	if !t.h.t.Alive() {
		t.h.mu.Lock()
		t.h.flush()
		t.h.mu.Unlock()
	}
}

// has reports whether the task was asked for calls of a function.
func (t *task) has(c *patch.Call) bool { return t.known[c.Site.Func] }

// near reports whether a function is patched for the task: other tasks may have others patched.
func (t *task) near(c *patch.Call) bool {
	_, ok := t.known[c.Site.Func]
	return ok
}

// full reports whether as much has been told as is wanted.
func (t *task) full() bool { return t.limit > 0 && t.hits >= t.limit }

// done says in the news whether there will be no more, and once why the condition can't be evaluated for some calls.
func (t *task) done(n *control.News) {
	t.notesMu.Lock()
	n.Notes, t.notes = append(n.Notes, t.notes...), nil
	t.notesMu.Unlock()
	switch {
	case t.full():
		n.Done, n.Why = true, control.WhyEnough
	case !t.h.t.Alive():
		n.Done, n.Why = true, control.WhyEnded
	}
}

// newTask makes a task. It is for who has the lock.
func (h *host) newTask(found []*image.Func, w control.Watch) (watcher, error) {
	only, err := conditionOf(w)
	switch {
	case err != nil:
		return nil, err
	case w.Keep:
		return nil, needs("keeping calls")
	case len(w.Probes) > 0:
		return nil, needs("a probe")
	}
	t := &task{h: h, known: make(map[*image.Func]bool), scale: newScale(), limit: w.Limit, only: only, of: make(map[*patch.Site]*decide.Decider), noted: make(map[*patch.Site]bool)}
	if only != nil {
		t.args, t.results = only.Reads()
	}
	var record trampoline.Record
	switch {
	case w.Kind == control.KindStacks:
		record.Callers = trampoline.MostCallers
	case w.Caller:
		record.Callers = 3 // one may be a wrapper
	case w.Kind == control.KindSums:
		record.Count = w.Count
	}
	if w.Kind == control.KindCalls && !w.Bare || t.args || t.results {
		s, err := showOf(w.Values)
		if err != nil {
			return nil, err
		}
		v, err := h.useValues(s)
		if err != nil {
			return nil, err
		}
		if v.err == nil {
			t.values = v
		} else if t.args || t.results {
			return nil, &control.Error{Code: control.CodeState, Text: "a condition on arguments or results wants what the compiler writes for debuggers, and the program has none: " + v.err.Error()}
		}
	}
	if t.values != nil {
		if err := t.fits(found); err != nil {
			return nil, &control.Error{Code: control.CodeRequest, Text: err.Error()}
		}
	}
	for _, f := range found {
		t.known[f] = true
		r := record
		if t.values != nil {
			r = t.values.Record(f, r)
		}
		t.all = append(t.all, patch.Wanted{Func: f, Record: r})
	}
	if w.Kind == control.KindTraces {
		for _, f := range h.callees() {
			if !t.known[f] {
				t.known[f] = false
				t.all = append(t.all, patch.Wanted{Func: f})
			}
		}
	}
	switch w.Kind {
	case control.KindSums, control.KindPeriods:
		if record.Count {
			return newCounts(t)
		}
		return &sums{task: t, rows: make(map[string]*row), periods: w.Kind == control.KindPeriods, budget: w.Budget, dropped: h.t.Drops()}, nil
	case control.KindCalls:
		return newCalls(t, w), nil
	case control.KindStacks:
		return &stacks{task: t, counts: make(map[string]*control.Stack)}, nil
	case control.KindTraces:
		return &traces{task: t, least: time.Duration(w.MinNS), panics: w.Panics, nodes: w.Nodes, strands: make(map[uint64]*strand)}, nil
	}
	return nil, needs(w.Kind)
}

// conditionOf returns the condition of a request, nil if it has none.
func conditionOf(w control.Watch) (*condition.Program, error) {
	if len(w.If) == 0 {
		return nil, nil
	}
	p, err := condition.Decode(w.If)
	if err != nil {
		return nil, &control.Error{Code: control.CodeRequest, Text: err.Error()}
	}
	return p, nil
}

// fits returns an error if the task's condition can hold for no call of the functions.
func (t *task) fits(found []*image.Func) (err error) {
	if t.only == nil {
		return nil
	}
	for _, f := range found {
		s := t.values.Of(f)
		if s == nil && !t.args && !t.results {
			return nil
		}
		if s == nil {
			if err == nil {
				err = fmt.Errorf("%s: its arguments and results are not known", patch.NameOf(f.Name))
			}
			continue
		}
		fn := condition.Function{Name: patch.NameOf(f.Name)}
		fn.Args, fn.Results = s.Names()
		fn.ArgTypes, fn.ResultTypes = s.Args.Types(), s.Results.Types()
		fit := t.only.Fits(&fn)
		if fit == nil {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("condition %s: %s: %w", t.only.Text, fn.Name, fit)
		}
	}
	return err
}

// accepts reports whether a call is one that the task's condition holds for: one that has ended, or one that begins if
// that decides.
func (t *task) accepts(c *patch.Call) bool {
	if t.only == nil {
		return true
	}
	d := t.of[c.Site]
	if d == nil {
		var args, results []string
		fails := false
		if t.values != nil {
			if s := t.values.OfSite(c.Site); s != nil {
				args, results = s.Names()
				fails = s.Results.Fails()
			}
		}
		d = decide.New(t.only, args, results, fails)
		t.of[c.Site] = d
	}
	took := float64(c.Ended-min(c.Began, c.Ended)) * t.scale.tick()
	facts := decide.Facts{Goroutine: c.Goroutine, Duration: int64(took), Panicked: c.End == patch.Panicked, Returned: c.End == patch.Returned}
	var args, results []value.Value
	if t.args {
		args = t.values.list(t.values.Args(c))
	}
	slots, ok := d.Enter(args, facts)
	if ok && c.Ended != 0 {
		if t.results {
			results = t.values.list(t.values.Results(c))
		}
		ok = d.Exit(results, facts, slots)
	}
	t.note(c.Site, d)
	return ok
}

// note notes why the condition can't be evaluated at a site, if that came to pass.
func (t *task) note(s *patch.Site, d *decide.Decider) {
	if d.Err == nil || t.noted[s] {
		return
	}
	t.noted[s] = true
	name := s.Name()
	if s.Line != nil {
		name = s.Line.String()
	}
	t.say(fmt.Sprintf("condition %s: %s: %v", t.only.Text, name, d.Err))
}

// say has the next news say something.
func (t *task) say(note string) {
	t.notesMu.Lock()
	defer t.notesMu.Unlock()
	t.notes = append(t.notes, note)
}

// decides reports whether it is known where a call begins that it is one of the task's.
func (t *task) decides() bool { return t.only == nil || t.only.AtEnter() }

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
		r.durations.Add(time.Duration(float64(took) * s.scale.tick()))
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
			out.P99NS = int64(r.durations.Histogram().Quantile(0.99))
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

// told tells calls one by one.
type told struct {
	*task
	enters, returns, panics, callers bool
	least                            time.Duration
	width                            int // columns of a value; 0: no limit
	second                           time.Time
	now                              int // told in this second
	list                             []control.Call
}

// Limits of what is told, as in programs that waymark has built.
const (
	perSecond  = 1000
	inMessage  = 500
	usualWidth = 72 // columns
)

func newCalls(t *task, w control.Watch) *told {
	on := func(what string, usual bool) bool { return slices.Contains(w.On, what) || usual && len(w.On) == 0 }
	width := w.Width
	switch {
	case width == 0:
		width = usualWidth
	case width < 0:
		width = 0
	}
	return &told{task: t, width: width, enters: on(control.OnEnter, false), returns: on(control.OnReturn, true), panics: on(control.OnPanic, true),
		callers: w.Caller, least: time.Duration(w.MinNS)}
}

func (k *told) begin(c *patch.Call) {
	if k.enters && k.has(c) && k.decides() && k.accepts(c) {
		k.tell(c, control.OnEnter)
	}
}

func (k *told) end(c *patch.Call) {
	if c.Unsure {
		if k.has(c) {
			k.mu.Lock()
			k.skipped++
			k.mu.Unlock()
		}
		return
	}
	end := control.OnReturn
	returned := c.End == patch.Returned
	if !returned {
		end = control.OnPanic
	}
	if !k.has(c) {
		return
	}
	k.meets(c)
	if (returned && k.returns || !returned && k.panics) && k.accepts(c) {
		k.tell(c, end)
	}
}

func (k *told) tell(c *patch.Call, end string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	tick := k.scale.tick()
	took := time.Duration(float64(c.Ended-min(c.Began, c.Ended)) * tick)
	if k.full() || end != control.OnEnter && took < k.least {
		return
	}
	if now := time.Now(); now.Sub(k.second) >= time.Second {
		k.second, k.now = now, 0
	}
	if k.now++; k.now > perSecond {
		k.skipped++
		return
	}
	k.hits++
	since := time.Duration((float64(c.Began) - float64(k.scale.clock)) * tick)
	call := control.Call{Function: c.Site.Name(), Goroutine: c.Goroutine, StartUnix: k.scale.wall.Add(since).UnixNano(), End: end, DurationNS: int64(took)}
	switch {
	case end == control.OnEnter:
		call.DurationNS = 0
	case c.End == patch.Exited:
		call.Panic = "runtime.Goexit"
	}
	if k.values != nil {
		call.Args, call.Results = k.values.args(c, k.width), k.values.results(c, k.width)
		call.TraceID, call.SpanID = k.values.Span(c)
		call.Labels, call.MoreLabels = k.values.labels(c)
	}
	if l := c.Site.Line; l != nil {
		call.File, call.Line = l.File, l.Line
		if len(c.Stack) > 0 {
			call.Stack = append(framesOf(l.Around), k.h.frames(c.Stack)...)
		}
	} else if k.callers && len(c.Stack) > 0 {
		if frames := k.h.frames(c.Stack); len(frames) > 0 {
			call.Caller = &frames[0]
		}
	}
	k.list = append(k.list, call)
}

// Next implements control.Task.
func (k *told) Next() (n control.News) {
	k.last()
	k.mu.Lock()
	defer k.mu.Unlock()
	some := min(len(k.list), inMessage)
	n = k.news()
	n.Calls = slices.Clone(k.list[:some])
	k.list = slices.Delete(k.list, 0, some)
	if n.More = len(k.list) > 0; !n.More {
		k.done(&n)
	}
	return n
}

// Close implements control.Task.
func (k *told) Close() error { return k.h.stop(k) }
