package cli

import (
	"errors"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"
)

func (a *app) testCommand() *cobra.Command {
	var f buildFlags
	return a.buildCmd("test [--flags] [go test flags] [packages]",
		"run tests with every function observable, tracing off", "", false, f.define,
		func(line *commandLine) error {
			packages, rest := line.args, []string(nil)
			if i := slices.Index(line.args, "-args"); i >= 0 {
				packages, rest = line.args[:i], line.args[i:]
			}
			b, err := a.prepare(&f, line.flags, packages, true)
			if err != nil || b == nil {
				return err
			}
			if f.work {
				if err := a.keepWork(b); err != nil {
					return err
				}
			}
			cmd := b.Env.Command(append(b.Go("test", b.Args...), rest...)...)
			a.trace(&f, cmd)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = inherit(a.stdin), a.stdout, a.stderr
			err = await(cmd)
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return exitError(ended{exit.ProcessState}.status())
			}
			return err
		})
}
