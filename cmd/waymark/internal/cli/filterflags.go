package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/pattern"
)

// filterFlags choose the calls of recordings that a command reads, counts and shows.
type filterFlags struct {
	include, exclude []string
	without          []string
	goroutine, time  string
	min, shorter     time.Duration
	depth            int
	root, callers    matcher // only of commands with paths of calls
	condition        string  // only of commands that show calls

	set                *pflag.FlagSet
	included, excluded *pattern.Set
	unaccounted        *pattern.Set
	goroutines         []*wantedGoroutine
	only               recording.Filter // what they say together
}

// shows has the texts in which the commands differ.
type shows struct {
	min, depth string // what --min and --depth choose
	longest    string // what --min is compared with
	thing      string // that is shown; "" is call
}

var (
	showsRows  = shows{min: "rows with a total time of at least `DURATION`, as in 10us", depth: "functions in the first `N` levels of calls", longest: "the greatest total time is"}
	showsTree  = shows{min: "rows with a total time of at least `DURATION`, as in 10us", depth: "`N` levels of calls", longest: "the greatest total time is"}
	showsCalls = shows{min: "calls that took at least `DURATION`, as in 10us", depth: "`N` levels of calls", longest: "the longest call took"}
	showsRoots = shows{thing: "trace"}
)

func (f *filterFlags) define(set *pflag.FlagSet, what shows) {
	f.set = set
	set.StringArrayVar(&f.include, "include", nil, "show functions that match `PATTERN`; numbers don't change (repeatable)")
	set.StringArrayVar(&f.exclude, "exclude", nil, "don't show functions that match `PATTERN`; numbers don't change (repeatable)")
	durationVar(set, &f.min, "min", 0, "show "+what.min)
	set.IntVar(&f.depth, "depth", 0, "show "+what.depth+"; 0 is no limit")
	set.StringVar(&f.goroutine, "goroutine", "", "read only these goroutines, by `ID` as in 1,17, or by process and id as in 4711/1")
	set.StringVar(&f.time, "time", "", "read only the time `FROM..TO` since the start, as in 1.5s..2s")
	set.StringArrayVar(&f.without, "without", nil, "don't count functions that match `PATTERN`: their time becomes their callers' (repeatable)")
	durationVar(set, &f.shorter, "without-shorter", 0, "don't count calls shorter than `DURATION`: their time becomes their callers'")
	config.Mark(set, config.IsPattern, "include", "exclude", "without")
}

// definePaths defines the flags of commands that show who calls whom.
func (f *filterFlags) definePaths(set *pflag.FlagSet, root, callers string) {
	set.StringVar(&f.root.pattern, "root", "", root)
	set.StringVar(&f.callers.pattern, "callers", "", callers)
	config.Mark(set, config.IsPattern, "root", "callers")
}

// defineIf defines the flag of commands that show or count calls one by one.
func (f *filterFlags) defineIf(set *pflag.FlagSet, what string) {
	set.StringVar(&f.condition, "if", "", what+" for which `CONDITION` holds, as in 'args.n > 3 && error', by what was recorded")
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
	if f.depth < 0 {
		failed("depth", fmt.Errorf("%d: want 0 or more", f.depth))
	}
	compile := func(name string, patterns []string) *pattern.Set {
		set, err := pattern.CompileSet(patterns, dir)
		failed(name, err)
		return set
	}
	f.included, f.excluded = compile("include", f.include), compile("exclude", f.exclude)
	f.unaccounted = compile("without", f.without)
	failed("root", f.root.compile(dir))
	failed("callers", f.callers.compile(dir))
	if err := checkCondition(f.set, f.condition); err != nil {
		return out, err
	}
	if f.condition != "" {
		program, err := expression.Compile(f.condition, nil)
		if err != nil {
			errs = append(errs, err)
		} else {
			out.If = recorded.New(program)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return out, usageError{err}
	}
	out.Show, out.Account = between(f.included, f.excluded), between(new(pattern.Set), f.unaccounted)
	if f.root.set != nil {
		out.Root = f.root.match
	}
	if f.callers.set != nil {
		out.Callers = f.callers.match
	}
	if len(f.sets()) > 0 || out.If != nil {
		out.Prepare = f.resolve
	}
	f.only = out
	return out, nil
}
