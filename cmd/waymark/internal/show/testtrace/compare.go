package testtrace

import (
	"cmp"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/value"
)

// A Comparison is of two runs of a test, call by call.
type Comparison struct {
	Passed, Failed *Run
	Same           uint64        // calls that both made
	Differences    []*Difference // by the time of the first one on a goroutine
	Skipped        []string      // functions that were not compared: some of their calls were only counted
	Unknown        []string      // functions of which one run lacks values that the other has
	Cut            bool          // of a run, what came later was given back
	Masked         bool          // among the values are some that were not recorded

	names   *names.Set
	unknown map[string]bool // see Unknown
}

// A Difference is what the runs first did differently on a goroutine.
type Difference struct {
	Thread string // by which test or goroutine it was started
	Calls  bool   // other calls, or another end of a call; else values only

	around []frame   // calls that were open, by depth
	after  [2][]step // what each did then; of values only the one step
	at     int64     // ns since the test began
}

// A frame is an open call, with what it called last.
type frame struct {
	step
	done []step // begin and end of each call, without what that called
}

// Steps that are shown before a difference, and of each side after it.
const (
	shownBefore = 4
	shownAfter  = 8
)

// A thread is a goroutine that both runs have, or one of them.
type thread struct {
	name    string
	queues  [2][]step
	open    []frame
	values  *Difference // the first one
	calls   *Difference
	differs bool
}

// Compare compares two runs of a test. Names of functions are shortened by short, unless it is nil.
//
// Goroutines are compared each for itself: how they took turns is no difference. What of calls was
// only counted in one of the runs is left out of both. Differences in values alone are told as well,
// for they may be why calls differ. See same for what of values is compared.
func Compare(passed, failed *Run, short *names.Set) (*Comparison, error) {
	c := &Comparison{Passed: passed, Failed: failed, names: short, unknown: make(map[string]bool)}
	runs := [2]*Run{passed, failed}
	skip := make(map[string]bool)
	for _, run := range runs {
		for _, t := range run.tests {
			for site := range run.Recording.counted(t).calls {
				f, _ := run.Recording.file.Func(site)
				skip[f.Name] = true
			}
		}
	}
	c.Skipped = slices.Sorted(maps.Keys(skip))

	threads := make(map[string]*thread)
	var waiting [2]int
	var steppers [2]*stepper
	for side, run := range runs {
		steppers[side] = newStepper(run, skip, func(name string, s *step) {
			t := threads[name]
			if t == nil {
				t = &thread{name: name}
				threads[name] = t
			}
			if !t.differs || len(t.calls.after[side]) < shownAfter {
				t.queues[side] = append(t.queues[side], *s)
				waiting[side]++
				c.match(t, &waiting)
			}
		})
	}
	// In step, so that little waits for the other side.
	for !steppers[0].over || !steppers[1].over {
		side := 0
		if steppers[0].over || !steppers[1].over && waiting[0] > waiting[1] {
			side = 1
		}
		steppers[side].next()
	}
	for _, t := range threads {
		c.end(t, &steppers)
		for _, d := range []*Difference{t.values, t.calls} {
			if d != nil {
				c.Differences = append(c.Differences, d)
			}
		}
	}
	slices.SortFunc(c.Differences, func(a, b *Difference) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Thread, b.Thread))
	})
	c.Unknown = slices.Sorted(maps.Keys(c.unknown))
	c.Cut = steppers[0].cut || steppers[1].cut
	c.Masked = steppers[0].values.Masked || steppers[1].values.Masked
	return c, cmp.Or(steppers[0].events.Err(), steppers[1].events.Err())
}

// match takes steps that both sides have.
func (c *Comparison) match(t *thread, waiting *[2]int) {
	for !t.differs && len(t.queues[0]) > 0 && len(t.queues[1]) > 0 {
		a, b := &t.queues[0][0], &t.queues[1][0]
		if !a.same(b) {
			t.differ(b.at)
			break
		}
		if t.values == nil && !c.sameValues(a, b) {
			t.values = t.difference(b.at)
			t.values.after = [2][]step{{*a}, {*b}}
		}
		t.take(b)
		if b.begins {
			c.Same++
		}
		for side := range t.queues {
			t.queues[side] = t.queues[side][1:]
			waiting[side]--
		}
	}
	if t.differs {
		t.show(waiting)
	}
}

// sameValues reports whether nothing tells the values of a step apart. It takes note of a step of which
// one side lacks the values.
func (c *Comparison) sameValues(passed, failed *step) bool {
	if (passed.data == nil) != (failed.data == nil) {
		c.unknown[passed.function] = true
	}
	if passed.data == nil || failed.data == nil || passed.values == failed.values {
		return true
	}
	a, _ := value.Decode(passed.data, c.Passed.Recording.file.Type)
	b, _ := value.Decode(failed.data, c.Failed.Recording.file.Type)
	return alike(a, b)
}

// take takes note of a step that both sides did.
func (t *thread) take(s *step) {
	if s.begins {
		t.open = append(t.open, frame{step: *s})
		return
	}
	n := len(t.open) - 1
	if n < 0 {
		return // of a call that began before the test did
	}
	begun := t.open[n].step
	if t.open = t.open[:n]; n > 0 {
		done := append(t.open[n-1].done, begun, *s)
		t.open[n-1].done = done[max(len(done)-shownBefore, 0):]
	}
}

func (t *thread) difference(at int64) *Difference {
	d := &Difference{Thread: t.name, around: slices.Clone(t.open), at: at}
	for i := range d.around {
		d.around[i].done = slices.Clone(d.around[i].done)
	}
	return d
}

// differ begins the difference in calls.
func (t *thread) differ(at int64) {
	t.calls, t.differs = t.difference(at), true
	t.calls.Calls = true
}

// show moves what waits into the difference, as far as it is shown.
func (t *thread) show(waiting *[2]int) {
	for side, queue := range t.queues {
		after := &t.calls.after[side]
		*after = append(*after, queue[:min(len(queue), shownAfter-len(*after))]...)
		waiting[side] -= len(queue)
		t.queues[side] = nil
	}
}

// end ends a thread: what only one side did is a difference, unless the other's was cut.
func (c *Comparison) end(t *thread, steppers *[2]*stepper) {
	for side, queue := range t.queues {
		other := steppers[1-side]
		if len(queue) > 0 && !t.differs && !other.cut && !other.lost[t.name] {
			t.differ(queue[0].at)
		}
	}
	if t.differs {
		t.show(new([2]int))
	}
}
