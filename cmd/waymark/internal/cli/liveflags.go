package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/units"
)

// liveFormats are the values of --format of live commands; json is an object a line.
var liveFormats = []string{"text", "json"}

// liveFlags are the flags of all commands that look into running programs.
type liveFlags struct {
	dir, form string
	more      []string // formats that the command has beside liveFormats
}

func (f *liveFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.dir, "dir", "", "look for sockets in `DIR`, such as a mounted folder of a container")
	set.StringVar(&f.form, "format", "text", "`FORMAT`: text or json, an object a line"+f.others())
}

func (f *liveFlags) check() error {
	if formats := append(slices.Clone(liveFormats), f.more...); !slices.Contains(formats, f.form) {
		last := len(formats) - 1
		return usagef("--format=%s: want %s or %s%s", f.form, strings.Join(formats[:last], ", "), formats[last], pattern.IsIt(f.form, formats, 1))
	}
	return nil
}

// others lists the formats that the command has beside liveFormats.
func (f *liveFlags) others() string {
	if len(f.more) == 0 {
		return ""
	}
	return "; " + strings.Join(f.more, ", ")
}

// liveCmd makes a command whose first argument is a process. least and most are numbers of further
// arguments; a negative most is no limit.
func (a *app) liveCmd(use, short string, least, most int, define func(*pflag.FlagSet), run func(c *live.Conn, f *liveFlags, args []string) error) *cobra.Command {
	return a.liveCmdWith(liveFlags{}, use, short, least, most, define, run)
}

// liveCmdWith is liveCmd for a command that has more formats.
func (a *app) liveCmdWith(f liveFlags, use, short string, least, most int, define func(*pflag.FlagSet), run func(c *live.Conn, f *liveFlags, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: processArguments(least, most),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			_, stop := interrupted(0) // what is changed in the program is changed back
			defer stop()
			targets := absolute(args[0], f.dir, args[1:])
			c, err := connect(args[0], f.dir, targets)
			if err != nil {
				return swapped(use, args, err)
			}
			defer c.Close()
			return run(c, &f, targets)
		},
	}
	f.define(cmd.Flags())
	a.defineYes(cmd.Flags())
	if define != nil {
		define(cmd.Flags())
	}
	return cmd
}

// absolute returns targets whose relative patterns, such as ./store/..., begin at this folder: of a process that has this
// machine's files.
func absolute(process, dir string, targets []string) (list []string) {
	here, err := os.Getwd()
	if err != nil || dir != "" || live.IsRemote(process) {
		return targets
	}
	for _, t := range targets {
		if strings.HasPrefix(t, ".") {
			list = append(list, pattern.Rebase(t, here)...)
		} else {
			list = append(list, t)
		}
	}
	return list
}

// swapped returns a better error than that of a process that was not found, if that is a function and a process follows.
func swapped(use string, args []string, err error) error {
	if !isProcess(args[0]) && strings.ContainsAny(args[0], ".*") && slices.ContainsFunc(args, isProcess) {
		return usagef("no process is named %s: the process comes first, waymark %s", args[0], use)
	}
	return err
}

// connect connects to a process whose functions or lines targets are.
func connect(process, dir string, targets []string) (*live.Conn, error) {
	switch lines := slices.ContainsFunc(targets, control.IsLine); {
	case lines && (dir != "" || live.IsRemote(process)):
		return nil, usagef("lines need a process of this machine, which is patched: leave out --dir, and give no address")
	case lines:
		return live.ConnectPatched(process)
	}
	return live.Connect(process, dir)
}

// processArguments checks that there is a process, and the number of further arguments.
func processArguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args) - 1; {
		case n < 0:
			return usagef("%s: want a process id, or the name of a program: waymark %s", cmd.Name(), cmd.Use)
		case n < least:
			return usagef("%s: want a function: waymark %s", cmd.Name(), cmd.Use)
		case most >= 0 && n > most:
			return usagef("%s: unexpected argument %s", cmd.Name(), args[most+1])
		}
		return nil
	}
}

// interrupted returns a context that ends by ^C, SIGTERM, SIGHUP, or after some time; 0: no time.
func interrupted(d time.Duration) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if d <= 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	return ctx, func() { cancel(); stop() }
}

// object prints a line of JSON.
func (a *app) object(v any) error { return writeObject(a.stdout, v) }

func writeObject(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// affected says what a change was about, on stderr: stdout has the answers.
func (a *app) affected(c *control.Change) {
	fmt.Fprintf(a.stderr, "waymark: affected %s in %s, %s\n", units.Things(uint64(c.Functions), "function"),
		units.Things(uint64(c.Packages), "package"), strings.TrimSpace(units.Duration(time.Duration(c.TookNS))))
}

// gone returns an error if the program ends before the context does.
func gone(ctx context.Context, c *live.Conn) error {
	ended := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		ended <- err
	}()
	select {
	case <-ctx.Done():
		return nil
	case <-ended:
		return live.ErrEnded
	}
}
