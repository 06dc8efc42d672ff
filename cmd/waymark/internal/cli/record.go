package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// defaultRecording is where record writes to unless the user says otherwise.
const defaultRecording = "waymark.wmt"

func (a *app) recordCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var out, dir, form string
	var limit time.Duration
	var set *pflag.FlagSet
	return a.buildCmd("record [--flags] [go build flags] [-o FILE] package-or-instrumented-binary-or-PID [args]",
		"run a program and record every call to a file; or record a running one", "o", programLast,
		func(flags *pflag.FlagSet) {
			set = flags
			f.define(set)
			rec.define(set, noBudget)
			set.StringVarP(&out, "output", "o", defaultRecording, "`FILE` to record to")
			durationVar(set, &limit, "for", 0, "record a running program, PID or its name, for this `DURATION`; 0: until interrupted")
			set.StringVar(&dir, "dir", "", "record a running program, whose socket is in `DIR`")
			a.defineYes(set)
			set.StringVar(&form, "format", "text", "of a running program, `FORMAT` of the message about the recording: text or json")
			config.Mark(set, config.IsOutput, "output")
		},
		func(line *commandLine) error {
			// A name may be that of a program to run. These flags say that it runs.
			runs := set.Changed("for") || set.Changed("dir")
			if runs && len(line.args) == 0 {
				return usagef("record: --for and --dir are for a running program: want its id or its name")
			}
			if len(line.args) > 0 && (runs || isProcess(line.args[0])) {
				if err := set.Parse(line.args[1:]); err != nil {
					return flagErrorOf(set, err)
				}
				if err := onlyLive(line.args[0], line.flags, set.Args()); err != nil {
					return err
				}
				if name := ofBuilds(set, ofPatched...); name != "" {
					return usagef("record: --%s is for builds: a running process is recorded as it was built, all of it or TARGET...", name)
				}
				file, err := filepath.Abs(out)
				if err != nil {
					return err
				}
				if err := rec.check(); err != nil {
					return err
				}
				if err := (&liveFlags{form: form}).check(); err != nil {
					return err
				}
				values, err := f.values.live()
				if err != nil {
					return err
				}
				return a.recordLive(line.args[0], dir, file, form, rec.live(), values, &rec, limit, set.Args())
			}
			if form != "text" {
				return usagef("record: --format is for a running process: here stdout is the program's")
			}
			if err := rec.check(); err != nil {
				return err
			}
			file, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			if !f.dryRun {
				if err := creatable(file); err != nil { // before the build, which takes its time
					return err
				}
			}
			given := line.args
			t, err := a.program("record", &f, set, line)
			if t != nil {
				defer t.clear()
			}
			if errors.Is(err, errForeign) {
				if name := ofBuilds(set, append([]string{"include", "config", "verbose"}, ofPatched...)...); name != "" {
					return usagef("record: --%s needs a build by waymark, and plain Go has built %s: name its package", name, line.args[0])
				}
				values, err := f.values.live()
				if err != nil {
					return err
				}
				return a.recordForeign(line, set, &rec, values, file)
			}
			if err != nil {
				a.hintRecord(set, given)
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
			var failed error
			defer guard(t.dir)()
			if errors.As(runErr, new(ended)) || runErr == nil {
				for _, file := range recordings(file) {
					if err := a.recorded(file, "text", &rec, dumps); err != nil {
						a.note(err.Error())
						failed = exitError(exitFailed)
					}
				}
			}
			t.clear() // the status may be a signal
			return cmp.Or(programStatus(runErr), failed)
		})
}

// onlyLive returns an error if the arguments of record, beside a running process, are those of a build.
func onlyLive(process string, flags gocmd.Flags, targets []string) error {
	if len(flags) > 0 {
		return usagef("record: %s is for builds, and %s is a process that runs: leave one of them out", flags[0], process)
	}
	for _, t := range targets {
		if t == "." || strings.HasSuffix(t, ".go") {
			return usagef("record: %s is to be built, and %s is a process that runs: leave one of them out; for its functions, give patterns such as ./... or main.*", t, process)
		}
	}
	return nil
}

// hintRecord says of arguments of record that could not be built what else they may be.
func (a *app) hintRecord(set *pflag.FlagSet, args []string) {
	if len(args) == 0 {
		a.note("record takes a package, a program, or the PID of one that runs, as waymark ps lists them")
		return
	}
	for _, arg := range args[1:] {
		if arg == "-o" || strings.HasPrefix(arg, "--") && lookup(set, arg) != nil {
			a.note(fmt.Sprintf("%s is given to the program, as all that follows its package: waymark's flags stand before %s", arg, args[0]))
			return
		}
	}
}

