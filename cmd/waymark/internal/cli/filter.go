package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// filterFlags leave calls out of what is read from a recording.
type filterFlags struct {
	include, exclude []string
	goroutine, time  string
	min              time.Duration
	depth            int

	set               *pflag.FlagSet
	included, without *pattern.Set
	goroutines        []*wantedGoroutine
	only              report.Filter // what they say together
}

func (f *filterFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringArrayVar(&f.include, "include", nil, "only functions that match `PATTERN` (repeatable)")
	set.StringArrayVar(&f.exclude, "exclude", nil, "without functions that match `PATTERN` (repeatable)")
	set.StringVar(&f.goroutine, "goroutine", "", "only these goroutines, by `ID` as in 1,17, or by process and id as in 4711/1")
	set.StringVar(&f.time, "time", "", "only the time `FROM..TO` since the start, as in 1.5s..2s")
	set.DurationVar(&f.min, "min", 0, "without calls shorter than this, as in 10us")
	set.IntVar(&f.depth, "depth", 0, "without calls that have `N` callers or more; 0 is no limit")
	config.Mark(set, config.IsPattern, "include", "exclude")
}

// filter reads the flags.
func (f *filterFlags) filter() (report.Filter, error) {
	out := report.Filter{Min: f.min, Depth: f.depth}
	var errs [6]error
	if f.time != "" {
		out.From, out.To, errs[0] = report.ParseWindow(f.time)
	}
	if f.goroutine != "" {
		var ids []report.GoroutineID
		ids, errs[1] = report.ParseGoroutines(f.goroutine)
		f.goroutines = nil
		for _, id := range ids {
			f.goroutines = append(f.goroutines, &wantedGoroutine{GoroutineID: id})
		}
		out.Goroutine = f.wanted
	}
	if f.min < 0 {
		errs[2] = fmt.Errorf("%v: want 0 or more", f.min)
	}
	if f.depth < 0 {
		errs[3] = fmt.Errorf("%d: want 0 or more", f.depth)
	}
	dir, err := os.Getwd()
	if err != nil {
		return out, err
	}
	f.included, errs[4] = pattern.CompileSet(f.include, dir)
	f.without, errs[5] = pattern.CompileSet(f.exclude, dir)
	for i, name := range []string{"time", "goroutine", "min", "depth", "include", "exclude"} {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("--%s: %w", name, errs[i])
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return out, usageError{err}
	}
	if !f.included.Empty() || !f.without.Empty() {
		out.Keep = func(s tracefile.Site) bool {
			name := siteName(s)
			included, _ := f.included.Match(name)
			excluded, _ := f.without.Match(name)
			return (included || f.included.Empty()) && !excluded
		}
	}
	f.only = out
	return out, nil
}

// siteName gives the name of a recorded function for patterns.
func siteName(s tracefile.Site) pattern.Func {
	name := pattern.FromRuntime(s.Package, s.Name)
	name.Dir, name.Groups = filepath.Dir(s.File), s.Groups
	return name
}

// missed says which patterns and goroutine ids are of nothing that is in the
// recordings, one in a line, with what comes near. If calls is 0, nothing was let
// through: then it is an error that says so.
func (f *filterFlags) missed(set *tracefile.Set, calls uint64) (notes []string, err error) {
	names := f.matchSites(set)
	for _, p := range f.included.Unmatched() {
		notes = append(notes, "--include "+p+noFunction(p, names))
	}
	// A file's are often those of the build, which then leaves nothing to exclude.
	if config.From(f.set.Lookup("exclude")) == "" {
		for _, p := range f.without.Unmatched() {
			notes = append(notes, "--exclude "+p+noFunction(p, names))
		}
	}
	for _, w := range f.goroutines {
		if !w.found {
			notes = append(notes, fmt.Sprintf("--goroutine %v: there is none%s", w.GoroutineID, w.near()))
		}
	}
	if calls > 0 {
		return notes, nil
	}
	var given []string
	f.set.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "include", "exclude", "goroutine", "time", "min", "depth":
			given = append(given, "--"+flag.Name)
		}
	})
	if len(given) == 0 {
		return notes, nil // there was none before
	}
	if f.min > 0 {
		longest, readErr := f.longest(set)
		if err = readErr; longest > 0 {
			notes = append(notes, fmt.Sprintf("--min %v: the longest call took %s", f.min, units.Duration(longest)))
		}
	}
	return notes, errors.Join(err, fmt.Errorf("no call is left by %s", strings.Join(given, ", ")))
}

// longest gives the duration, ns, of the longest call that the other filters let
// through. It reads the recordings once more.
func (f *filterFlags) longest(set *tracefile.Set) (ns int64, err error) {
	others := f.only
	others.Min = 0
	_, err = others.Follow(set, func(process int) (onEnter, onCall func(*calltree.Call)) {
		scale := report.ScaleOf(set.Processes[process])
		return nil, func(c *calltree.Call) { ns = max(ns, scale.Nanoseconds(c.End-c.Start)) }
	})
	return ns, err
}

// matchSites tries the patterns on all functions of the recordings, called or not,
// and gives their names.
func (f *filterFlags) matchSites(set *tracefile.Set) []string {
	if f.included.Empty() && f.without.Empty() {
		return nil
	}
	var names []string
	for _, p := range set.Processes {
		p.Sites(func(_ uint32, s tracefile.Site) bool {
			name := siteName(s)
			f.included.Match(name)
			f.without.Match(name)
			names = append(names, name.Names()...)
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// noFunction says that a pattern matches none of the names.
func noFunction(text string, names []string) string {
	return " matches no function of the recording" + isIt(text, names)
}

// isIt asks whether one of the names that come near was meant, if any does.
func isIt(text string, names []string) string {
	if near := pattern.Nearest(text, names, 3); len(near) > 0 {
		return "; is it " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// A wantedGoroutine is one of --goroutine.
type wantedGoroutine struct {
	report.GoroutineID
	found        bool
	below, above report.GoroutineID // the nearest ones that there are in the process
	process      string             // one that there is
}

// wanted tells whether a goroutine was asked for.
func (f *filterFlags) wanted(g report.GoroutineID) bool {
	ok := false
	for _, w := range f.goroutines {
		w.process = g.Process
		switch {
		case w.Process != "" && w.Process != g.Process:
		case g.ID == w.ID:
			w.found, ok = true, true
		case g.ID < w.ID && g.ID > w.below.ID:
			w.below = report.GoroutineID{Process: w.Process, ID: g.ID}
		case g.ID > w.ID && (w.above.ID == 0 || g.ID < w.above.ID):
			w.above = report.GoroutineID{Process: w.Process, ID: g.ID}
		}
	}
	return ok
}

// near names the nearest goroutines that there are, or a process if that is wrong.
func (w *wantedGoroutine) near() string {
	var near []string
	for _, g := range []report.GoroutineID{w.below, w.above} {
		if g.ID > 0 {
			near = append(near, g.String())
		}
	}
	switch {
	case len(near) > 0:
		return "; is it " + strings.Join(near, " or ") + "?"
	case w.process != "":
		return "; there is the process " + w.process
	}
	return ""
}
