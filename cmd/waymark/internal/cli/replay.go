package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/testtrace"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	var test string
	var width int
	cmd := &cobra.Command{
		Use: "replay [flags] FILE...", Short: "print every call of recordings in order", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			only, err := filter.filter()
			if err != nil {
				return err
			}
			if err := checkWidth(width); err != nil {
				return err
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				if err := only.Check(set); err != nil {
					return err
				}
				if test != "" {
					return a.replayTest(set, &only, test, width)
				}
				done, err := replay.Write(a.stdout, set, &only, replay.Options{Width: width})
				a.explainMasked(done.Masked)
				return errors.Join(append(damage(set, err), a.tellMissed(filter.missed, set, done.Calls))...)
			})
		},
	}
	filter.define(cmd.Flags())
	cmd.Flags().IntVar(&width, "width", replay.DefaultWidth, widthUsage)
	cmd.Flags().StringVar(&test, "test", "", "only what the test `NAME` and its subtests did, in the recording of a test binary")
	return cmd
}

const widthUsage = "print `N` columns of each value at most, receivers whole only once; 0: all of each"

func checkWidth(n int) error {
	if n < 0 {
		return usagef("--width=%d: want 0, which is no limit, or more", n)
	}
	return nil
}

// maskedNote says how to see what *** stands for.
const maskedNote = "***: the name looks like a secret's, so the value was not recorded; record with --redact none to see all, with --redact none,WORD to mask only names with WORD"

// explainMasked says once on stderr what *** in the output means.
func (a *app) explainMasked(masked bool) {
	if masked {
		fmt.Fprintf(a.stderr, "waymark: %s\n", maskedNote)
	}
}

// damage lists what could not be read of the files of a set, after err.
func damage(set *tracefile.Set, err error) []error {
	errs := []error{err}
	for _, p := range set.Processes {
		for _, part := range p.Parts() {
			if damaged := part.Info().Damaged; damaged > 0 {
				errs = append(errs, fmt.Errorf("%s: %w: %s could not be read, the calls are of the rest", part.Path(), format.ErrDamaged, report.Bytes(damaged)))
			}
		}
	}
	return errs
}

// replayTest prints what the test with the given name and its subtests did.
func (a *app) replayTest(set *tracefile.Set, only *report.Filter, test string, width int) error {
	if len(set.Processes) > 1 {
		return usagef("--test: want the recording of one test binary, not of %d processes", len(set.Processes))
	}
	file := set.Processes[0]
	events, err := testEvents(file, file.Path(), test)
	if err != nil {
		return err
	}
	p := testtrace.NewPrinter(replay.New(a.stdout, file, report.ScaleOf(file).Nanoseconds, replay.Options{Short: only.Min > 0, Width: width}))
	events.OnLog = p.Log
	_, err = only.Read(events, set, calltree.Options{OnEnter: p.Enter, OnCall: p.Call})
	if flushErr := p.Flush(); flushErr != nil {
		return flushErr // the reader of the output has gone: not worth more words
	}
	a.explainMasked(p.Masked())
	return errors.Join(damage(set, err)...)
}

// testEvents gives the events of the tests with the given name, and of their subtests.
func testEvents(file *tracefile.File, path, name string) (*testtrace.Events, error) {
	r := testtrace.Open(file)
	if err := r.Read(); err != nil {
		return nil, err
	}
	named := r.Named(name)
	if len(named) == 0 {
		if len(r.Tests) == 0 {
			return nil, usagef("--test: %s is not the recording of a test binary: make one with waymark test --out DIR", path)
		}
		var names []string
		for _, t := range r.Tests {
			names = append(names, t.Name)
		}
		slices.Sort(names)
		msg := fmt.Sprintf("--test=%s: %s has no such test", name, path)
		if near := pattern.Nearest(name, slices.Compact(names), 3); len(near) > 0 {
			msg += "; is it " + strings.Join(near, " or ") + "?"
		}
		return nil, usageError{errors.New(msg)}
	}
	return r.Events(named), nil
}
