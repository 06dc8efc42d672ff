package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/pattern"
	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/testtrace"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	var test string
	cmd := &cobra.Command{
		Use: "replay [flags] FILE", Short: "print every call of a recording in order", Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, files []string) error {
			only, err := filter.filter()
			if err != nil {
				return err
			}
			file, err := tracefile.Open(files[0])
			if err != nil {
				return err
			}
			defer file.Close()
			p := replay.New(a.stdout, file, report.ScaleOf(file).Nanoseconds, only.Min > 0)
			src := calltree.Source(file.Events())
			o := calltree.Options{OnEnter: p.Enter, OnCall: p.Call}
			if test != "" {
				events, err := testEvents(file, files[0], test)
				if err != nil {
					return err
				}
				p := testtrace.NewPrinter(p)
				events.OnLog = p.Log
				src, o.OnEnter, o.OnCall = events, p.Enter, p.Call
			}
			_, err = only.ReadFrom(src, file, o)
			if flushErr := p.Flush(); flushErr != nil {
				return flushErr // the reader of the output has gone: not worth more words
			}
			if damaged := file.Info().Damaged; err == nil && damaged > 0 {
				err = fmt.Errorf("%s: %w: %s could not be read, the calls are of the rest", files[0], format.ErrDamaged, report.Bytes(damaged))
			}
			return err
		},
	}
	filter.define(cmd.Flags())
	cmd.Flags().StringVar(&test, "test", "", "only what the test `NAME` and its subtests did, in the recording of a test binary")
	return cmd
}

// testEvents gives the events of the tests with the given name, and of their subtests.
func testEvents(file *tracefile.File, path, name string) (*testtrace.Events, error) {
	r, err := testtrace.Read(file)
	if err != nil {
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
