package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/config"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// defaultRecording is where record writes to unless the user says otherwise.
const defaultRecording = "waymark.wmt"

func (a *app) recordCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var out string
	var set *pflag.FlagSet
	return a.buildCmd("record [--flags] [go build flags] [-o FILE] package-or-instrumented-binary [args]",
		"run a program and record every call to a file", "o", programLast,
		func(flags *pflag.FlagSet) {
			set = flags
			f.define(set)
			rec.define(set, noBudget)
			set.StringVarP(&out, "output", "o", defaultRecording, "`FILE` to record to")
			config.Mark(set, config.IsFile, "output")
		},
		func(line *commandLine) error {
			if err := rec.check(); err != nil {
				return err
			}
			file, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			if len(line.args) > 0 && strings.Trim(line.args[0], "0123456789") == "" {
				return usagef("record: %s is a process id: recording a running process is not supported yet", line.args[0])
			}
			t, err := a.program("record", &f, set, line)
			if t != nil {
				defer t.clear()
			}
			if err != nil || t == nil {
				return err
			}
			if err := replaceable(file); err != nil {
				return err
			}
			t.env = rec.env(file)
			dumps := recorder.Dumps(file)
			runErr := a.run(t)
			defer guard(t.dir)()
			if errors.As(runErr, new(ended)) || runErr == nil {
				for _, file := range recordings(file) {
					if err := a.recorded(file, &rec, dumps); err != nil {
						fmt.Fprintf(a.stderr, "waymark: %v\n", err)
					}
				}
			}
			t.clear() // the status may be a signal
			return programStatus(runErr)
		})
}

// replaceable tries whether a trace file can be written, before the program runs,
// and removes an old one.
func replaceable(file string) error {
	if err := recorder.Replaceable(file); err != nil {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".waymark-*")
	if err != nil {
		return fmt.Errorf("can't write to the folder of %s: %w; choose another file with -o", file, err)
	}
	probe.Close()
	os.Remove(probe.Name())
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// recorded completes the recording of a program that was killed, and says what was recorded. before
// are the dumps of earlier runs.
func (a *app) recorded(file string, rec *recordFlags, before []string) error {
	for _, dump := range recorder.Dumps(file) {
		if !slices.Contains(before, dump) {
			if err := a.sayRecording([]string{dump}); err != nil {
				return err
			}
		}
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && rec.ring() && !rec.config.DumpAtExit {
		fmt.Fprintf(a.stderr, "waymark: no %s: the program ended by itself; a ring is written when the program dies of a panic or a signal, when it calls waymark.Dump, or with --dump-at-exit\n", file)
		return nil
	}
	return a.sayRecording(append(recorder.Parts(file), file))
}

// sayRecording says what a recording holds. A recording may have several parts.
func (a *app) sayRecording(files []string) error {
	var events, lost uint64
	advice := ""
	for _, name := range files {
		f, err := tracefile.Open(name)
		if err != nil {
			return fmt.Errorf("nothing was recorded: %w", err)
		}
		info := f.Info()
		advice = adviceOf(f)
		f.Close()
		events, lost = events+info.Events, lost+info.Lost
	}
	dropped := ""
	if lost > 0 {
		dropped = fmt.Sprintf(", %d dropped", lost)
	}
	what := files[len(files)-1]
	if n := len(files) - 1; n > 0 {
		what = fmt.Sprintf("%s and %s", what, units.Things(uint64(n), "earlier part"))
	}
	fmt.Fprintf(a.stderr, "waymark: %s: %d events%s; see it with waymark report %s\n", what, events, dropped, strings.Join(files, " "))
	if advice != "" {
		fmt.Fprintf(a.stderr, "waymark: %s\n", advice)
	}
	return nil
}

// adviceOf says what a budget would have saved in a recording without one, "" if that is nothing.
func adviceOf(f *tracefile.File) string {
	fields := strings.Fields(f.Meta(format.MetaAdvice))
	var cpu, tracing int64
	if _, err := fmt.Sscan(f.Meta(format.MetaCPU)+" "+f.Meta(format.MetaTracing), &cpu, &tracing); err != nil || len(fields) < 2 || tracing >= cpu {
		return ""
	}
	n, err := strconv.Atoi(fields[0])
	id, err1 := strconv.ParseUint(fields[1], 10, 32)
	fn, ok := f.Func(uint32(id))
	if err != nil || err1 != nil || !ok || n < 1 {
		return ""
	}
	others := ""
	if n > 1 {
		others = " and of " + units.Things(uint64(n-1), "other function")
	}
	return fmt.Sprintf("tracing added some %.0f%% to CPU time; with --budget %s the calls of %s%s would only have been counted",
		100*float64(tracing)/float64(cpu-tracing), defaultBudget, fn.Name, others)
}
