package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/dashboard"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/pattern"
)

func (a *app) attachCommand() *cobra.Command {
	var dir string
	o := dashboard.Options{}
	cmd := &cobra.Command{
		Use: "attach [flags] PID [TARGET...]", Short: "look into a running program from a dashboard in the terminal", Args: processArguments(0, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(dashboard.Sorts(), o.Sort) {
				return usagef("--sort=%s: want one of %q%s", o.Sort, dashboard.Sorts(), pattern.IsIt(o.Sort, dashboard.Sorts(), 1))
			}
			if err := checkEvery(o.Every); err != nil {
				return err
			}
			if err := tui.Check(a.stdin, a.stdout, "waymark top "+args[0]+", which prints tables"); err != nil {
				return fmt.Errorf("attach: %w", err)
			}
			return a.attach(args[0], dir, o, absolute(args[0], dir, args[1:]))
		},
	}
	set := cmd.Flags()
	set.StringVar(&dir, "dir", "", "look for sockets in `DIR`, such as a mounted folder of a container")
	a.defineYes(set)
	durationVar(set, &o.Every, "every", time.Second, "`DURATION` between two updates")
	set.StringVar(&o.Sort, "sort", "total", "sort functions by `COLUMN` at first: "+listed(dashboard.Sorts()))
	cmd.Long = `Attach shows what a running program does, and switches its functions on and off by groups and
packages. At first only TARGETs are on. Keys open the panes: functions with their times, groups,
calls with arguments and results, traces. r records to a file. The key ? lists all keys.

When attach ends, everything that it has switched on is switched off; even by kill -9, if waymark
has built the program. Programs of plain Go on linux/amd64 are patched. They stop for a moment at
the beginning and at the end; values need DWARF, which -ldflags=-w and -s leave out. After kill -9
of waymark the patches stay, and do nothing but cost time, until the next command or waymark reset.
You must be the program's user, or root.`
	return cmd
}

// attach shows the dashboard of a process until the user leaves it.
func (a *app) attach(process, dir string, o dashboard.Options, targets []string) error {
	s, err := session.Open(func(targets ...string) (*live.Conn, error) { return connect(process, dir, targets) })
	if err != nil {
		return err
	}
	defer s.Close()
	if len(targets) > 0 {
		if _, err := s.Switch(targets); err != nil {
			return err
		}
	}
	status, err := s.Status()
	if err != nil {
		return err
	}
	remote := live.IsRemote(process)
	o.Name = filepath.Base(status.Program)
	path := "" // that was asked for last
	o.Path = func(file string) (string, error) {
		if remote { // the program writes where it runs
			return file, nil
		}
		var err error
		if path, err = filepath.Abs(file); err == nil {
			err = replaceable(path)
		}
		return path, err
	}
	m := dashboard.New(s, o)
	a.consent.silent = true
	err = tui.Run(m, a.stdin, a.stdout, nil)
	if m.Recorded() != "" && !remote {
		if said := a.sayRecording("text", []string{path}); err == nil {
			err = said
		}
	}
	return err
}
