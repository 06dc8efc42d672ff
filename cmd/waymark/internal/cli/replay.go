package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/testtrace"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	var text textFlags
	var test string
	cmd := &cobra.Command{
		Use: "replay [flags] FILE...", Short: "print every call of recordings in order", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := text.check(); err != nil {
				return err
			}
			only, err := filter.filter()
			if err != nil {
				return err
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				if err := only.Check(set); err != nil {
					return err
				}
				var read []report.Recording
				var err error
				if test != "" {
					read, err = a.replayTest(set, &only, test, &text)
				} else {
					read, err = replay.Write(a.stdout, set, &only, text.calls(a.stdout, set.Processes...))
				}
				if len(read) == 0 {
					return err
				}
				a.note(report.Lacks(read)...)
				calls := uint64(0)
				for _, r := range read {
					calls += r.Calls
				}
				notes, missed := filter.missed(set, calls, showsCalls, func() (int64, error) { return filter.longest(set) })
				a.note(notes...)
				return errors.Join(append(damage(set, err), missed)...)
			})
		},
	}
	text.define(cmd.Flags())
	filter.define(cmd.Flags(), showsCalls)
	filter.definePaths(cmd.Flags(), "show calls of functions that match `PATTERN`, and all that they make", "show calls of functions that match `PATTERN`, and those that they are made by")
	cmd.Flags().StringVar(&test, "test", "", "only what the test `NAME` and its subtests did, in the recording of a test binary")
	return cmd
}

// damage lists what could not be read of the files of a set, after err.
func damage(set *tracefile.Set, err error) []error {
	errs := []error{err}
	for _, p := range set.Processes {
		for _, part := range p.Parts() {
			if damaged := part.Info().Damaged; damaged > 0 {
				errs = append(errs, fmt.Errorf("%s: %w: %s could not be read, the calls are of the rest", part.Path(), format.ErrDamaged, units.Bytes(damaged)))
			}
		}
	}
	return errs
}

// replayTest prints what the test with the given name and its subtests did.
func (a *app) replayTest(set *tracefile.Set, only *report.Filter, test string, text *textFlags) ([]report.Recording, error) {
	if len(set.Processes) > 1 {
		return nil, usagef("--test: want the recording of one test binary, not of %d processes", len(set.Processes))
	}
	file := set.Processes[0]
	events, err := testEvents(file, file.Path(), test)
	if err != nil {
		return nil, err
	}
	p := testtrace.NewPrinter(replay.New(a.stdout, file, report.ScaleOf(file).Nanoseconds, file.Nanos, text.calls(a.stdout, file)))
	events.OnLog = p.Log
	read, err := only.Read(events, set, p.Enter, p.Call)
	if flushErr := p.Flush(); flushErr != nil {
		return nil, flushErr // the reader of the output has gone: not worth more words
	}
	return []report.Recording{read}, err
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
		msg += isIt(name, slices.Compact(names))
		return nil, usageError{errors.New(msg)}
	}
	return r.Events(named), nil
}
