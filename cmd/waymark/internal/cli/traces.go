package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// tracesFormats are the values of --format of traces.
var tracesFormats = []string{"text", "json", "csv", "xml"}

// firstTraces is how many traces text shows, which fit a screen.
const firstTraces = 20

// tracesFlags are the flags of traces.
type tracesFlags struct {
	filter  filterFlags // of which some are its own
	text    textFlags
	form    string
	slowest int
	failed  bool
	waiting bool
	objects bool

	critical bool
	args     bool
	allRoots bool
}

func (a *app) tracesCommand() *cobra.Command {
	var f tracesFlags
	cmd := &cobra.Command{
		Use: "traces [flags] FILE... [KEY]", Short: "list the slowest requests of recordings, or print the calls of one", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.text.check(); err != nil {
				return err
			}
			if !slices.Contains(tracesFormats, f.form) {
				return usagef("--format=%s: want text, json, csv or xml%s", f.form, pattern.IsIt(f.form, tracesFormats, 1))
			}
			if f.slowest < 0 {
				return usagef("--top=%d: want 0, which is no limit, or more", f.slowest)
			}
			if !cmd.Flags().Changed("top") && f.form != "text" {
				f.slowest = 0
			}
			only, err := f.filter.filter()
			if err != nil {
				return err
			}
			files, key, err := splitKey(args)
			if err != nil {
				return err
			}
			switch {
			case f.critical && key == nil:
				return usagef("traces: --critical needs one trace: name it by its key, as waymark traces lists it")
			case f.args && (key == nil || f.form == "xml"):
				return usagef("traces: --args needs one trace: name it by its key, as waymark traces lists it, without --format xml")
			case f.filter.condition != "" && (key != nil || f.form == "xml"):
				return usagef("traces: --if chooses among traces that are listed: leave KEY and --format xml out")
			case f.critical && f.form != "text" && f.form != "json":
				return usagef("traces: --critical has --format text and json")
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				if f.critical {
					return a.showCritical(set, &f, only, *key)
				}
				f.waiting = a.explainWaiting(f.waiting, set) && f.waiting
				if f.objects {
					a.explainObjects("--objects", set)
				}
				if key != nil {
					return a.showTrace(set, &f, only, *key)
				}
				return a.listTraces(set, &f, only)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.form, "format", "text", "`FORMAT`: text, json, csv, or xml for tools that read actions of START and END")
	flags.IntVar(&f.slowest, "top", firstTraces, "list the `N` slowest traces; 0: all, as in formats other than text")
	flags.BoolVar(&f.allRoots, "all-roots", false, "without --root and --include list all root calls, also those that don't look like requests, such as main.main and loops")
	flags.BoolVar(&f.failed, "failed", false, "list traces whose root call returned an error or ended with a panic")
	flags.BoolVar(&f.waiting, "waiting", false, waitingUsage)
	flags.BoolVar(&f.objects, "objects", false, "list how many heap objects the calls of each trace allocated, if that was recorded")
	flags.BoolVar(&f.args, "args", false, "print calls of the trace KEY, also on its --critical path, with their recorded arguments; calls with other arguments have separate lines")
	flags.BoolVar(&f.critical, "critical", false, "print the critical path of the trace KEY: which goroutine woke which, back from its end")
	f.text.define(flags)
	f.filter.defineTraces(flags)
	f.filter.defineIf(flags, "list traces with root calls")
	return cmd
}

// defineTraces defines the filters of traces.
func (f *filterFlags) defineTraces(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.root.pattern, "root", "", "traces begin with calls of functions that match `PATTERN`; default: with calls without a recorded caller")
	set.StringArrayVar(&f.include, "include", nil, "list traces whose root calls match `PATTERN` (repeatable)")
	set.StringArrayVar(&f.exclude, "exclude", nil, "don't list traces whose root calls match `PATTERN` (repeatable)")
	durationVar(set, &f.min, "min", 0, "list traces, or parts of a --critical path, that took at least `DURATION`, as in 10ms")
	set.IntVar(&f.depth, "depth", 0, "show `N` levels of calls; 0 is no limit")
	set.StringVar(&f.time, "time", "", "read only the time `FROM..TO` since the start, as in 1.5s..2s")
	config.Mark(set, config.IsPattern, "include", "exclude", "root")
}

// splitKey takes the key of a trace off the arguments, if the last one is no file.
func splitKey(args []string) (files []string, key *traces.Key, err error) {
	last := args[len(args)-1]
	if _, err := os.Stat(last); len(args) == 1 || err == nil {
		return args, nil, nil
	}
	k, err := traces.ParseKey(last)
	if err != nil {
		return nil, nil, usagef("traces: there is no file %s, and %v", last, err)
	}
	return args[:len(args)-1], &k, nil
}

