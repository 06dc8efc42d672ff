package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// Limits of commands that watch.
const (
	mostHits    = 100
	longestTime = 10 * time.Minute
)

// liveBudget is the budget of commands that look into running programs.
var liveBudget = fmt.Sprintf("%g%%", 100*control.UsualBudget)

// newsEvery is how long the program waits for news before it says that there are none.
const newsEvery = 200 * time.Millisecond

// shortestEvery is the shortest period of top and monitor.
const shortestEvery = 100 * time.Millisecond

// grace is how much later the program ends by itself what this command is to end.
const grace = 10 * time.Second

// limitFlags bound what a command watches.
type limitFlags struct {
	set    *pflag.FlagSet
	hits   uint64
	time   time.Duration
	only   string
	budget string
}

// defineIf defines --if.
func (f *limitFlags) defineIf(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.only, "if", "", "only calls for which `CONDITION` holds, as in 'args.n > 10 && duration > 1ms' or 'error || panic != nil'")
}

// condition returns the encoded condition, nil if there is none. targets are what it is of: calls, or lines.
func (f *limitFlags) condition(targets []string) ([]byte, error) {
	if err := checkCondition(f.set, f.only); err != nil {
		return nil, err
	}
	b, err := expression.Encode(f.only, targets)
	if err != nil {
		return nil, usageError{err}
	}
	return b, nil
}

// checkCondition returns an error if --if was given without a condition: as a script does that has lost it.
func checkCondition(set *pflag.FlagSet, text string) error {
	if !set.Changed("if") || strings.TrimSpace(text) != "" {
		return nil
	}
	return usagef("--if: the condition is empty: write one such as args.n > 10, or leave --if out")
}

func (f *limitFlags) define(set *pflag.FlagSet, what string) {
	f.set = set
	if what != "" {
		set.Uint64VarP(&f.hits, "limit", "n", mostHits, "`NUMBER` of "+what+", then the command ends; 0: no limit")
	}
	durationVar(set, &f.time, "for", longestTime, "end after `DURATION`; 0: no limit")
	set.StringVar(&f.budget, "budget", liveBudget, "see calls for a part of the time only if they take more than `SHARE` of the program's CPU time; none: see all")
}

// watch returns the request to watch what targets name.
func (f *limitFlags) watch(targets []string, w control.Watch) (control.Request, error) {
	r := control.Request{Do: control.DoWatch, Targets: targets, Watch: &w}
	v, err := setting.Find("budget").Parse("budget", f.budget)
	switch {
	case err != nil || v.Strict:
		return r, usagef("--budget=%s: want a share of the program's CPU time, as in 5%%, or none", f.budget)
	case v.Text != "" && v.Share == 0:
		return r, usagef("--budget=%s: nothing could be seen: want more, or none, which is no limit", f.budget)
	}
	w.Budget = v.Share
	return r, nil
}

// percent returns a share as text.
func percent(share float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + " %"
}

// cut says that a task was cut back, on stderr and in JSON.
func (a *app) cut(form string, c *control.Cut, note string) error {
	if note != "" {
		a.note(note)
	}
	if form != "json" {
		return nil
	}
	return a.object(struct {
		Cut  *control.Cut `json:"cut"`
		Note string       `json:"note,omitempty"`
	}{c, note})
}

// errEnough ends what follow tells.
var errEnough = errors.New("enough")

