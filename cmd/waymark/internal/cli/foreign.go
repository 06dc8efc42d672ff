package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/host"
)

// recordForeign runs a program that plain Go has built, and records it.
func (a *app) recordForeign(line *commandLine, set *pflag.FlagSet, rec *recordFlags, values, file string) error {
	if err := replaceable(file); err != nil {
		return err
	}
	return a.startForeign("record", line, set, rec.live()+values, file, func() error { return a.recorded(file, "text", rec, nil) })
}

// runForeign runs a program that plain Go has built, and reports what it did.
func (a *app) runForeign(line *commandLine, set *pflag.FlagSet, rec *recordFlags, rep *reportFlags, out string) error {
	dir, err := tempDir("waymark-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "run.wmt")
	return a.startForeign("run", line, set, rec.live(), file, func() error {
		return a.to(out, a.stderr, nil, func(w io.Writer) error { return a.reportRun(w, dir, file, rep) })
	})
}

// startForeign runs a program that plain Go has built, records it to a file and calls then. Functions are those that
// --include names, else those of the main module. They are patched before the first instruction.
func (a *app) startForeign(name string, line *commandLine, set *pflag.FlagSet, settings, file string, then func() error) error {
	if len(line.exec()) > 0 {
		return usagef("%s: -exec runs programs that waymark has built", name)
	}
	var include []string // of the command line: waymark.toml's are of packages
	if flag := set.Lookup("include"); flag.Changed && config.From(flag) == "" {
		include = absolute("", "", flag.Value.(pflag.SliceValue).GetSlice())
	}
	path, err := exec.LookPath(line.args[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(path, line.args[1:]...)
	cmd.Args[0] = line.args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = inherit(a.stdin), a.stdout, a.stderr, os.Environ()
	var run *host.Run
	runErr := awaitProgram(cmd, func() (err error) {
		if run, err = host.Start(cmd, file, settings, include); err == nil {
			a.note(run.Note)
		}
		return err
	})
	if run == nil {
		return runErr
	}
	defer guard("")()
	if err := errors.Join(run.Close(), then()); err != nil {
		a.note(err.Error())
	}
	return programStatus(runErr)
}
