//go:build linux && amd64

package host

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/decide"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
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
	drops, waiting := t.h.behind()
	calls := t.seen.Load() + waiting
	for site, n := range drops {
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
	took := float64(c.Ended-min(c.Began, c.Ended)) * t.h.tick
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