// follow begins to watch or to record, and tells what the program has to say. It ends when the
// program is done, the time is over, the user interrupts, or tell returns errEnough. form is that of what is told.
func (a *app) follow(c *live.Conn, form string, r control.Request, limit, every time.Duration, tell func(*control.News) error) (*control.Change, error) {
	if limit > 0 {
		r.ForNS = int64(limit + grace)
	}
	answer, err := c.Ask(r)
	if err != nil {
		return nil, err
	}
	change := answer.Change
	what, functions, tooFast := "call", true, " not shown: they came too fast"
	if w := r.Watch; w != nil && (w.Kind == control.KindSums || w.Kind == control.KindPeriods) {
		tooFast = " came too fast to be timed: what is marked ≈ is estimated from the others"
	}
	if w := r.Watch; w != nil && len(w.Probes) > 0 {
		what, functions = "firing", len(r.Targets) > 0
	} else if w != nil && w.Kind == control.KindSamples {
		functions = false
	}
	if functions && !c.Patched { // the note says what was patched
		a.affected(change)
	}
	if change.Note != "" {
		a.note(change.Note)
	}
	ctx, stop := interrupted(limit)
	defer stop()
	var last *control.News
	cut := false
	misfits := 0 // notes, which with a condition tell of functions that it does not fit
	for last == nil || !last.Done {
		next := control.Request{Do: control.DoNext, WaitNS: int64(min(every, newsEvery))}
		if every > newsEvery { // numbers of a period
			next.WaitNS = 0
			pause(ctx, every)
		}
		if ctx.Err() != nil {
			next.Do = control.DoStop
		}
		answer, err := c.Ask(next)
		if err != nil {
			if last != nil && last.Skipped > 0 {
				a.note(units.Things(last.Skipped, what) + " or more" + tooFast)
			}
			return change, err
		}
		last = answer.News
		if n := last.Cut; n != nil && !cut {
			cut = true
			how := "from now on they are seen for a part of the time"
			if n.Counted > 0 {
				how = "those of " + units.Things(uint64(n.Counted), "function") + " are only counted"
			}
			if err := a.cut(form, n, fmt.Sprintf("cut back: the calls take %s of the program's CPU time, more than the budget of %s: %s; --budget none sees all", percent(n.Took), percent(r.Watch.Budget), how)); err != nil {
				return change, err
			}
		}
		for _, note := range last.Notes {
			misfits++
			a.note(note)
		}
		err = tell(last)
		if err == errEnough && !last.Done {
			if answer, err = c.Ask(control.Request{Do: control.DoStop}); err != nil {
				return change, err
			}
			last = answer.News
			break
		}
		if err != nil && err != errEnough {
			return change, err
		}
	}
	if last.Skipped > 0 {
		a.note(units.Things(last.Skipped, what) + tooFast)
	}
	if last.Cut != nil && last.Cut.Counted == 0 {
		if err := a.cut(form, last.Cut, fmt.Sprintf("they were seen for %s of the time", percent(last.Cut.On))); err != nil {
			return change, err
		}
	}
	if misfits > 0 && r.Watch != nil && len(r.Watch.If) > 0 && misfits >= min(change.Functions, control.MostNotes) && last.Hits == 0 {
		return change, errors.New("no call was shown: the condition did not fit the calls")
	}
	if w := r.Watch; w != nil && len(w.Probes) == 0 && slices.Contains(calls, w.Kind) && last.Hits == 0 {
		a.note("nothing was shown: " + none(c, r.Targets, last))
	}
	if last.Why == control.WhyEnded {
		return change, live.ErrEnded
	}
	if last.Why != "" && ctx.Err() == nil && last.Why != control.WhyEnough {
		a.note("ended: " + last.Why)
	}
	return change, nil
}

// calls are the kinds of watches that show calls one by one, or count those that they show.
var calls = []string{control.KindCalls, control.KindStacks, control.KindTraces}

// none says why no call of targets was shown, as far as that is known.
func none(c *live.Conn, targets []string, last *control.News) string {
	lines := slices.ContainsFunc(targets, control.IsLine)
	switch {
	case !c.Patched:
		return "there was no call that fits"
	case lines && last.Met == 0:
		return strings.Join(targets, ", ") + " was not reached"
	case lines:
		return fmt.Sprintf("the condition held at none of %s", units.Things(last.Met, "time"))
	case last.Met == 0:
		return "there was no call; those that had begun before are not seen"
	}
	text := "none of " + units.Things(last.Met, "call") + " fits"
	if last.LongestNS > 0 {
		text += "; the longest took " + units.Duration(last.LongestNS)
	}
	return text
}

// pause waits for some time, or until the context is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func checkEvery(d time.Duration) error {
	if d < shortestEvery {
		return usagef("--every=%v: want %v or more", d, shortestEvery)
	}
	return nil
}

// objects prints a line of JSON for each function.
func (a *app) objects(list []control.Numbers) error {
	for i := range list {
		if err := a.object(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
