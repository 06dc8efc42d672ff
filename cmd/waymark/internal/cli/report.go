package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/tracefile"
)

// reportFlags say how a report looks.
type reportFlags struct {
	textFlags
	set              *pflag.FlagSet
	by, sort, format string
	top              int
}

// define defines the flags. top is how many rows text has unless the user says otherwise.
func (f *reportFlags) define(set *pflag.FlagSet, top int) {
	f.set = set
	f.textFlags.define(set)
	set.StringVar(&f.by, "by", "function", "a row for each `THING`: function, package, group or goroutine")
	set.StringVar(&f.sort, "sort", "total", "order by `COLUMN`: total, self, calls, avg, max, panics or errors")
	set.StringVar(&f.format, "format", "text", "`FORMAT`: text, json or csv")
	set.IntVar(&f.top, "top", top, "print the first `N` rows only; 0 is all")
}

func (f *reportFlags) check() error {
	if err := f.textFlags.check(); err != nil {
		return err
	}
	if _, err := f.options(); err != nil {
		return usageError{err}
	}
	if _, err := report.ParseFormat(f.format); err != nil {
		return usagef("--format: %w", err)
	}
	return nil
}

func (f *reportFlags) options() (o report.Options, err error) {
	if o.By, err = report.ParseBy(f.by); err != nil {
		return o, fmt.Errorf("--by: %w", err)
	}
	if o.Sort, err = report.ParseSort(f.sort); err != nil {
		return o, fmt.Errorf("--sort: %w", err)
	}
	if o.Top = f.top; o.Top < 0 {
		return o, fmt.Errorf("--top=%d: want 0 or more", o.Top)
	}
	o.FullNames = f.full()
	return o, nil
}

// layout gives what all flags say of a report that is written to w.
func (f *reportFlags) layout(w io.Writer) (o report.Options, format report.Format, err error) {
	if o, err = f.options(); err == nil {
		o.Style = f.style(w)
		format, err = report.ParseFormat(f.format)
	}
	if format != report.Text && !f.set.Changed("top") {
		o.Top = 0 // programs want all
	}
	return o, format, err
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
			return a.report(a.stdout, files, &f, only, func(set *tracefile.Set, r *report.Report) ([]string, error) {
				return filter.missed(set, r.Calls(), showsRows, func() (int64, error) { return r.Longest(), nil })
			})
		},
	}
	f.define(cmd.Flags(), 0)
	filter.define(cmd.Flags(), showsRows)
	return cmd
}

// reportRun prints the report after a run that recorded to file. Earlier parts are
// beside it, and so is what processes that the program started recorded.
func (a *app) reportRun(dir, file string, f *reportFlags) error {
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
			fmt.Fprintf(a.stderr, "waymark: a process that the program started is left out: %v\n", err)
			continue
		}
		files = append(files, other)
	}
	return a.report(a.stderr, files, f, recording.Filter{}, nil)
}

// reportStatistics prints the report after a run that gathered statistics, which are in dir: those of the program and of
// processes that it started.
func (a *app) reportStatistics(dir string, f *reportFlags) error {
	o, format, err := f.layout(a.stderr)
	if err != nil {
		return err
	}
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
			fmt.Fprintf(a.stderr, "waymark: a process that the program started is left out: it is of the program %s\n", filepath.Base(s.Program))
			continue
		}
		r.AddStatistics(s)
	}
	return r.Write(a.stderr, format)
}

// A missed says which filters let nothing through, see filterFlags.
type missed func(set *tracefile.Set, r *report.Report) (notes []string, err error)

// report prints one report of all files. What could be read of a damaged file is
// in it; then the status is that of a failure.
func (a *app) report(w io.Writer, files []string, f *reportFlags, filter recording.Filter, missed missed) error {
	o, format, err := f.layout(w)
	if err != nil {
		return err
	}
	o.Filter = filter
	return a.read(files, o, missed, func(r *report.Report) error {
		if err := r.Write(w, format); err != nil {
			return err
		}
		if format == report.CSV {
			a.note(recording.Lacks(r.Recordings)...)
		}
		return nil
	})
}

// read adds up files and has write print the report, of what could be read. Then
// come notes, and the error tells what could not.
func (a *app) read(files []string, o report.Options, missed missed, write func(*report.Report) error) error {
	return a.withSet(files, func(set *tracefile.Set) error {
		show, done := a.progress()
		o.Progress = func(read, all uint64) {
			show(fmt.Sprintf("reading, %d %% of %d million events", 100*read/max(all, 1), all/1e6))
		}
		r := report.New(o)
		err := r.Read(set)
		done()
		if len(r.Recordings) == 0 {
			return err
		}
		err = errors.Join(write(r), err, r.Damage())
		if missed != nil {
			notes, missedErr := missed(set, r)
			a.note(notes...)
			err = errors.Join(err, missedErr)
		}
		return err
	})
}

// note prints lines that are no errors.
func (a *app) note(lines ...string) {
	for _, line := range lines {
		fmt.Fprintf(a.stderr, "waymark: %s\n", line)
	}
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
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json")
	return cmd
}
