package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/show/diff"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) diffCommand() *cobra.Command {
	var filter filterFlags
	var text textFlags
	var format, over, test string
	o := diff.Options{Alpha: diff.Alpha}
	cmd := &cobra.Command{
		Use: "diff [flags] OLD NEW", Short: "compare recordings of before and after a change",
		Long: `Diff compares recordings of before and after a change by function and by call path. Calls are
compared exactly. To tell changed times from noise, give several recordings of each side,
separated by two dashes: waymark diff old*.wmt -- new*.wmt
With --test it compares the calls of a test when it passed and when it failed.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if test != "" {
				if err := errors.Join(checkDiffTest(cmd.Flags(), args), text.check()); err != nil {
					return err
				}
				return a.diffTest(args, test, &text)
			}
			before, after, err := sides(args, cmd.ArgsLenAtDash())
			if err != nil {
				return err
			}
			if err := errors.Join(text.check()); err != nil {
				return err
			}
			if err := diff.CheckFormat(format); err != nil {
				return usagef("--format: %w", err)
			}
			if cmd.Flags().Changed("fail-over") {
				if o.Limit, err = parseShare(over); err != nil {
					return usagef("--fail-over=%s: %w", over, err)
				}
			}
			if o.Top < 0 {
				return usagef("--top=%d: want 0 or more", o.Top)
			}
			if o.Filter, err = filter.filter(); err != nil {
				return err
			}
			o.Style, o.FullNames = text.style(a.stdout), text.full()
			return a.diff(before, after, o, &filter, format)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "text", "`FORMAT`: text, json, or markdown for a pull request")
	flags.IntVar(&o.Top, "top", 20, "print the first `N` rows of a table only; 0 is all")
	flags.StringVar(&over, "fail-over", "", "exit with status 1 if a function's calls or self time have risen by more than `SHARE`, as in 10%")
	flags.StringVar(&test, "test", "", "compare a failed run of the test `NAME` with a passed run, in recordings of test binaries: diff --test NAME FILE...")
	text.define(flags)
	filter.define(flags, showsRows)
	return cmd
}

// sides divides arguments: by two dashes, or in two.
func sides(args []string, dash int) (before, after []string, err error) {
	switch {
	case dash > 0 && dash < len(args):
		return args[:dash], args[dash:], nil
	case dash < 0 && len(args) == 2:
		return args[:1], args[1:], nil
	}
	return nil, nil, usagef("diff: want two recordings, or several of each side: waymark diff OLD NEW, waymark diff OLD... -- NEW...")
}

// parseShare reads a share of one: "10%", "10" and "0.5%".
func parseShare(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0, errors.New("want a share above 0, as in 10%")
	}
	return n / 100, nil
}

// diff compares two sides of recordings. What could be read of damaged files is compared; then the
// status is 1.
func (a *app) diff(before, after []string, o diff.Options, filter *filterFlags, format string) error {
	show, done := a.progress()
	o.Progress = func(side string, read, all uint64) {
		show(fmt.Sprintf("reading %s, %d %% of %d million events", side, 100*read/max(all, 1), all/1e6))
	}
	d := diff.New(o)
	return a.withSet(before, func(old *tracefile.Set) error {
		return a.withSet(after, func(set *tracefile.Set) error {
			err := errors.Join(d.Read(diff.Before, old), d.Read(diff.After, set))
			done()
			if usage := (usageError{}); errors.As(err, &usage) || err != nil && d.Calls() == 0 {
				return err
			}
			filter.matchSites(old) // a pattern may match on one side only
			notes, missed := filter.missed(set, d.Calls(), showsRows, nil)
			a.note(notes...)
			if missed != nil {
				return errors.Join(err, missed, d.Damage())
			}
			if one := d.Compare(); one != nil {
				return errors.Join(err, one, d.Damage())
			}
			if one := d.Write(a.stdout, format); one != nil {
				return one
			}
			a.note(uncompared(leftOut(old), leftOut(set))...)
			return errors.Join(err, d.Damage(), a.judge(d))
		})
	})
}

// uncompared says what no side has calls of, as it is not instrumented: once, if it is the same on both.
func uncompared(before, after function.LeftOut) (notes []string) {
	if text := before.String(); text != after.String() && text != "" {
		notes = append(notes, "before: "+text)
	}
	if text := after.String(); text != "" {
		notes = append(notes, text)
	}
	return notes
}

// judge returns an error with a line for each number that has risen by more than --fail-over.
func (a *app) judge(d *diff.Diff) error {
	if d.Limit == 0 {
		return nil
	}
	over, note := d.Over()
	if note != "" {
		a.note("--fail-over: " + note)
	}
	var errs []error
	for _, e := range over {
		text := func(n int64) string { return units.Count(uint64(n)) }
		if e.What != "calls" {
			text = func(n int64) string { return units.Duration(n) }
		}
		errs = append(errs, fmt.Errorf("%s: %s rose from %s to %s, over --fail-over %g%%", e.Function.Name, e.What, text(e.Before), text(e.After), 100*d.Limit))
	}
	return errors.Join(errs...)
}
