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
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// filterFlags say what of recordings is read, accounted for and shown.
type filterFlags struct {
	include, exclude []string
	account, without []string
	goroutine, time  string
	min, shorter     time.Duration
	depth            int
	root, callers    matcher // only of commands with paths of calls

	set                    *pflag.FlagSet
	included, excluded     *pattern.Set
	accounted, unaccounted *pattern.Set
	goroutines             []*wantedGoroutine
	only                   recording.Filter // what they say together
}

// shows says what is shown where the commands differ.
type shows struct {
	min, depth string // what --min and --depth choose
	longest    string // what --min is compared with
}

var (
	showsRows  = shows{"rows with a total time of at least this, as in 10us", "functions that were called with fewer than `N` callers", "the greatest total time is"}
	showsTree  = shows{"rows with a total time of at least this, as in 10us", "`N` levels of calls", "the greatest total time is"}
	showsCalls = shows{"calls that took at least this, as in 10us", "calls with fewer than `N` callers", "the longest call took"}
)

func (f *filterFlags) define(set *pflag.FlagSet, what shows) {
	f.set = set
	set.StringArrayVar(&f.include, "include", nil, "show functions that match `PATTERN`; numbers stay what they are (repeatable)")
	set.StringArrayVar(&f.exclude, "exclude", nil, "don't show functions that match `PATTERN`; numbers stay what they are (repeatable)")
	set.DurationVar(&f.min, "min", 0, "show "+what.min)
	set.IntVar(&f.depth, "depth", 0, "show "+what.depth+"; 0 is no limit")
	set.StringVar(&f.goroutine, "goroutine", "", "read only these goroutines, by `ID` as in 1,17, or by process and id as in 4711/1")
	set.StringVar(&f.time, "time", "", "read only the time `FROM..TO` since the start, as in 1.5s..2s")
	set.StringArrayVar(&f.account, "account", nil, "count functions that match `PATTERN` only: the time of others is their callers' (repeatable)")
	set.StringArrayVar(&f.without, "without", nil, "don't count functions that match `PATTERN`: their time is their callers' (repeatable)")
	set.DurationVar(&f.shorter, "without-shorter", 0, "don't count calls shorter than this: their time is their callers'")
	config.Mark(set, config.IsPattern, "include", "exclude", "account", "without")
}

// definePaths defines the flags of commands that show who calls whom.
func (f *filterFlags) definePaths(set *pflag.FlagSet, root, callers string) {
	set.StringVar(&f.root.pattern, "root", "", root)
	set.StringVar(&f.callers.pattern, "callers", "", callers)
	config.Mark(set, config.IsPattern, "root", "callers")
}

// filter reads the flags.
func (f *filterFlags) filter() (recording.Filter, error) {
	out := recording.Filter{Min: f.min, Depth: f.depth, Shortest: f.shorter}
	if f.root.pattern != "" && f.callers.pattern != "" {
		return out, usagef("--root and --callers: want one of them")
	}
	dir, err := os.Getwd()
	if err != nil {
		return out, err
	}
	var errs []error
	failed := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", name, err))
		}
	}
	if f.time != "" {
		out.From, out.To, err = recording.ParseWindow(f.time)
		failed("time", err)
	}
	if f.goroutine != "" {
		ids, err := recording.ParseGoroutines(f.goroutine)
		failed("goroutine", err)
		f.goroutines = nil
		for _, id := range ids {
			f.goroutines = append(f.goroutines, &wantedGoroutine{GoroutineID: id})
		}
		out.Goroutine = f.wanted
	}
	if f.min < 0 {
		failed("min", fmt.Errorf("%v: want 0 or more", f.min))
	}
	if f.shorter < 0 {
		failed("without-shorter", fmt.Errorf("%v: want 0 or more", f.shorter))
	}
	if f.depth < 0 {
		failed("depth", fmt.Errorf("%d: want 0 or more", f.depth))
	}
	compile := func(name string, patterns []string) *pattern.Set {
		set, err := pattern.CompileSet(patterns, dir)
		failed(name, err)
		return set
	}
	f.included, f.excluded = compile("include", f.include), compile("exclude", f.exclude)
	f.accounted, f.unaccounted = compile("account", f.account), compile("without", f.without)
	failed("root", f.root.compile(dir))
	failed("callers", f.callers.compile(dir))
	if err := errors.Join(errs...); err != nil {
		return out, usageError{err}
	}
	out.Show, out.Account = between(f.included, f.excluded), between(f.accounted, f.unaccounted)
	if f.root.set != nil {
		out.Root = f.root.match
	}
	if f.callers.set != nil {
		out.Callers = f.callers.match
	}
	if len(f.sets()) > 0 {
		out.Prepare = f.resolve
	}
	f.only = out
	return out, nil
}

// sets returns the patterns of all flags, without those that have none.
func (f *filterFlags) sets() (list []*pattern.Set) {
	for _, set := range []*pattern.Set{f.included, f.excluded, f.accounted, f.unaccounted, f.root.set, f.callers.set} {
		if set != nil && !set.Empty() {
			list = append(list, set)
		}
	}
	return list
}

// resolve tells the patterns which packages are in the recordings. It returns an error if some can't
// be told apart.
func (f *filterFlags) resolve(set *tracefile.Set) error {
	var packages []pattern.Package
	seen := make(map[string]bool)
	for _, p := range set.Processes {
		p.Sites(func(_ uint32, s tracefile.Site) bool {
			if !seen[s.Package] {
				seen[s.Package] = true
				packages = append(packages, pattern.Package{Path: s.Package})
			}
			return true
		})
	}
	for _, patterns := range f.sets() {
		patterns.Resolve(packages)
	}
	f.matchSites(set)
	var errs []error
	for _, patterns := range f.sets() {
		errs = append(errs, patterns.Ambiguous()...)
	}
	if len(errs) > 0 {
		return usageError{errors.Join(errs...)}
	}
	return nil
}

