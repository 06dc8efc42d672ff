package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
)

func (a *app) onCommand() *cobra.Command {
	r := control.Request{Do: control.DoOn}
	var d time.Duration
	cmd := a.liveCmd("on [flags] PID TARGET...", "switch functions on in a running program", 1, -1,
		func(set *pflag.FlagSet) {
			set.StringVar(&r.Monitor, "monitor", control.Monitors[0], "do `WHAT` with calls: stats, record, or print to the program's stderr")
			durationVar(set, &d, "for", 0, "`DURATION` until they are switched off, as 30s; 0: until this command ends")
			set.BoolVar(&r.Keep, "stay", false, "end at once and leave the functions on, until off, reset or --for")
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			r.Targets, r.ForNS = targets, 0
			if r.Keep {
				r.ForNS = int64(d)
			}
			if err := a.change(c, f, r); err != nil || r.Keep {
				return err
			}
			ctx, stop := interrupted(d)
			defer stop()
			return gone(ctx, c)
		})
	cmd.Long = `On switches functions or groups (@NAME) on until this command ends: by ^C, a signal, --for, or kill
-9. Functions that other commands have switched on stay on.`
	return cmd
}

func (a *app) offCommand() *cobra.Command {
	return a.liveCmd("off [flags] PID TARGET...", "switch off functions that on --stay has switched on", 1, -1, nil,
		func(c *live.Conn, f *liveFlags, targets []string) error {
			return a.change(c, f, control.Request{Do: control.DoOff, Targets: targets})
		})
}

func (a *app) resetCommand() *cobra.Command {
	return a.liveCmd("reset [flags] PID", "switch off everything that commands have switched on in a running program", 0, 0, nil,
		func(c *live.Conn, f *liveFlags, _ []string) error {
			return a.change(c, f, control.Request{Do: control.DoReset})
		})
}

func (a *app) resumeCommand() *cobra.Command {
	cmd := a.liveCmd("resume [flags] PID", "resume a program that was started with WAYMARK=suspend", 0, 0, nil,
		func(c *live.Conn, _ *liveFlags, _ []string) error {
			_, err := c.Ask(control.Request{Do: control.DoResume})
			return err
		})
	cmd.Long = `Resume resumes a program that waits before its first init function because of WAYMARK=suspend, so
that other commands can begin before that.`
	return cmd
}

// change asks for a change, and says what it was about.
func (a *app) change(c *live.Conn, f *liveFlags, r control.Request) error {
	answer, err := c.Ask(r)
	if err != nil {
		return err
	}
	if f.form == "json" {
		return a.object(answer.Change)
	}
	a.affected(answer.Change)
	if note := answer.Change.Note; note != "" {
		a.note(note)
	}
	return nil
}
