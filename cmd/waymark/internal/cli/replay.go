package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/testtrace"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	var text textFlags
	var test string
	var width int
	var waiting bool
	cmd := &cobra.Command{
		Use: "replay [flags] FILE...", Short: "print every call of recordings in order", Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := text.check(); err != nil {
				return err
			}
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
				var done replay.Result
				var err error
				if !cmd.Flags().Changed("width") {
					width = valueWidth(a.stdout)
				}
				form := text.calls(a.stdout, width, set.Processes...)
				form.Waiting = a.explainWaiting(waiting, set) && waiting
				if test != "" {
					done, err = a.replayTest(set, &only, test, form)
				} else {
					done, err = replay.Write(a.stdout, set, &only, form)
				}
				if len(done.Read) == 0 {
					return err
				}
				a.explainMasked(done.Masked)
				a.note(recording.Lacks(done.Read)...)
				calls := uint64(0)
				for _, r := range done.Read {
					calls += r.Calls
				}
				longest := func() (int64, error) { return filter.longest(set) }
				if test != "" {
					longest = nil // other tests' calls may be longer
				}
				notes, missed := filter.missed(set, calls, showsCalls, longest)
				a.note(notes...)
				return errors.Join(append(damage(set, err), missed)...)
			})
		},
	}
	text.define(cmd.Flags())
	cmd.Flags().IntVar(&width, "width", 0, widthUsage+" (default: half of a terminal's columns, 60 at least; elsewhere no limit)")
	cmd.Flags().BoolVar(&waiting, "waiting", false, "show what goroutines waited for, and which goroutines woke them, if that was recorded")
	filter.define(cmd.Flags(), showsCalls)
	filter.defineIf(cmd.Flags(), "show only calls")
	filter.definePaths(cmd.Flags(), "show calls of functions that match `PATTERN`, and all calls below them", "show calls of functions that match `PATTERN`, and the calls around them")
	cmd.Flags().StringVar(&test, "test", "", "only the test `NAME` and its subtests, in the recording of a test binary")
	return cmd
}

const widthUsage = "print at most `N` columns of each value, errors whole, and a receiver in full only once; 0: no limit"

// valueWidth returns how many columns of w a value takes, unless the user says otherwise.
func valueWidth(w io.Writer) int {
	n := columns(w)
	if n == 0 {
		return math.MaxInt // and receivers are whole only once
	}
	return max(n/2, replay.DefaultWidth)
}

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
		a.note(maskedNote)
	}
}

// damage lists what could not be read of the files of a set, after err.
func damage(set *tracefile.Set, err error) []error {
	errs := []error{err}
	for _, p := range set.Processes {
		for _, part := range p.Parts() {
			if damaged := part.Info().Damaged; damaged > 0 {
				errs = append(errs, fmt.Errorf("%s: %w: %s could not be read, the calls are those of the rest", part.Path(), tracefile.ErrDamaged, units.Bytes(damaged)))
			}
		}
	}
	return errs
}

// replayTest prints what the test with the given name and its subtests did.
func (a *app) replayTest(set *tracefile.Set, only *recording.Filter, test string, o replay.Options) (done replay.Result, err error) {
	if len(set.Processes) > 1 {
		return done, usagef("--test: want the recording of one test binary, not of %d processes", len(set.Processes))
	}
	file := set.Processes[0]
	events, err := testEvents(file, file.Path(), test)
	if err != nil {
		return done, err
	}
	p := testtrace.NewPrinter(replay.New(a.stdout, file, recording.ScaleOf(file).Nanoseconds, file.Nanos, o))
	events.OnLog = p.Log
	var wait func(*calltree.Call)
	if o.Waiting {
		wait = p.Wait
	}
	read, err := only.Read(events, set, p.Enter, p.Call, wait)
	if flushErr := p.Flush(); flushErr != nil {
		return done, flushErr // the reader of the output has gone: not worth more words
	}
	return replay.Result{Read: []recording.Summary{read}, Masked: p.Masked()}, err
}

// testEvents returns the events of the tests with the given name, and of their subtests.
func testEvents(file *tracefile.File, path, name string) (*testtrace.Events, error) {
	r := testtrace.Open(file)
	if err := r.Read(); err != nil {
		return nil, err
	}
	named := r.Named(name)
	if len(named) == 0 {
		if len(r.Tests) == 0 {
			return nil, usagef("--test: %s is not the recording of a test binary: make one with waymark test --output DIR", path)
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
