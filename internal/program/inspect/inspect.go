// Package inspect watches calls of the running program for commands. It watches calls one by one,
// who makes them, their numbers, and trees of calls, exact or sampled. Each watch is a task of
// package control, and an owner on the switchboard until it is closed.
package inspect

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Limits of what is told.
const (
	perSecond   = 1000     // calls that are told in a second
	mostQueued  = 1000     // calls that wait for the client
	mostCalls   = 500      // in one message
	mostNews    = 64 << 10 // bytes of the calls in a message but for the last: escaped, they may be six times as many
	mostText    = 1000     // bytes of the arguments of a call, and of its results
	mostStacks  = 1000     // different ones
	mostRows    = 500      // functions in one message
	mostTraces  = 20       // that wait for the client
	mostTree    = 256 << 10
	mostSampled = 768 << 10 // bytes of a sampler's tree
)

// Watch begins to watch the functions that are selected. name says for errors which they are. Calls
// are kept in k if w says so.
func Watch(s switchboard.Selection, name string, w control.Watch, k *Kept) (control.Task, error) {
	only, err := conditionOf(w)
	if err != nil {
		return nil, &control.Error{Code: control.CodeRequest, Text: err.Error()}
	}
	for _, on := range w.On {
		if !slices.Contains([]string{control.OnEnter, control.OnReturn, control.OnPanic}, on) {
			return nil, &control.Error{Code: control.CodeRequest, Text: fmt.Sprintf("unknown end of a call %q", on)}
		}
	}
	if w.Keep && w.Kind != control.KindCalls {
		return nil, &control.Error{Code: control.CodeRequest, Text: w.Kind + " can't keep calls"}
	}
	if err := checkProbes(w); err != nil {
		return nil, err
	}
	if w.Keep && w.Bare {
		return nil, &control.Error{Code: control.CodeRequest, Text: "calls without values can't be kept"}
	}
	switch w.Kind {
	case control.KindCalls:
		c := newCalls(w, k, &switchboard.Wish{Want: rt.Watched, Kind: "Watch", Select: s})
		c.meter.passed = c.pace.passed.Load
		if len(w.Probes) > 0 {
			return newFirings(c, w.Probes, s, only)
		}
		return c, c.begin("Watch", s, rt.Watched, c, only)
	case control.KindStacks:
		c := &stacks{limit: w.Limit}
		return c, c.begin("Stack", s, rt.Watched, c, only)
	case control.KindPeriods:
		c := new(periods)
		return c, c.begin("Monitor", s, rt.Watched, c, only)
	case control.KindSums:
		return newSums(s, w)
	case control.KindTraces:
		return newTraces(s, name, w)
	case control.KindSamples:
		return newSamples(w)
	}
	return nil, &control.Error{Code: control.CodeRequest, Text: fmt.Sprintf("unknown kind of watch %q", w.Kind)}
}

// conditionOf returns the condition of a watch; nil: there is none.
func conditionOf(w control.Watch) (*condition.Program, error) {
	if len(w.If) == 0 {
		return nil, nil
	}
	if slices.Contains([]string{control.KindSums, control.KindTraces, control.KindSamples}, w.Kind) {
		return nil, fmt.Errorf("%s can't have a condition", w.Kind)
	}
	return condition.Decode(w.If)
}

// Check returns an error if the condition of a watch can hold for no call of the selected
// functions. It returns a note if the condition can't hold for calls of some of them.
func Check(s switchboard.Selection, w control.Watch) (note string, err error) {
	only, err := conditionOf(w)
	if only == nil || err != nil {
		return "", err // Watch says so
	}
	list, all := switchboard.Default.Misfits(s, only)
	if len(list) == 0 {
		return "", nil
	}
	first := fmt.Sprintf("%s: %v", list[0].Function, list[0].Why)
	switch n := len(list); {
	case n < all:
		return fmt.Sprintf("the condition %s holds for no call of %d of %d functions: %s", only.Text, n, all, first), nil
	case n > 1:
		first += fmt.Sprintf(" (the first of %d functions)", n)
	}
	return "", &control.Error{Code: control.CodeRequest, Text: fmt.Sprintf("the condition %s can hold for no call: %s", only.Text, first)}
}

// A wish is what a task wants of functions, until it is closed.
type wish struct {
	owner   *switchboard.Owner
	wanted  []switchboard.Wish
	removed atomic.Pointer[string] // why a policy has taken it away
	meter   meter

	pausing sync.Mutex
	closed  bool

	noting sync.Mutex
	noted  int
	notes  []string // for the next news: functions for whose calls the condition turned out to be none
}

// begin sets the wish, and others beside it. Calls that only accepts, or all if that is nil, are told to
// o, unless that is nil.
func (w *wish) begin(kind string, s switchboard.Selection, want uint32, o switchboard.Observer, only *condition.Program, others ...switchboard.Wish) error {
	w.owner = switchboard.Default.Join(kind, switchboard.Command)
	w.owner.Removed = func(reason string) string {
		w.removed.Store(&reason)
		return "a command's " + kind + ": " + reason
	}
	wanted := switchboard.Wish{Want: want, Kind: kind, Select: s, Condition: only, Report: w.note}
	if o != nil {
		w.meter.Observer = o
		wanted.Observer = func(string) switchboard.Observer { return &w.meter }
	}
	if only != nil {
		wanted.Rejected = &w.meter.rejected
	}
	w.wanted = append(others, wanted)
	return Refused(w.owner.Set(w.wanted...))
}

// Took implements control.Costly.
func (w *wish) Took() time.Duration { return w.meter.took() }

// Pause implements control.Costly.
func (w *wish) Pause(on bool) error {
	w.pausing.Lock()
	defer w.pausing.Unlock()
	switch {
	case w.closed:
		return nil
	case on:
		return w.owner.Set()
	}
	return w.owner.Set(w.wanted...)
}

// note notes that a condition does not fit calls of a function. It is told once for each function, and
// of control.MostNotes.
func (w *wish) note(err error) {
	w.noting.Lock()
	defer w.noting.Unlock()
	if w.noted++; w.noted <= control.MostNotes {
		w.notes = append(w.notes, err.Error()+"; such calls are rejected")
	}
}

// Close takes the wish away.
func (w *wish) Close() error {
	w.pausing.Lock()
	defer w.pausing.Unlock()
	w.closed = true
	w.owner.Close()
	return nil
}

// end says in the news which functions the condition does not fit, and that a policy has taken the wish away.
func (w *wish) end(n *control.News) {
	w.noting.Lock()
	n.Notes, w.notes = append(n.Notes, w.notes...), nil
	w.noting.Unlock()
	if reason := w.removed.Load(); reason != nil {
		n.Done, n.Why = true, *reason
	}
}

// Refused makes an error for the client of a policy's.
func Refused(err error) error {
	if errors.Is(err, switchboard.ErrForbidden) {
		return &control.Error{Code: control.CodeForbidden, Text: err.Error()}
	}
	return err
}
