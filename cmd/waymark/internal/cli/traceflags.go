package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/transcript"
	"github.com/waymark-go/waymark/internal/pattern"
)

// traceModes are the values of --trace.
var traceModes = []string{"failed", "all"}

// traceFlags say what to record of tests, and what to print of it.
type traceFlags struct {
	on    string // "", failed or all
	out   string
	lines int
	width int // of values
	depth int
	text  textFlags
}

func (f *traceFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.on, "trace", "", "record, and print the calls of failed tests, or of all: `failed|all`")
	set.Lookup("trace").NoOptDefVal = "failed"
	set.SetAnnotation("trace", behindEquals, traceModes)
	f.text.define(set)
	set.StringVar(&f.out, "out", "", "record, and keep the recordings in the folder `DIR`")
	set.IntVar(&f.lines, "lines", 80, "with --trace, lines for each test at most; 0 is no limit")
	set.IntVar(&f.width, "width", transcript.DefaultWidth, widthUsage)
	set.IntVar(&f.depth, "depth", 0, "with --trace, without calls that have `N` callers or more; 0: as --lines allows")
}

// records reports whether the tests are recorded.
func (f *traceFlags) records() bool { return f.on != "" || f.out != "" }

// check returns an error for flags of waymark's that don't fit together, or the go command's flags.
func (f *traceFlags) check(flags gocmd.Flags) error {
	if f.on != "" && !slices.Contains(traceModes, f.on) {
		return usagef("--trace=%s: want --trace, which is --trace=failed, or --trace=all%s", f.on, pattern.IsIt(f.on, traceModes, 1))
	}
	if err := f.text.check(); err != nil {
		return err
	}
	if f.lines < 0 || f.depth < 0 {
		return usagef("--lines and --depth: want 0 or more")
	}
	if err := checkWidth(f.width); err != nil {
		return err
	}
	if !f.records() {
		return nil
	}
	given := "--trace"
	if f.on == "" {
		given = "--out"
	}
	if flags.Bool("c") {
		return usagef("%s: -c builds the test binary only: leave one of them out; WAYMARK=record,o=FILE makes the binary record when it runs", given)
	}
	if v, ok := flags.Lookup("fuzz"); ok && v != "" {
		return usagef("%s: fuzzing runs millions of inputs, too much to record: fuzz first, then trace the input that fails with -run, as in -run=%s/ID", given, v)
	}
	return nil
}

// widen turns on function literals, tiny functions and values, unless the user said otherwise.
// Whoever looks for a fault wants to see every call, and times matter less here than in other
// commands.
func (f *traceFlags) widen(b *buildFlags, set *pflag.FlagSet) {
	if !set.Changed("closures") {
		b.closures = true
	}
	if !set.Changed("all") && !set.Changed("min-size") {
		b.all = true
	}
	if !set.Changed("args") && !set.Changed("results") {
		b.values.args, b.values.results = []string{build.Everything}, []string{build.Everything}
	}
}
