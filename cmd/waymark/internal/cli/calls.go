package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

func (a *app) callsCommand() *cobra.Command {
	var limits limitFlags
	cmd := a.liveCmd("calls [flags] PID [NUMBER...]", "show the calls that watch --keep-calls has kept in a running program", 0, -1,
		limits.defineIf,
		func(c *live.Conn, f *liveFlags, args []string) error {
			var q control.Query
			for _, arg := range args {
				n, err := strconv.ParseUint(strings.TrimPrefix(arg, "#"), 10, 64)
				if err != nil {
					return usagef("calls: %s: want the number of a call", arg)
				}
				q.Numbers = append(q.Numbers, n)
			}
			var err error
			if q.If, err = limits.condition(nil); err != nil {
				return err
			}
			return a.calls(c, f, q)
		})
	cmd.Long = `Calls lists the calls that watch --keep-calls has kept, or shows the calls with these numbers in
full. The program keeps the latest 1000 calls, until waymark reset, or for an hour after the last
watch.

Values are shown as they were when the call began and ended. A condition is evaluated again: memory
behind pointers may have changed meanwhile.`
	return cmd
}

// calls prints what a query finds.
func (a *app) calls(c *live.Conn, f *liveFlags, q control.Query) error {
	short := names.NewSet()
	var notes []string
	shown := 0
	for {
		answer, err := c.Ask(control.Request{Do: control.DoCalls, Calls: &q})
		if err != nil {
			return err
		}
		k := answer.Calls
		if k == nil {
			return errors.New("the program has answered without calls")
		}
		for i := range k.Calls {
			if err := a.showKept(f, short, &k.Calls[i], len(q.Numbers) > 0); err != nil {
				return err
			}
		}
		for _, note := range k.Notes {
			if !slices.Contains(notes, note) { // each message may have it
				notes = append(notes, note)
				a.note(note + "; such calls are left out")
			}
		}
		shown += len(k.Calls)
		if q.After = k.After; q.After == 0 {
			break
		}
	}
	if shown == 0 && len(q.If) > 0 {
		a.note("no call that is kept is accepted by --if")
	} else if shown == 0 {
		a.note("no call is kept: waymark watch --keep-calls keeps calls")
	}
	return nil
}

// showKept prints a call that was kept: a line, or in full.
func (a *app) showKept(f *liveFlags, short *names.Set, c *control.KeptCall, full bool) error {
	switch {
	case f.form == "json":
		return a.object(c)
	case !full:
		return showCall(a.stdout, f, short, &c.Call)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "call %d of %s\n", c.Number, c.Function)
	line := func(name, text string) { fmt.Fprintf(&b, "  %-9s  %s\n", name, text) }
	line("began", time.Unix(0, c.StartUnix).Format("2006-01-02 15:04:05.000000"))
	line("goroutine", strconv.FormatUint(c.Goroutine, 10))
	switch c.End {
	case control.OnEnter:
		line("end", "not watched")
	case control.OnReturn:
		line("took", strings.TrimSpace(units.Duration(c.DurationNS)))
	default:
		line("took", strings.TrimSpace(units.Duration(c.DurationNS))+", then panicked")
	}
	switch {
	case c.Panic != "" && c.End == control.OnReturn:
		line("recovered", "a panic: "+c.Panic)
	case c.Panic != "":
		line("panic", c.Panic)
	}
	if c.Hidden {
		line("values", "hidden by the program")
	}
	for _, list := range []struct {
		what   string
		values []control.Value
	}{{"argument", c.ArgValues}, {"result", c.ResultValues}} {
		for i, v := range list.values {
			name := v.Name
			if name == "" {
				name = fmt.Sprintf("[%d]", i)
			}
			line(list.what, strings.Join(strings.Fields(name+" "+v.Type), " ")+" = "+v.Value)
		}
	}
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}
