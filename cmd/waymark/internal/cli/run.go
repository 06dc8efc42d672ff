package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/gocmd"
)

// firstTop is how many rows fit a screen, for who runs a program the first time.
const firstTop = 20

func (a *app) runCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var rep reportFlags
	var stat statsFlags
	var set *pflag.FlagSet
	return a.buildCmd("run [--flags] [go run flags] package-or-instrumented-binary [args]",
		"run a program and print which functions took the time", "", programLast,
		func(flags *pflag.FlagSet) {
			set = flags
			f.define(set)
			rec.define(set)
			rep.define(set, firstTop)
			stat.define(set)
		},
		func(line *commandLine) error {
			if err := errors.Join(rec.check(), rep.check(), stat.check()); err != nil {
				return err
			}
			records := rec.given() || rep.by != "function"
			if records && stat.given() {
				return usagef("run: --%s is of statistics, and --%s needs a recording: use one of them", stat.first(), cmp.Or(rec.first(), "by"))
			}
			t, err := a.program("run", &f, set, line)
			if t != nil {
				defer t.clear()
			}
			if err != nil || t == nil {
				return err
			}
			if rec.ring() {
				rec.set.Set("dump-at-exit", "true") // the report is of the window
			}
			file := filepath.Join(t.dir, "run.wmt")
			if records {
				t.env = rec.env(file) + stat.printing()
			} else {
				t.env = stat.env(t.dir, &rep)
			}
			runErr := a.run(t)
			defer guard(t.dir)()
			if records {
				err = a.reportRun(t.dir, file, &rep)
			} else {
				err = a.reportStatistics(t.dir, &rep)
			}
			if err != nil && !errors.As(err, new(exitError)) {
				fmt.Fprintf(a.stderr, "waymark: no report: %v\n", err)
			}
			t.clear() // the status may be a signal
			return programStatus(runErr)
		})
}

// programStatus turns the end of the traced program into that of this command.
func programStatus(err error) error {
	var e ended
	if errors.As(err, &e) {
		return exitError(e.status())
	}
	return err
}

// buildProgram builds the program that line names, as go run would, into a folder
// of its own. It gives nil if --dry-run was asked for.
func (a *app) buildProgram(name string, f *buildFlags, line *commandLine) (*traced, error) {
	n := 0
	for n < len(line.args) && strings.HasSuffix(line.args[n], ".go") {
		n++
	}
	if n == 0 && len(line.args) > 0 {
		n = 1
	}
	if n == 0 {
		line.args, n = []string{"."}, 1
	}
	t := &traced{args: line.args[n:], exec: line.exec()}
	flags := line.flags.Without("exec")
	if _, ok := flags.Lookup("o"); ok {
		return nil, usagef("%s: -o names no output here; waymark build -o does", name)
	}
	b, err := a.prepare(f, flags, line.args[:n], false)
	if err != nil || b == nil {
		return nil, err
	}
	mains := 0
	for _, p := range b.Main {
		if p.Error == nil && p.Name != "main" {
			return nil, fmt.Errorf("package %s is not a main package: name one that is a command", p.ImportPath)
		}
		mains++
	}
	if mains > 1 {
		return nil, fmt.Errorf("%s names %d packages: name one", line.args[0], mains)
	}
	if t.dir, err = tempDir("waymark-"); err != nil {
		return nil, err
	}
	exe := "program"
	if mains == 1 {
		exe = gocmd.ExeName(b.Main[0].ImportPath) // as go run does it, for what os.Args[0] ends in
	}
	t.path = filepath.Join(t.dir, exe+b.Env.GOEXE)
	b.Flags = append(b.Flags, "-o", t.path)
	return t, a.goBuild(b, f)
}
