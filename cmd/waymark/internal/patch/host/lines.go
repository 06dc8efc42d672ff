//go:build linux && amd64

package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/decide"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/units"
)

// lines tells when lines are reached, with the variables that are there.
type lines struct {
	*told
	of     map[*patch.Line]bool
	before map[*patch.Site]uint64 // how often there was no room when it began
}

// A hitter is a watcher that is told of lines.
type hitter interface{ hit(*patch.Call) }

// linesOf returns the places of the lines that targets name, and what the user should know of others.
func (v *values) linesOf(targets []string) (list []*patch.Line, notes []string, err error) {
	var errs []error
	for _, target := range targets {
		file, line, ok := control.ParseLine(target)
		if !ok {
			errs = append(errs, fmt.Errorf("%s is no line: lines and functions are watched by commands of their own", target))
			continue
		}
		some, left, err := v.Lines(file, line)
		if err != nil {
			errs = append(errs, err)
		}
		if list = append(list, some...); len(left) > 0 {
			notes = append(notes, fmt.Sprintf("%d of its %d places are not seen: %v", len(left), len(left)+len(some), left[0]))
		}
	}
	if len(errs) > 0 {
		return nil, nil, &control.Error{Code: control.CodeTarget, Text: errors.Join(errs...).Error()}
	}
	return list, notes, nil
}

// watchLines begins to watch lines.
func (h *host) watchLines(targets []string, w control.Watch) (control.Task, control.Change, error) {
	var c control.Change
	if w.Kind != control.KindCalls || w.Bare {
		return nil, c, &control.Error{Code: control.CodeRequest, Text: "only watch and record take lines: top, stack, trace and monitor take functions"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := showOf(w.Values)
	if err != nil {
		return nil, c, err
	}
	v, err := h.useValues(s)
	if err != nil {
		return nil, c, err
	}
	if v.err != nil {
		return nil, c, &control.Error{Code: control.CodeState, Text: "lines want what the compiler writes for debuggers: " + v.err.Error()}
	}
	list, notes, err := v.linesOf(targets)
	if err != nil {
		return nil, c, err
	}
	notes = append(notes, v.notes...)
	if h.t.Image.Built {
		notes = append(notes, "only what looks like a secret is masked: what else the program was built to mask, or guards, isn't known here")
	}
	all, err := h.newTask(nil, w)
	if err != nil {
		return nil, c, err
	}
	t := &lines{told: all.(*told), of: make(map[*patch.Line]bool), before: h.t.LineDrops()}
	t.values = v
	fitting, err := t.fitting(list)
	if err != nil {
		return nil, c, &control.Error{Code: control.CodeRequest, Text: err.Error()}
	}
	if n := len(list) - len(fitting); n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d places are left out: variables of the condition are not there, or optimised away", n, len(list)))
	}
	list = fitting
	record := trampoline.Record{Callers: min(w.Stack, trampoline.MostCallers)}
	if w.Caller {
		record.Callers = max(record.Callers, 3) // one may be a wrapper
	}
	functions, packages := make(map[string]bool), make(map[string]bool)
	for _, l := range list {
		t.of[l] = true
		t.all = append(t.all, patch.Wanted{Func: l.Func, Line: l, Record: l.Record(record)})
		functions[l.Func.Name], packages[l.Func.Package()] = true, true
	}
	c.Functions, c.Packages = len(functions), len(packages)
	report, err := h.start(t)
	if err != nil {
		return nil, c, err
	}
	c.Note = sayLines(report, list, notes)
	return t, c, nil
}

// sayLines returns what the user should know of lines that were patched, among it notes.
func sayLines(r *patch.Report, list []*patch.Line, notes []string) string {
	text := fmt.Sprintf("patched %s of lines, stopped for %s", units.Things(uint64(r.Functions), "place"), r.Stopped.Round(10*time.Microsecond))
	if n := uint64(len(r.Deferred)); n > 0 {
		text += "; " + units.Things(n, "place") + " could not be patched just then: not seen"
	}
	return strings.Join(append([]string{text}, append(notesOf(r, list), notes...)...), "; ")
}

// notesOf returns what the user should know of single lines.
func notesOf(r *patch.Report, list []*patch.Line) (notes []string) {
	for _, l := range list {
		if l.At != l.Line {
			notes = append(notes, fmt.Sprintf("%v: the first of its code that can be patched is that of line %d", l, l.At))
		}
		if lost := l.Locals.Lost; len(lost) > 0 {
			notes = append(notes, fmt.Sprintf("%v: not there, or optimised away: %s", l, strings.Join(lost, ", ")))
		}
		if l.LoopBody() {
			notes = append(notes, fmt.Sprintf("%v: of the variables around the loop only those that its body uses are shown", l))
		}
	}
	for _, l := range r.Overlaps {
		notes = append(notes, fmt.Sprintf("%v, in %s, is not seen: its code is patched for another line, or for the function", l, patch.NameOf(l.Func.Name)))
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// fitting returns the places in which the task's condition can hold. It is an error if there are none.
func (t *lines) fitting(list []*patch.Line) (fitting []*patch.Line, err error) {
	if t.only == nil {
		return list, nil
	}
	for _, l := range list {
		f := condition.Function{Name: l.String(), Line: true, Args: l.Locals.Names(), ArgTypes: l.Locals.Types()}
		fit := t.only.Fits(&f)
		if fit == nil {
			fitting = append(fitting, l)
			continue
		}
		if err != nil {
			continue
		}
		err = fmt.Errorf("condition %s: %v: %w", t.only.Text, l, fit)
		if lost := l.Locals.Lost; len(lost) > 0 {
			err = fmt.Errorf("%w; not there, or optimised away: %s", err, strings.Join(lost, ", "))
		}
	}
	if len(fitting) > 0 {
		err = nil
	}
	return fitting, err
}

func (t *lines) begin(*patch.Call) {}

func (t *lines) end(*patch.Call) {}

func (t *lines) hit(c *patch.Call) {
	if !t.of[c.Site.Line] {
		return
	}
	if t.meets(c); t.reached(c) {
		t.tell(c, control.OnLine)
	}
}

// reached reports whether the task's condition holds for the variables.
func (t *lines) reached(c *patch.Call) bool {
	if t.only == nil {
		return true
	}
	d := t.task.of[c.Site]
	if d == nil {
		d = decide.New(t.only, c.Site.Line.Locals.Names(), nil, false)
		t.task.of[c.Site] = d
	}
	_, ok := d.Enter(t.values.list(t.values.Args(c)), decide.Facts{Goroutine: c.Goroutine})
	t.note(c.Site, d)
	return ok
}

// Next implements control.Task.
func (t *lines) Next() control.News {
	n := t.told.Next()
	for s, more := range t.h.lineDrops() {
		if t.of[s.Line] {
			n.Skipped += more - t.before[s]
		}
	}
	return n
}

// Close implements control.Task.
func (t *lines) Close() error { return t.h.stop(t) }

// lineDrops returns how often lines were reached that there was no room for.
func (h *host) lineDrops() map[*patch.Site]uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.t.LineDrops()
}