// between gives a function that tells whether a recorded function matches one pattern of in, or
// there is none, and none of out; nil if there are no patterns.
func between(in, out *pattern.Set) func(tracefile.Site) bool {
	if in.Empty() && out.Empty() {
		return nil
	}
	return func(s tracefile.Site) bool {
		name := siteName(s)
		included, _ := in.Match(name)
		excluded, _ := out.Match(name)
		return (included || in.Empty()) && !excluded
	}
}

// A matcher finds functions by a pattern, and notes whether there were any.
type matcher struct {
	pattern string // "" is none
	matched bool
	set     *pattern.Set // nil without a pattern
}

func (m *matcher) compile(dir string) (err error) {
	if m.pattern != "" {
		m.set, err = pattern.CompileSet([]string{m.pattern}, dir)
	}
	return err
}

func (m *matcher) match(s tracefile.Site) bool {
	ok, _ := m.set.Match(siteName(s))
	m.matched = m.matched || ok
	return ok
}

// siteName gives the name of a recorded function for patterns.
func siteName(s tracefile.Site) pattern.Func {
	name := pattern.FromRuntime(s.Package, s.Name)
	name.Dir, name.Groups = filepath.Dir(s.File), s.Groups
	return name
}

// missed says which patterns and goroutine ids are of nothing that is in the
// recordings, one in a line, with what comes near. If calls is 0, nothing is
// shown: then it is an error that says so. longest returns what --min was compared with, ns; nil: that is not known.
func (f *filterFlags) missed(set *tracefile.Set, calls uint64, what shows, longest func() (ns int64, err error)) (notes []string, err error) {
	names := f.matchSites(set)
	for _, list := range []struct {
		name     string
		patterns *pattern.Set
	}{{"include", f.included}, {"exclude", f.excluded}, {"account", f.accounted}, {"without", f.unaccounted}} {
		// A file's are often those of the build, which then leaves nothing to exclude.
		if list.name == "exclude" && config.From(f.set.Lookup("exclude")) != "" {
			continue
		}
		for _, p := range list.patterns.Unmatched() {
			notes = append(notes, "--"+list.name+" "+p+noFunction(p, names))
		}
	}
	for _, w := range f.goroutines {
		if !w.found {
			notes = append(notes, fmt.Sprintf("--goroutine %v: there is none%s", w.GoroutineID, w.near()))
		}
	}
	for _, m := range []*matcher{&f.root, &f.callers} {
		if m.set != nil && !m.matched {
			return notes, fmt.Errorf("pattern %s matches no function that was called%s", m.pattern, isIt(m.pattern, names))
		}
	}
	if calls > 0 {
		return notes, nil
	}
	var given []string
	f.set.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "include", "exclude", "account", "without", "without-shorter", "goroutine", "time", "min", "depth", "root", "callers":
			given = append(given, "--"+flag.Name)
		}
	})
	if len(given) == 0 {
		return notes, nil // there was none before
	}
	if f.min > 0 {
		ns := int64(0)
		if longest != nil {
			ns, err = longest()
		}
		if ns > 0 {
			notes = append(notes, fmt.Sprintf("--min %v: %s %s", f.min, what.longest, units.Duration(ns)))
		}
	}
	return notes, errors.Join(err, fmt.Errorf("no call is left by %s", strings.Join(given, ", ")))
}

// longest gives the duration, ns, of the longest call that Follow tells without --min. It reads
// the recordings once more.
func (f *filterFlags) longest(set *tracefile.Set) (ns int64, err error) {
	others := f.only
	others.Min = 0
	_, err = others.Follow(set, func(p *recording.Process) (onEnter, onCall func(*calltree.Call)) {
		return func(*calltree.Call) {}, func(c *calltree.Call) { ns = max(ns, p.Scale.Nanoseconds(c.End-c.Began)) }
	})
	return ns, err
}

// matchSites tries the patterns on all functions of the recordings, called or not,
// and gives their names.
func (f *filterFlags) matchSites(set *tracefile.Set) []string {
	patterns := f.sets()
	if len(patterns) == 0 {
		return nil
	}
	var names []string
	for _, p := range set.Processes {
		p.Sites(func(_ uint32, s tracefile.Site) bool {
			name := siteName(s)
			for _, set := range patterns {
				set.Match(name)
			}
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
func isIt(text string, names []string) string { return pattern.IsIt(text, names, 3) }

// A wantedGoroutine is one of --goroutine.
type wantedGoroutine struct {
	recording.GoroutineID
	found        bool
	below, above recording.GoroutineID // the nearest ones that there are in the process
	process      string                // one that there is
}

// wanted tells whether a goroutine was asked for.
func (f *filterFlags) wanted(g recording.GoroutineID) bool {
	ok := false
	for _, w := range f.goroutines {
		w.process = g.Process
		switch {
		case w.Process != "" && w.Process != g.Process:
		case g.ID == w.ID:
			w.found, ok = true, true
		case g.ID < w.ID && g.ID > w.below.ID:
			w.below = recording.GoroutineID{Process: w.Process, ID: g.ID}
		case g.ID > w.ID && (w.above.ID == 0 || g.ID < w.above.ID):
			w.above = recording.GoroutineID{Process: w.Process, ID: g.ID}
		}
	}
	return ok
}

// near names the nearest goroutines that there are, or a process if that is wrong.
func (w *wantedGoroutine) near() string {
	var near []string
	for _, g := range []recording.GoroutineID{w.below, w.above} {
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
