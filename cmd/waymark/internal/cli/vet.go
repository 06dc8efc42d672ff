package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// vetCommand has the go command find the packages and their types, and call this program for each.
func (a *app) vetCommand() *cobra.Command {
	return a.buildCmd("vet [go vet flags] [packages]",
		"report mistakes in directives; also usable as go vet -vettool", "", mixed,
		func(*pflag.FlagSet) {},
		func(line *commandLine) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			dir, _ := line.flags.Lookup("C")
			if err := gocmd.CheckVet(dir); err != nil {
				return err
			}
			cmd := exec.Command("go", slices.Concat([]string{"vet", "-vettool=" + self}, line.flags.Without("C"), line.args)...)
			cmd.Dir = dir
			cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stdout, a.stderr
			var exit *exec.ExitError
			switch err := await(cmd); {
			case errors.As(err, &exit):
				return exitError(max(exit.ExitCode(), exitFailed))
			case err != nil:
				return fmt.Errorf("run the go command: %w", err)
			}
			return nil
		})
}
