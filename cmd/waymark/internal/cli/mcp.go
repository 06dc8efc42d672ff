package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
)

// endOfTool is how long a command may take to end when its tool's call is cancelled.
const endOfTool = 5 * time.Second

func (a *app) mcpCommand() *cobra.Command {
	var changes bool
	var addresses []string
	cmd := &cobra.Command{
		Use: "mcp [flags]", Short: "offer commands as tools to coding agents, over stdin and stdout",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("mcp: unexpected argument %s", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if a.parts == nil {
				return a.inFull("mcp")
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			ctx, stop := interrupted(0)
			defer stop()
			t := Tools{Version: library.Version(), Changes: changes, Addresses: addresses, Run: func(ctx context.Context, dir string, args []string, stdout, stderr io.Writer) (int, error) {
				return runTool(ctx, self, dir, args, len(addresses) > 0, stdout, stderr)
			}}
			return a.parts.MCP(ctx, t, a.stdin, a.stdout)
		},
	}
	cmd.Long = `Mcp speaks the Model Context Protocol. Its tools are ps, status, top, watch, trace, stack, monitor
and reached, for running programs; report, tree and traces, for recordings; build and test.`
	cmd.Flags().BoolVar(&changes, "allow-changes", false, "allow build and test, which write files and run the user's code")
	cmd.Flags().StringArrayVar(&addresses, "address", nil, "let tools ask the program at this `ADDRESS`, as live commands take it (repeatable); they send it the token in WAYMARK_TOKEN")
	return cmd
}

// runTool runs this command with other arguments. The user's token is passed on only where it is
// for an address of the user's.
func runTool(ctx context.Context, self, dir string, args []string, token bool, stdout, stderr io.Writer) (status int, err error) {
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	cmd.Env = slices.DeleteFunc(append(cmd.Environ(), "NO_COLOR=1"), func(v string) bool { return !token && strings.HasPrefix(v, live.TokenVariable+"=") })
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endOfTool
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}
