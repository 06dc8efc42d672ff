package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/show/testtrace"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// checkDiffTest returns an error for flags of diff that don't fit --test.
func checkDiffTest(set *pflag.FlagSet, files []string) (err error) {
	set.Visit(func(f *pflag.Flag) {
		if f.Name != "test" && f.Name != "names" {
			err = cmp.Or(err, usagef("--%s: --test compares single calls, and allows only --names", f.Name))
		}
	})
	if err == nil && len(files) == 0 {
		err = usagef("--test: want the recordings of a test binary: make them with waymark test --trace --output DIR")
	}
	return err
}

// diffTest compares a run of a test that passed with one that failed, from some recordings.
func (a *app) diffTest(files []string, name string, text *textFlags) error {
	return a.withSet(withReruns(files), func(set *tracefile.Set) error {
		var runs []*testtrace.Run
		var all []string
		for _, p := range set.Processes {
			r := testtrace.Open(p)
			found := r.Runs(name)
			runs = append(runs, found...)
			for _, t := range r.Tests {
				all = append(all, t.Name)
			}
			if len(found) > 0 {
				if err := r.Read(); err != nil {
					return err
				}
			}
		}
		passed, failed, err := testtrace.Pair(runs, (*testtrace.Run).Lacks)
		if err != nil {
			return err
		}
		switch {
		case len(runs) == 0 && len(all) == 0:
			return usagef("--test: no recording of a test binary among the files: make one with waymark test --trace --output DIR")
		case len(runs) == 0:
			slices.Sort(all)
			return usagef("--test=%s: no such test in the recordings%s", name, isIt(name, slices.Compact(all)))
		case failed == nil:
			return fmt.Errorf("%s did not fail in %s: record more with waymark test --trace --output DIR -run '^%s$' -count 100 -failfast", name, units.Things(uint64(len(runs)), "run"), name)
		case passed == nil:
			return fmt.Errorf("%s did not pass in %s: give also a recording in which it passed", name, units.Things(uint64(len(runs)), "run"))
		}
		var short *names.Set
		if !text.full() {
			short = text.calls(a.stdout, 0, set.Processes...).Names
		}
		c, err := testtrace.Compare(passed, failed, short)
		if err != nil {
			return err
		}
		if err := c.Write(a.stdout); err != nil {
			return err
		}
		a.explainMasked(c.Masked)
		if len(c.Skipped) > 0 {
			a.note(fmt.Sprintf("not compared, because some calls were only counted: %s; --budget none records all", strings.Join(c.Skipped, ", ")))
		}
		if len(c.Unknown) > 0 {
			a.note(fmt.Sprintf("values not compared, because one of the runs lacks them: %s; --budget none records all", strings.Join(c.Unknown, ", ")))
		}
		if c.Cut {
			a.note("the test ran long, and some of its events were reclaimed: later calls were not compared")
		}
		for _, r := range []*testtrace.Run{passed, failed} {
			if r.Lost() {
				a.note("events were dropped: calls that seem to be missing in a run may have happened")
				break
			}
		}
		return errors.Join(damage(set, nil)...)
	})
}
