package cli

import (
	"errors"
	"os"
	"os/exec"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/host"
)

// recordForeign runs a program that plain Go has built, and records it. Functions are those that --include names, else
// those of the main module. They are patched before the first instruction.
func (a *app) recordForeign(line *commandLine, f *buildFlags, rec *recordFlags, file string) error {
	if len(line.exec()) > 0 {
		return usagef("record: -exec runs programs that waymark has built")
	}
	path, err := exec.LookPath(line.args[0])
	if err != nil {
		return err
	}
	if err := replaceable(file); err != nil {
		return err
	}
	cmd := exec.Command(path, line.args[1:]...)
	cmd.Args[0] = line.args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = inherit(a.stdin), a.stdout, a.stderr, os.Environ()
	var run *host.Run
	runErr := awaitProgram(cmd, func() (err error) {
		if run, err = host.Start(cmd, file, rec.live(), f.include); err == nil {
			a.note(run.Note)
		}
		return err
	})
	if run == nil {
		return runErr
	}
	defer guard("")()
	if err := errors.Join(run.Close(), a.recorded(file, "text", rec, nil)); err != nil {
		a.note(err.Error())
	}
	return programStatus(runErr)
}
