package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/page"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) reportCommand() *cobra.Command {
	f := reportFlags{more: htmlFormat}
	var filter filterFlags
	var out string
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
			missed := func(set *tracefile.Set, r *report.Report) ([]string, error) {
				return filter.missed(set, r.Calls(), showsRows, func() (int64, error) { return r.Longest(), nil })
			}
			switch {
			case out == "" && f.format == htmlFormat && isTerminal(a.stdout):
				return usagef("--format html: want -o FILE, which a browser opens")
			case only.If != nil && (f.format == htmlFormat || f.by == "goroutine" || f.by == "type"):
				return usagef("--if is of calls: want --by function, package, group or a value such as args.key, and no --format html")
			}
			return a.to(out, a.stdout, files, func(w io.Writer) error { return a.report(w, files, &f, only, missed) })
		},
	}
	f.define(cmd.Flags(), 0)
	filter.define(cmd.Flags(), showsRows)
	filter.defineIf(cmd.Flags(), "count calls")
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write to; default: standard output")
	config.Mark(cmd.Flags(), config.IsOutput, "output")
	return cmd
}

// htmlFormat is the value of --format that report has beside report.Formats.
const htmlFormat = "html"

// to calls write with the file of -o, or with usual if there is no -o. The file must not be one of
// those that are read. Unless something was written, the file stays as it was.
func (a *app) to(out string, usual io.Writer, inputs []string, write func(io.Writer) error) error {
	if out == "" {
		return write(usual)
	}
	file, err := toFile(out, inputs)
	if err != nil {
		return err
	}
	w := &failing{Writer: file}
	if err = write(w); w.err != nil || !w.any {
		file.Discard()
		return err
	}
	return errors.Join(err, file.Commit())
}

// writable tries whether the file of -o can be written, before a program runs whose report it gets.
func writable(out string) error {
	if out == "" {
		return nil
	}
	file, err := toFile(out, nil)
	if err == nil {
		file.Discard()
	}
	return err
}

// toFile creates the file of -o, which must not be one of those that are read.
func toFile(name string, inputs []string) (*export.Output, error) {
	out, err := new(export.Format).Create(name, inputs)
	if errors.Is(err, export.ErrInput) || errors.Is(err, export.ErrURL) {
		return nil, usagef("-o %w: choose another name", err)
	}
	return out, err
}

// report prints one report of all files. The report holds what could be read of damaged files; then
// the status is 1.
func (a *app) report(w io.Writer, files []string, f *reportFlags, filter recording.Filter, missed missed) error {
	o, format, err := f.layout(w)
	if err != nil {
		return err
	}
	o.Filter = filter
	o.Tree = f.format == htmlFormat
	return a.read(files, o, missed, func(r *report.Report) error {
		if f.format == htmlFormat {
			lacks := recording.Lacks(r.Recordings)
			if damage := r.Damage(); damage != nil {
				lacks = append(strings.Split(damage.Error(), "\n"), lacks...)
			}
			return page.Write(w, r, lacks)
		}
		if err := r.Write(w, format); err != nil {
			return err
		}
		a.explainMasked(r.Masked)
		if format == report.CSV {
			a.note(recording.Lacks(r.Recordings)...)
		}
		return nil
	})
}

// read adds up what can be read of files, calls write to print the report, and prints notes. The
// error names what could not be read.
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
		if flag := o.Objects(); flag != "" {
			a.explainObjects(flag, set)
			a.explainTypes(flag, set)
		}
		a.explainWaiting(o.Waiting || o.Sort >= report.SortRunning, set)
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
		fmt.Fprintf(a.stderr, "waymark: %s\n", names.PrintableLines(line))
	}
}
