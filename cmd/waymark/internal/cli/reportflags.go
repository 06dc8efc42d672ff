package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/text/units"
)

// reportFlags say how a report looks.
type reportFlags struct {
	textFlags
	set              *pflag.FlagSet
	by, sort, format string
	more             string // a format beside report.Formats
	top              int
	fresh            bool // the report is of what was just recorded
}

// define defines the flags. top is how many rows text has unless the user says otherwise.
func (f *reportFlags) define(set *pflag.FlagSet, top int) {
	f.set = set
	f.textFlags.define(set)
	set.StringVar(&f.by, "by", "function", "a row for each `THING`: function, package, group, goroutine, type of objects, or a value such as args.key or results[0]")
	set.StringVar(&f.sort, "sort", "total", "order by `COLUMN`: "+listed(report.Sorts))
	set.StringVar(&f.format, "format", "text", "`FORMAT`: "+listed(f.formats()))
	if set.Lookup("waiting") == nil { // one flag where a command records and reports
		set.Bool("waiting", false, waitingUsage)
	}
	set.IntVar(&f.top, "top", top, "print the first `N` rows only; 0 is all")
}

func (f *reportFlags) check() error {
	if err := f.textFlags.check(); err != nil {
		return err
	}
	if _, err := f.options(); err != nil {
		return usageError{err}
	}
	switch {
	case !slices.Contains(f.formats(), f.format):
		return usagef("--format: format %q: want %s%s", f.format, listed(f.formats()), pattern.IsIt(f.format, f.formats(), 1))
	case f.format == f.more && f.more != "" && f.by != "function":
		return usagef("--format %s is for functions: leave --by %s out", f.more, f.by)
	}
	return nil
}

// formats are the values of --format.
func (f *reportFlags) formats() []string {
	if f.more == "" {
		return report.Formats
	}
	return append(slices.Clone(report.Formats), f.more)
}

// listed returns names as a text.
func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// objects reports whether the report is of objects.
func (f *reportFlags) objects() bool {
	return f.by == "type" || f.sort == "objects" || f.sort == "bytes"
}

// waits reports whether the report is ordered by when goroutines ran.
func (f *reportFlags) waits() bool {
	return f.sort == "running" || f.sort == "runnable" || f.sort == "waiting"
}

func (f *reportFlags) options() (o report.Options, err error) {
	if o.By, o.Value, err = parseBy(f.by); err != nil {
		return o, fmt.Errorf("--by: %w", err)
	}
	if o.Sort, err = report.ParseSort(f.sort); err != nil {
		return o, fmt.Errorf("--sort: %w", err)
	}
	if o.Top = f.top; o.Top < 0 {
		return o, fmt.Errorf("--top=%d: want 0 or more", o.Top)
	}
	o.FullNames, o.LeftOut = f.full(), f.fresh
	o.Waiting = f.set.Lookup("waiting").Value.String() == "true"
	return o, nil
}

// parseBy reads the value of --by.
func parseBy(text string) (report.By, *recorded.Path, error) {
	if !strings.ContainsAny(text, ".[(") {
		by, err := report.ParseBy(text)
		if err != nil && pattern.IsIt(text, report.Bys, 1) == "" {
			err = fmt.Errorf("%w (a value has args or results before its name: args.%s)", err, text)
		}
		return by, nil, err
	}
	in, err := expression.CompileValue(text)
	if wrong := new(expression.Error); errors.As(err, &wrong) {
		err = fmt.Errorf("%s: %s", text, wrong.What)
	}
	if err != nil {
		return 0, nil, err
	}
	return report.ByValue, &recorded.Path{Instruction: *in}, nil
}

// valued returns an error if --by names a value that none of the functions records, and a note if several record it.
func (f *reportFlags) valued(funcs []build.Func) (note string, err error) {
	_, value, err := parseBy(f.by)
	if err != nil || value == nil {
		return "", err
	}
	n := uint64(0)
	for i := range funcs {
		values := funcs[i].Args
		if value.Root == condition.Result {
			values = funcs[i].Results
		}
		named := func(v build.Value) bool { return v.Name == value.Name }
		if funcs[i].Instrumented && (slices.ContainsFunc(values, named) || value.Name == "" && value.Index < len(values)) {
			n++
		}
	}
	switch {
	case n == 0:
		return "", usagef("run: --by %s: no function records such a value: record values by --args or --results, and name one that there is", f.by)
	case n > 1:
		note = fmt.Sprintf("%s have %s, and their calls are added up: --include PATTERN chooses", units.Things(n, "function"), f.by)
	}
	return note, nil
}

// layout returns the options of a report to w and its format, by all flags.
func (f *reportFlags) layout(w io.Writer) (o report.Options, format report.Format, err error) {
	if o, err = f.options(); err == nil {
		o.Style = f.style(w)
		if f.format == f.more && f.more != "" {
			return o, format, nil
		}
		format, err = report.ParseFormat(f.format)
	}
	if format != report.Text && !f.set.Changed("top") {
		o.Top = 0 // programs want all
	}
	return o, format, err
}
