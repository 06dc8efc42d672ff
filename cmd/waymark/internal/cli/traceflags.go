package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/wire/setting"
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
	rerun bool // run failed tests again that lack calls
	text  textFlags

	set   *pflag.FlagSet
	limit string // of go test, unless the user gave one
	more  string // settings of WAYMARK for something else
}

func (f *traceFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.on, "trace", "", "record, and print the calls of failed tests, or of all: `failed|all`")
	set.Lookup("trace").NoOptDefVal = "failed"
	set.SetAnnotation("trace", behindEquals, traceModes)
	f.text.define(set)
	set.StringVar(&f.out, "output", "", "record, and keep the recordings in the folder `DIR`")
	config.Mark(set, config.IsOutput, "output")
	set.IntVar(&f.lines, "lines", 80, "with --trace, print at most this many lines for each test; 0 is no limit")
	set.IntVar(&f.width, "width", replay.DefaultWidth, widthUsage)
	defineFlag(set, setting.Find("disk"), "1GB")
	set.BoolVar(&f.rerun, "rerun", true, "with --trace, run a failed test again by itself, with everything recorded, if its recording lacks calls or values; --rerun=false: don't")
	set.IntVar(&f.depth, "depth", 0, "with --trace, show `N` levels of calls; 0: as --lines allows")
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
	if _, err := readFlag(f.set, setting.Find("disk")); err != nil {
		return err
	}
	if f.set.Changed("disk") && !f.forgets() {
		return usagef("--disk: only --trace, without --trace=all and --output, reclaims space of passed tests: leave --disk out")
	}
	if !f.records() {
		return nil
	}
	given := "--trace"
	if f.on == "" {
		given = "--output"
	}
	if flags.Bool("c") {
		return usagef("%s: -c builds the test binary only: leave one of them out; WAYMARK=record,o=FILE makes the binary record when it runs", given)
	}
	if v, ok := flags.Lookup("fuzz"); ok && v != "" {
		return usagef("%s: fuzzing runs millions of inputs, too much to record: fuzz first, then trace the input that fails with -run, as in -run=%s/ID", given, v)
	}
	return nil
}

// reruns reports whether failed tests run again whose recordings lack something. What is lacking because
// the user bounds the recording would be lacking another time.
func (f *traceFlags) reruns(rec *recordFlags) bool {
	return f.rerun && f.on != "" && !rec.ring() && rec.config.MaxSize == 0
}

// forgets reports whether only the calls of failed tests are wanted.
func (f *traceFlags) forgets() bool { return f.on == "failed" && f.out == "" }

// Limits of go test, which counts what tracing takes.
const (
	testTimeout = "10m"  // go test's own
	mostTimeout = "100m" // as far as it is stretched
)

// stretch returns the flag with which go test waits longer, unless the user's flags say how long. The
// test binaries know the limit, and count what tracing takes.
func (f *traceFlags) stretch(flags gocmd.Flags) gocmd.Flags {
	if _, ok := flags.Lookup("timeout"); ok {
		return nil
	}
	f.limit = testTimeout
	return gocmd.Flags{"-timeout=" + mostTimeout}
}

// env returns what WAYMARK has besides the settings of recordings.
func (f *traceFlags) env(rec *recordFlags) (more string) {
	if f.forgets() && !rec.ring() && rec.config.MaxSize == 0 {
		more += ",disk=" + f.set.Lookup("disk").Value.String()
	}
	if f.limit != "" {
		more += ",timeout=" + f.limit
	}
	return more + f.more
}

// widen turns on values, unless the user said otherwise. Whoever looks for a fault wants to see every
// call, and times matter less here than in other commands.
func (f *traceFlags) widen(b *buildFlags, set *pflag.FlagSet) {
	if !set.Changed("args") && !set.Changed("results") {
		b.values.args, b.values.results = []string{build.Everything}, []string{build.Everything}
	}
}
