package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/ui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/ui/recorded"
	"github.com/waymark-go/waymark/tracefile"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen string
	open   bool
	dir    string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve [flags] FILE...|PID", Short: "show recordings, or a running program, in a browser",
		Long: `serve answers a browser on this machine with pages about recordings, or about a running
program. It prints the address to open, which has a secret token, and answers until it is
interrupted.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("serve: want a recording, a process id or the name of a program: waymark %s%s", cmd.Use, asIn("serve"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := ui.CheckAddress(f.listen); err != nil {
				return usagef("--listen: %w", err)
			}
			if len(args) == 1 && a.namesProcess(args[0]) {
				return a.serveProcess(&f, args[0])
			}
			if f.dir != "" {
				return usagef("--dir: want a process with it, not recordings")
			}
			return a.serveFiles(&f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`ADDRESS` of this machine to listen at; port 0 is any")
	flags.BoolVar(&f.open, "open", false, "open the address in the browser, too")
	flags.StringVar(&f.dir, "dir", "", "look for sockets of programs in `DIR`, as where a container's are mounted")
	return cmd
}

// namesProcess reports whether an argument names a process: by its id, or by the name of a program
// that listens, unless there is a file of that name.
func (a *app) namesProcess(arg string) bool {
	if isProcess(arg) {
		return true
	}
	_, err := os.Stat(arg)
	return err != nil && filepath.Base(arg) == arg && live.Runs(arg)
}

// serveFiles serves pages about recordings.
func (a *app) serveFiles(f *serveFlags, files []string) error {
	return a.withSet(files, func(set *tracefile.Set) error {
		s := ui.New(filepath.Base(set.Processes[0].Info().Program))
		recorded.New(set, nil).Mount(s)
		return a.serve(f, s)
	})
}

// serveProcess serves pages about a running program.
func (a *app) serveProcess(f *serveFlags, process string) error {
	c, err := live.Connect(process, f.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	return errors.New("not yet")
}

// serve prints the address and answers until ^C or SIGTERM.
func (a *app) serve(f *serveFlags, s *ui.Server) error {
	listener, err := ui.Listen(f.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	ctx, stop := interrupted(0)
	defer stop()
	url := s.URL(listener.Addr())
	if _, err := fmt.Fprintln(a.stdout, url); err != nil {
		listener.Close()
		return err
	}
	a.note("open this address in a browser; ^C ends")
	if f.open {
		a.browse(ctx, url)
	}
	return s.Serve(ctx, listener)
}

// browse opens an address in the user's browser, or says why it can't.
func (a *app) browse(ctx context.Context, url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		a.note("--open: " + err.Error())
		return
	}
	go cmd.Wait()
}
