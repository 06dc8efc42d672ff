package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/pattern"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/tracefile"
)

// reportFlags say how a report looks.
type reportFlags struct {
	by, sort, format string
	top              int
}

func (f *reportFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.by, "by", "function", "a row for each function, package or goroutine")
	set.StringVar(&f.sort, "sort", "total", "total, self, calls, avg, max or panics")
	set.StringVar(&f.format, "format", "text", "text, json or csv")
	set.IntVar(&f.top, "top", 0, "print the first `N` rows only; 0 is all")
}

func (f *reportFlags) check() error {
	_, err := f.options()
	_, formatErr := report.ParseFormat(f.format)
	if err := errors.Join(err, formatErr); err != nil {
		return usageError{err}
	}
	return nil
}

func (f *reportFlags) options() (o report.Options, err error) {
	if o.By, err = report.ParseBy(f.by); err != nil {
		return o, err
	}
	if o.Sort, err = report.ParseSort(f.sort); err != nil {
		return o, err
	}
	if o.Top = f.top; o.Top < 0 {
		return o, fmt.Errorf("--top=%d: want 0 or more", o.Top)
	}
	return o, nil
}

// filterFlags leave calls out of what is read from a recording.
type filterFlags struct {
	include, exclude []string
	goroutine, time  string
	min              time.Duration
	depth            int
}

func (f *filterFlags) define(set *pflag.FlagSet) {
	set.StringArrayVar(&f.include, "include", nil, "only functions that match `PATTERN` (repeatable)")
	set.StringArrayVar(&f.exclude, "exclude", nil, "without functions that match `PATTERN` (repeatable)")
	set.StringVar(&f.goroutine, "goroutine", "", "only these goroutines, by `ID` as in 1,17")
	set.StringVar(&f.time, "time", "", "only the time `FROM..TO` since the start, as in 1.5s..2s")
	set.DurationVar(&f.min, "min", 0, "without calls shorter than this, as in 10us")
	set.IntVar(&f.depth, "depth", 0, "without calls that have `N` callers or more; 0 is no limit")
}

func (f *filterFlags) filter() (report.Filter, error) {
	out := report.Filter{Min: f.min, Depth: f.depth}
	var errs [4]error
	if f.time != "" {
		out.From, out.To, errs[0] = report.ParseWindow(f.time)
	}
	if f.goroutine != "" {
		out.Goroutines, errs[1] = report.ParseGoroutines(f.goroutine)
	}
	if f.min < 0 || f.depth < 0 {
		errs[2] = errors.New("--min and --depth: want 0 or more")
	}
	if len(f.include)+len(f.exclude) > 0 {
		out.Keep, errs[3] = f.keep()
	}
	if err := errors.Join(errs[:]...); err != nil {
		return out, usageError{err}
	}
	return out, nil
}

// keep makes a predicate of the patterns.
func (f *filterFlags) keep() (func(tracefile.Site) bool, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	include, err := pattern.CompileSet(f.include, dir)
	if err != nil {
		return nil, err
	}
	exclude, err := pattern.CompileSet(f.exclude, dir)
	if err != nil {
		return nil, err
	}
	return func(s tracefile.Site) bool {
		name := pattern.FromRuntime(s.Package, s.Name)
		included, _ := include.Match(name)
		excluded, _ := exclude.Match(name)
		return (included || include.Empty()) && !excluded
	}, nil
}

func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "report [flags] FILE...", Short: "print calls and times of recordings", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := f.check(); err != nil {
				return err
			}
			only, err := filter.filter()
			if err != nil {
				return err
			}
			return a.report(a.stdout, files, &f, only)
		},
	}
	f.define(cmd.Flags())
	filter.define(cmd.Flags())
	return cmd
}

// reportRun prints the report after a run.
func (a *app) reportRun(file string, f *reportFlags) error {
	return a.report(a.stderr, recordings(file), f, report.Filter{})
}

// report prints one report of all files. What could be read of a damaged file is
// in it; then the status is that of a failure.
func (a *app) report(w io.Writer, files []string, f *reportFlags, filter report.Filter) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	format, err := report.ParseFormat(f.format)
	if err != nil {
		return err
	}
	o.Filter = filter
	o.Colour = colour(w)
	r, err := a.read(files, o)
	if len(r.Recordings) > 0 {
		if err := r.Write(w, format); err != nil {
			return err
		}
	}
	return err
}

// read adds up files. The report is of what could be read, the error of what could not.
func (a *app) read(files []string, o report.Options) (*report.Report, error) {
	show, done := a.progress()
	defer done()
	o.Progress = func(read, all uint64) {
		show(fmt.Sprintf("reading, %d %% of %d million events", 100*read/max(all, 1), all/1e6))
	}
	r := report.New(o)
	var errs []error
	for _, name := range files {
		if err := addFile(r, name); err != nil {
			errs = append(errs, err)
		}
	}
	return r, errors.Join(append(errs, r.Damage())...)
}

func addFile(r *report.Report, name string) error {
	f, err := tracefile.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.Add(f, name)
}

func (a *app) infoCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "info [flags] FILE", Short: "print facts about a recording", Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, files []string) error {
			f, err := report.ParseFormat(strings.ToLower(format))
			if err != nil {
				return usageError{err}
			}
			file, err := tracefile.Open(files[0])
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Verify()
			if err := report.WriteInfo(a.stdout, info, files[0], f); err != nil {
				return err
			}
			if err == nil && info.Damaged > 0 {
				err = fmt.Errorf("%s is damaged: %d bytes could not be read", files[0], info.Damaged)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or csv")
	return cmd
}
