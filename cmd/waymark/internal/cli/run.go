package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/tracefile"
)

// firstTop is how many rows run shows, which fit a screen.
const firstTop = 20

func (a *app) runCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var rep reportFlags
	var stat statsFlags
	var traced tracesRunFlags
	var set *pflag.FlagSet
	var out string
	return a.buildCmd("run [--flags] [go run flags] [-o FILE] package-or-instrumented-binary [args]",
		"run a program and print which functions took the time", "o", programLast,
		func(flags *pflag.FlagSet) {
			set = flags
			f.define(set)
			rec.define(set, defaultBudget)
			rep.define(set, firstTop)
			stat.define(set)
			traced.define(set)
			set.StringVarP(&out, "output", "o", "", "`FILE` to write the report to, or with --traces the traces, in XML, for waymark traces; default: standard error, as standard output is the program's")
			config.Mark(set, config.IsOutput, "output")
		},
		func(line *commandLine) error {
			if err := errors.Join(rec.check(), rep.check(), stat.check(), traced.check()); err != nil {
				return err
			}
			records := rec.beyond() != "" || rep.by != "function" && rep.by != "type"
			if rep.waits() {
				rec.set.Set("waiting", "true")
			}
			if rep.objects() {
				stat.set.Set("objects", "true")
			}
			if records && stat.first() != "" {
				return usagef("run: --%s is for statistics, and --%s needs a recording: use one of them", stat.first(), cmp.Or(rec.beyond(), "by"))
			}
			if waiting, _ := set.GetBool("waiting"); waiting && stat.counts() {
				return usagef("run: --waiting divides times, and --calls-only has no times: use one of them")
			} else if waiting && stat.tree() {
				return usagef("run: --tree can't show times of --waiting: use waymark record --waiting, and then waymark tree --waiting")
			}
			shared := "" // with recordings
			if set.Changed("objects") {
				shared = "objects"
			}
			if other := cmp.Or(stat.first(), shared, rec.beyond()); traced.given() && (records || other != "") {
				return usagef("run: --traces prints traces instead of a report, and --%s is for the report: use one of them", cmp.Or(other, "by"))
			}
			if err := writable(out); err != nil {
				return err
			}
			rep.fresh = true
			if traced.given() && (set.Changed("args") || set.Changed("results")) {
				a.note("--traces prints no arguments and results: waymark record --args, and then waymark traces --args FILE KEY do")
			}
			f.silent, f.otlp = stat.prints(), traced.sends()
			f.inspect = func(funcs []build.Func) error {
				if err := stat.fits(funcs); err != nil {
					return err
				}
				note, err := rep.valued(funcs)
				if note != "" {
					a.note(note)
				}
				return err
			}
			t, err := a.program("run", &f, set, line)
			if t != nil {
				defer t.clear()
			}
			if errors.Is(err, errForeign) {
				if name := ofBuilds(set, append(reportNames(), "include", "config", "verbose")...); name != "" {
					return usagef("run: --%s needs a build by waymark, and plain Go has built %s: name its package", name, line.args[0])
				}
				return a.runForeign(line, set, &rec, &rep, out)
			}
			if err != nil || t == nil {
				return err
			}
			if rec.ring() {
				rec.set.Set("dump-at-exit", "true") // the report is of the window
			}
			file := filepath.Join(t.dir, "run.wmt")
			if traced.given() {
				if t.env, err = traced.env(out); err != nil {
					return err
				}
				t.env += stat.printing()
			} else if records {
				t.env = rec.env(file) + stat.printing()
			} else {
				t.env = stat.env(t.dir, &rep) + rec.budget()
			}
			runErr := a.run(t)
			defer guard(t.dir)()
			if traced.given() { // the program has printed them
			} else {
				err = a.to(out, a.stderr, nil, func(w io.Writer) error {
					if records {
						return a.reportRun(w, t.dir, file, &rep)
					}
					return a.reportStatistics(w, t.dir, &rep, stat.tree())
				})
			}
			if err != nil && !errors.As(err, new(exitError)) {
				a.note(fmt.Sprintf("no report: %v", err))
			}
			t.clear() // the status may be a signal
			return programStatus(runErr)
		})
}

// reportNames returns the names of the flags that say how a report looks.
func reportNames() (names []string) {
	set := new(pflag.FlagSet)
	new(reportFlags).define(set, 0)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name != "waiting" {
			names = append(names, f.Name)
		}
	})
	return names
}

// reportRun prints the report after a run that recorded to file. Earlier parts, and recordings of
// processes that the program started, are in the same folder.
func (a *app) reportRun(w io.Writer, dir, file string, f *reportFlags) error {
	first, err := tracefile.Open(file)
	if err != nil {
		return err
	}
	defer first.Close()
	all, err := filepath.Glob(filepath.Join(dir, "*"+filepath.Ext(file)))
	if err != nil {
		return err
	}
	files := []string{file}
	dumps := recorder.Dumps(file) // hold what the window held then
	for _, other := range all {
		if other == file || slices.Contains(dumps, other) {
			continue
		}
		if err := joinable(first, other); err != nil {
			a.note(fmt.Sprintf("a process that the program started is left out: %v", err))
			continue
		}
		files = append(files, other)
	}
	return a.report(w, files, f, recording.Filter{}, nil)
}

// reportStatistics prints the report after a run that gathered statistics. dir has the statistics
// of the program and of processes that it started. tree is for a tree in the place of rows.
func (a *app) reportStatistics(w io.Writer, dir string, f *reportFlags, tree bool) error {
	o, format, err := f.layout(w)
	if err != nil {
		return err
	}
	o.Tree = tree
	files, err := filepath.Glob(filepath.Join(dir, "*"+statisticsExt))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("the program was killed before it wrote its numbers; waymark record keeps every call until a kill")
	}
	var all []*report.Statistics
	for _, file := range files {
		s, err := report.ReadStatistics(file)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y *report.Statistics) int { return x.From.Compare(y.From) })
	if !all[0].Timed() && o.Sort == report.SortTotal {
		o.Sort = report.SortCalls
	}
	r := report.New(o)
	for _, s := range all {
		if s.Program != all[0].Program {
			a.note(fmt.Sprintf("a process that the program started is left out: it runs another program, %s", filepath.Base(s.Program)))
			continue
		}
		r.AddStatistics(s)
	}
	if !tree {
		if o.Waiting && format == report.Text {
			defer a.note("what they waited for: waymark record --waiting, then waymark report --waiting FILE")
		}
		return r.Write(w, format)
	}
	few := format == report.Text && o.Top > 0
	if few {
		r.HideSmall(0.01)
	}
	note, err := r.WriteTree(w, format)
	if err != nil {
		return err
	}
	if note != "" {
		a.note(note)
	}
	if format == report.Text && r.Overlaps() {
		a.note("totals have the time of goroutines that a call started, too; waymark record, then waymark tree FILE, has these as rows of their own")
	}
	if few {
		a.note("paths with less than 1 % of the time are left out; --top 0 prints all")
	}
	return nil
}