// listTraces lists the traces of recordings.
func (a *app) listTraces(set *tracefile.Set, f *tracesFlags, only recording.Filter) error {
	if err := only.Check(set); err != nil {
		return err
	}
	o := traces.Options{Root: only.Root, Show: only.Show, Min: only.Min, Failed: f.failed, Slowest: f.slowest, If: only.If}
	filter := recording.Filter{From: only.From, To: only.To, Prepare: only.Prepare}
	var n int
	var read []recording.Summary
	var err error
	if f.form == "xml" {
		if f.slowest > 0 {
			return usagef("traces: --format xml has all traces that --root, --include, --min and --failed choose: leave --top out")
		}
		n, read, err = traces.WriteXML(a.stdout, set, &filter, o, nil)
	} else {
		var list []*traces.Trace
		left := ""
		o.Requests, o.Left = !f.allRoots, func(list []*traces.Trace, n int) {
			left = fmt.Sprintf("%s left out, of loops and not of requests: %s; --all-roots lists all", units.Things(uint64(n), "trace"), rootNames(list, f.text.shortNames(set)))
		}
		o.Values, o.Brief = &value.Printer{Width: replay.DefaultWidth}, f.form == "text"
		list, n, read, err = traces.List(set, &filter, o)
		if writeErr := f.write(a, set, list); writeErr != nil {
			return writeErr
		}
		a.explainMasked(o.Values.Masked)
		if len(list) < n {
			a.note(fmt.Sprintf("%s of %s; --top 0 lists all", units.Count(uint64(len(list))), units.Things(uint64(n), "trace")))
		}
		if left != "" {
			defer a.note(left) // the last line
		}
	}
	if err == nil {
		var notes []string
		notes, err = f.filter.missed(set, uint64(n), showsRoots, nil)
		a.note(notes...)
		switch {
		case n > 0:
		case err == nil:
			a.note("the recording has no calls")
		case f.failed && f.filter.root.set == nil:
			a.note("root calls returned no error, as those of HTTP handlers do: --root PATTERN lists calls of other functions")
		}
	}
	a.note(recording.Lacks(read)...)
	return errors.Join(damage(set, err)...)
}

// rootNames returns the names of some root calls, each once. short, unless nil, shortens them.
func rootNames(list []*traces.Trace, short *names.Set) string {
	const most = 3
	var names []string
	for _, t := range list {
		if name := short.Short(t.Root.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func (f *tracesFlags) write(a *app, set *tracefile.Set, list []*traces.Trace) error {
	switch f.form {
	case "json":
		return traces.WriteListJSON(a.stdout, list)
	case "csv":
		return traces.WriteListCSV(a.stdout, list)
	}
	return traces.WriteList(a.stdout, list, f.text.shortNames(set), f.text.style(a.stdout), f.waiting, f.objects)
}

// shortNames returns what shortens functions' names, nil if they are printed in full.
func (f *textFlags) shortNames(set *tracefile.Set) *names.Set {
	if f.full() {
		return nil
	}
	short := names.NewSet()
	recording.AddNames(short, set.Processes...)
	return short
}

// showTrace prints one trace.
func (a *app) showTrace(set *tracefile.Set, f *tracesFlags, only recording.Filter, key traces.Key) error {
	filter := recording.Filter{Prepare: only.Prepare}
	if f.form == "csv" {
		return usagef("traces: --format csv lists traces; a single one has text, json and xml")
	}
	if f.form == "xml" {
		always := traces.Options{Root: only.Root}
		filter.From = max(key.Start-time.Microsecond, 0) // clocks are rounded to ns
		n, _, err := traces.WriteXML(a.stdout, set, &filter, always, &key)
		if n == 0 && err == nil {
			err = fmt.Errorf("%w: %v", traces.ErrNoTrace, key)
		}
		return errors.Join(damage(set, err)...)
	}
	values := a.valuesOf(f)
	t, read, err := traces.Find(set, &filter, only.Root, key, values)
	if t == nil {
		return errors.Join(damage(set, err)...)
	}
	var writeErr error
	if f.form == "json" {
		writeErr = traces.WriteTreeJSON(a.stdout, t, only.Depth)
	} else {
		writeErr = traces.WriteTree(a.stdout, t, f.text.shortNames(set), only.Depth, f.waiting)
	}
	if writeErr != nil {
		return writeErr
	}
	if values != nil {
		a.explainMasked(values.Masked)
	}
	a.note(recording.Lacks(read)...)
	return errors.Join(damage(set, err)...)
}

// valuesOf returns what prints arguments, nil without --args.
func (a *app) valuesOf(f *tracesFlags) *value.Printer {
	if !f.args {
		return nil
	}
	return &value.Printer{Width: valueWidth(a.stdout)}
}

// showCritical prints the critical path of a trace.
func (a *app) showCritical(set *tracefile.Set, f *tracesFlags, only recording.Filter, key traces.Key) error {
	if !a.explainWaiting(true, set) {
		return errors.New("no critical path: the recording doesn't say which goroutine woke which")
	}
	values := a.valuesOf(f)
	c, read, err := traces.FindCritical(set, &recording.Filter{Prepare: only.Prepare}, key, values)
	if c == nil {
		return errors.Join(damage(set, err)...)
	}
	var writeErr error
	if f.form == "json" {
		writeErr = traces.WriteCriticalJSON(a.stdout, c)
	} else {
		writeErr = traces.WriteCritical(a.stdout, c, f.text.shortNames(set), f.text.style(a.stdout), only.Min)
	}
	if writeErr != nil {
		return writeErr
	}
	if values != nil {
		a.explainMasked(values.Masked)
	}
	a.note(recording.Lacks(read)...)
	return errors.Join(damage(set, err)...)
}
