package cli

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

// buildFlags are waymark's flags of the commands that build.
type buildFlags struct {
	include, exclude []string
	all, closures    bool
	registerOnly     bool // functions get no code
	dryRun           bool
	verbose          int
	silent           bool // verbose is of something else
	untestedGo       bool
	listen           bool // programs listen for commands
	otlp             bool // programs can send traces to a collector
	values           valueFlags
	usdt             []string
	inspect          func([]build.Func) error // looks at the functions before anything is built; nil: nobody does
}

func (f *buildFlags) define(set *pflag.FlagSet) {
	set.StringArrayVar(&f.include, "include", nil, "instrument only functions that match `PATTERN` (repeatable); default: the packages of the main modules")
	set.StringArrayVar(&f.exclude, "exclude", nil, "leave out functions that match `PATTERN` (repeatable)")
	set.BoolVar(&f.all, "all", false, "instrument tiny functions, too, which the compiler would inline")
	set.BoolVar(&f.closures, "closures", false, "instrument function literals, too")
	f.values.define(set)
	set.StringArrayVar(&f.usdt, "usdt", nil, "give functions that match `PATTERN` USDT probes, for bpftrace and perf (repeatable; linux)")
	set.BoolVar(&f.dryRun, "dry-run", false, "list each function with the decision about it and the reason, and do nothing else")
	set.IntVar(&f.verbose, "verbose", 0, "print more on stderr: 1 counts, 2 packages, 3 functions, 4 files and go commands")
	set.BoolVar(&f.untestedGo, "untested-go", false, "try a Go release that this waymark isn't tested with")
	config.Mark(set, config.IsPattern, "include", "exclude", "usdt")
}

// prepare makes a build ready. It returns nil if --dry-run was asked for, and answered.
func (a *app) prepare(f *buildFlags, flags gocmd.Flags, args []string, test bool) (*build.Build, error) {
	if f.verbose < 0 || f.verbose > 4 {
		return nil, usagef("--verbose=%d: want 0 to 4", f.verbose)
	}
	values, err := f.values.options()
	if err != nil {
		return nil, err
	}
	c, err := cache.Open()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	show, done := a.progress()
	b, err := build.Prepare(&build.Options{
		Include: f.include, Exclude: f.exclude,
		All: f.all, Closures: f.closures, NoCode: f.registerOnly, Values: values, USDT: f.usdt, UntestedGo: f.untestedGo,
		Test: test, Listen: f.listen, OTLP: f.otlp, Flags: flags, Args: args, Dir: dir, Cache: c,
		Progress: show,
	})
	done()
	if err != nil {
		return nil, err
	}
	a.note(b.Notes...)
	if f.inspect != nil {
		if err := f.inspect(b.Funcs); err != nil {
			return nil, err
		}
	}
	a.describe(f, b)
	if f.dryRun {
		if err := broken(b); err != nil {
			return nil, err
		}
		return nil, printFuncs(a.stdout, b.Funcs)
	}
	return b, nil
}

// says reports whether --verbose asks for what is said from a level on.
func (f *buildFlags) says(level int) bool { return f.verbose >= level && !f.silent }

// widen turns on function literals and tiny functions, unless the user said otherwise: for commands whose
// answers are about all functions.
func (f *buildFlags) widen(set *pflag.FlagSet) {
	if !set.Changed("closures") {
		f.closures = true
	}
	if !set.Changed("all") {
		f.all = true
	}
}