// ofBuilds returns a flag of record that was given, and that means nothing for a running program. These others mean
// something.
func ofBuilds(set *pflag.FlagSet, others ...string) (name string) {
	others = append(others, "output", "for", "dir", "format", "yes")
	set.Visit(func(f *pflag.Flag) {
		// What waymark.toml has is for packages.
		if s := setting.Find(f.Name); (s == nil || !s.Live) && !slices.Contains(others, f.Name) && config.From(f) == "" {
			name = f.Name
		}
	})
	return name
}

// replaceable tries whether a trace file can be written, before the program runs,
// and removes an old one.
func replaceable(file string) error {
	if err := recorder.Replaceable(file); err != nil {
		return err
	}
	if err := creatable(file); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// creatable tries whether a file can be created in its folder.
func creatable(file string) error {
	dir := filepath.Dir(file)
	probe, err := os.CreateTemp(dir, ".waymark-*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it, or choose another file with -o", dir)
	}
	if err != nil {
		return fmt.Errorf("can't write to the folder of %s: %w; choose another file with -o", file, err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// recorded completes the recording of a program that was killed, and says what was recorded. before
// are the dumps of earlier runs.
func (a *app) recorded(file, form string, rec *recordFlags, before []string) error {
	for _, dump := range recorder.Dumps(file) {
		if !slices.Contains(before, dump) {
			if err := a.sayRecording(form, []string{dump}); err != nil {
				return err
			}
		}
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && rec.ring() && !rec.config.DumpAtExit {
		a.note(fmt.Sprintf("no %s: the program ended by itself; a ring is written when the program dies of a panic or a signal, when it calls waymark.Dump, or with --dump-at-exit", file))
		return nil
	}
	return a.sayRecording(form, append(recorder.Parts(file), file))
}

// A recordingObject is what is said of a recording in JSON.
type recordingObject struct {
	File    string   `json:"file"`              // absolute
	Earlier []string `json:"earlier,omitempty"` // parts
	Events  uint64   `json:"events"`
	Dropped uint64   `json:"dropped"`
	Advice  string   `json:"advice,omitempty"`
}

// sayRecording says what a recording holds, in text on stderr or in JSON on stdout. A recording may
// have several parts.
func (a *app) sayRecording(form string, files []string) error {
	last, left := len(files)-1, ""
	said := recordingObject{File: files[last], Earlier: files[:last]}
	for _, name := range files {
		f, err := tracefile.Open(name)
		if err != nil {
			return fmt.Errorf("nothing was recorded: %w", err)
		}
		info := f.Info()
		said.Advice, left = adviceOf(f), f.LeftOut().String()
		f.Close()
		said.Events, said.Dropped = said.Events+info.Events, said.Dropped+info.Lost
	}
	if form == "json" {
		var err error
		if said.File, err = filepath.Abs(said.File); err != nil {
			return err
		}
		return a.object(said)
	}
	dropped := ""
	if said.Dropped > 0 {
		dropped = fmt.Sprintf(", %d dropped", said.Dropped)
	}
	what := names.Printable(said.File)
	if last > 0 {
		what = fmt.Sprintf("%s and %s", what, units.Things(uint64(last), "earlier part"))
	}
	a.note(fmt.Sprintf("%s: %d events%s; see it with waymark report %s", what, said.Events, dropped, names.Printable(strings.Join(files, " "))))
	for _, line := range []string{said.Advice, left} {
		if line != "" {
			a.note(line)
		}
	}
	return nil
}

// adviceOf says what a budget would have saved in a recording without one, "" if that is nothing.
func adviceOf(f *tracefile.File) string {
	fields := strings.Fields(f.Meta(format.MetaAdvice))
	var cpu, tracing int64
	if _, err := fmt.Sscan(f.Meta(format.MetaCPU)+" "+f.Meta(format.MetaTracing), &cpu, &tracing); err != nil || len(fields) < 2 {
		return ""
	}
	added := recording.Added(time.Duration(cpu), time.Duration(tracing))
	if limit, _ := setting.Find("budget").Parse("budget", defaultBudget); added <= limit.Share {
		return "" // tracing has kept to that budget by itself
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
	cost := fmt.Sprintf("tracing added some %.0f%% to the program's own CPU time; with --budget %s, which is a share of that,", 100*added, defaultBudget)
	if tracing >= cpu {
		cost = fmt.Sprintf("tracing took nearly all of the CPU time; with --budget %s", defaultBudget)
	}
	return fmt.Sprintf("%s calls of %s%s would only have been counted at times", cost, fn.Name, others)
}
