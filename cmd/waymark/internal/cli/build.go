package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
)

func (a *app) buildCommand() *cobra.Command {
	f := buildFlags{listen: true}
	return a.buildCmd("build [--flags] [go build flags] [packages]",
		"build an instrumented program; tracing is off until it is switched on", "", mixed, func(set *pflag.FlagSet) {
			f.define(set)
			set.BoolVar(&f.otlp, "otlp", false, "link what sends traces to a collector (WAYMARK=traces=PATTERN,otlp=URL); default: only into programs that import net/http")
		},
		func(line *commandLine) error {
			b, err := a.prepare(&f, line.flags, line.args, false)
			if err != nil || b == nil {
				return err
			}
			return a.goBuild(b, &f)
		})
}

// goBuild runs go build. blame says why it failed.
func (a *app) goBuild(b *build.Build, f *buildFlags) error {
	show, done := a.progress()
	show("building")
	cmd := b.Env.Command(b.Go("build", b.Args...)...)
	a.trace(f, cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = a.stdout, &out
	err := await(cmd)
	done()
	if err == nil {
		a.stderr.Write(out.Bytes()) // -x, -v and warnings; the program is built, whoever reads them
		return nil
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("run the go command: %w", err)
	}
	if e := (ended{exit.ProcessState}); exit.ExitCode() < 0 {
		return exitError(e.status()) // interrupted
	}
	return a.blame(b, f, out.String(), exitError(exit.ExitCode()))
}

// trace prints a command line if --verbose asks for it.
func (a *app) trace(f *buildFlags, cmd *exec.Cmd) {
	if f.says(4) {
		a.note(fmt.Sprintf("cd %s && %s", cmd.Dir, strings.Join(cmd.Args, " ")))
	}
}

// describe says on stderr what was instrumented, as --verbose asks.
func (a *app) describe(f *buildFlags, b *build.Build) {
	if !f.says(1) {
		return
	}
	a.describeConfig()
	n := 0
	packages := make(map[string]int)
	var order []string
	for i := range b.Funcs {
		p := b.Funcs[i].Package
		if _, ok := packages[p]; !ok {
			order = append(order, p)
			packages[p] = 0
		}
		if b.Funcs[i].Instrumented {
			n++
			packages[p]++
		}
	}
	a.note(fmt.Sprintf("%d of %d functions in %d packages instrumented", n, len(b.Funcs), len(packages)))
	if f.says(2) {
		for _, p := range order {
			a.note(fmt.Sprintf("%s: %d functions", p, packages[p]))
		}
	}
	if f.says(3) {
		for i := range b.Funcs {
			if b.Funcs[i].Instrumented {
				a.note(b.Funcs[i].Name)
			}
		}
	}
	if f.says(4) {
		for _, file := range b.Files {
			a.note(fmt.Sprintf("%s is built from %s", file.Path, file.Cached))
		}
	}
}

// broken returns an error for the packages that were asked for and aren't to be had. Builds leave this
// to the go command.
func broken(b *build.Build) error {
	var errs []error
	for _, p := range b.Main {
		if p.Error != nil {
			errs = append(errs, errors.New(p.Error.Err))
		}
	}
	return errors.Join(errs...)
}

// printFuncs answers --dry-run.
func printFuncs(w io.Writer, funcs []build.Func) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	n := 0
	for i := range funcs {
		f := &funcs[i]
		what := "instrumented"
		if !f.Instrumented {
			what = "left out"
		} else {
			n++
		}
		line := fmt.Sprintf("%s\t%s\t%s:%d\t%s", what, f.Name, f.File, f.Line, f.Reason)
		fmt.Fprintln(tw, strings.TrimRight(line, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d of %d functions would be instrumented\n", n, len(funcs))
	return err
}
