package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

func (a *app) psCommand() *cobra.Command {
	var f liveFlags
	cmd := &cobra.Command{
		Use: "ps [flags]", Short: "list running programs that waymark's commands can look into", Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("ps: unexpected argument %s", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.ps(&f)
		},
	}
	f.define(cmd.Flags())
	return cmd
}

func (a *app) ps(f *liveFlags) error {
	dirs := []string{f.dir}
	if f.dir == "" {
		dirs = live.Folders(os.Geteuid())
	} else if _, err := os.ReadDir(f.dir); err != nil {
		return err
	}
	list, unanswered := live.Processes(f.dir)
	for _, path := range unanswered {
		a.note("no answer at " + path)
	}
	var others []live.Silent
	if f.dir == "" {
		others = live.Silents(list)
	}
	if f.form == "json" {
		for _, p := range list {
			if err := a.object(p.Status); err != nil {
				return err
			}
		}
		for _, p := range others {
			if err := a.object(p); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list)+len(others) == 0 {
		a.note("no program has a socket in " + strings.Join(dirs, ", ") + ": build one with waymark build")
		return nil
	}
	t := table.Table{Columns: []table.Column{{Head: "PID", Right: true}, {Head: "Uptime", Right: true}, {Head: "Functions", Right: true}, {Head: "On"}, {Head: "Program"}}}
	for _, p := range list {
		t.Rows = append(t.Rows, []table.Cell{{Text: strconv.Itoa(p.PID)}, table.Duration(time.Duration(p.UptimeNS)), table.Count(uint64(p.Functions)),
			{Text: what(&p.Status)}, {Text: p.Program}})
	}
	for _, p := range others {
		state := "doesn't listen"
		switch {
		case p.Listens:
			state = "listens"
		case p.Plain && runtime.GOARCH == "amd64":
			state = "plain Go: can be patched"
		}
		t.Rows = append(t.Rows, []table.Cell{{Text: strconv.Itoa(p.PID)}, table.Duration(time.Duration(p.UptimeNS)), {Text: "-"},
			{Text: state + ", " + p.Release}, {Text: p.Program}})
	}
	return t.Write(a.stdout, (&textFlags{}).style(a.stdout))
}

// what says in a few words what is on.
func what(s *control.Status) string {
	var list []string
	if s.Suspended {
		list = append(list, "suspended")
	}
	if s.Recording != "" {
		list = append(list, "recording to "+filepath.Base(s.Recording))
	}
	if n := len(s.On); n > 0 {
		list = append(list, units.Things(uint64(n), "target"))
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

func (a *app) statusCommand() *cobra.Command {
	var inlined bool
	return a.liveCmd("status [flags] PID [PATTERN...]", "show what is switched on in a running program", 0, -1,
		func(set *pflag.FlagSet) {
			set.BoolVar(&inlined, "inlined", false, "list functions with inlined calls, which aren't seen; of PATTERN or of the main module")
		},
		func(c *live.Conn, f *liveFlags, patterns []string) error {
			if inlined {
				return a.listInlined(c, f, patterns)
			}
			if len(patterns) > 0 {
				return usagef("status: unexpected argument %s: patterns need --inlined", patterns[0])
			}
			answer, err := c.Ask(control.Request{Do: control.DoStatus})
			if err != nil {
				return err
			}
			if f.form == "json" {
				return a.object(answer.Status)
			}
			return a.sayStatus(answer.Status)
		})
}

// listInlined lists the functions that are inlined somewhere in a program that is patched.
func (a *app) listInlined(c *live.Conn, f *liveFlags, patterns []string) error {
	answer, err := c.Ask(control.Request{Do: control.DoStatus})
	if err != nil {
		return err
	}
	if answer.Status == nil || answer.Status.Patched == nil {
		return usagef("status: --inlined is for patched programs: programs of waymark build have no inlined calls of instrumented functions")
	}
	if answer, err = c.Ask(control.Request{Do: control.DoList, Targets: patterns}); err != nil {
		return err
	}
	if answer.List == nil {
		return errors.New("the program's answer has no list")
	}
	list := answer.List.Inlined
	if f.form == "json" {
		return a.object(list)
	}
	t := table.Table{Columns: []table.Column{{Head: "Places", Right: true}, {Head: "Function"}}}
	for _, one := range list {
		t.Rows = append(t.Rows, []table.Cell{table.Count(uint64(one.Functions)), {Text: one.Name}})
	}
	if len(list) == 0 {
		a.note("no calls are missed because of inlining")
		return nil
	}
	if n := answer.List.More; n > 0 {
		a.note(fmt.Sprintf("and %s more: name fewer functions", units.Count(uint64(n))))
	}
	return t.Write(a.stdout, (&textFlags{}).style(a.stdout))
}

// sayStatus prints a status for people.
func (a *app) sayStatus(s *control.Status) error {
	var b strings.Builder
	line := func(name, text string) { fmt.Fprintf(&b, "%-11s %s\n", name, text) }
	line("program", fmt.Sprintf("%s, process %d", s.Program, s.PID))
	line("uptime", strings.TrimSpace(units.Duration(time.Duration(s.UptimeNS))))
	if s.Suspended {
		line("suspended", fmt.Sprintf("before its first init function, until waymark resume %d", s.PID))
	}
	line("functions", units.Count(uint64(s.Functions)))
	if len(s.Groups) > 0 {
		line("groups", strings.Join(s.Groups, ", "))
	}
	if p := s.Patched; p != nil {
		line("patched", units.Things(uint64(p.Functions), "function"))
		line("code", fmt.Sprintf("bytes that differ from the file: %d", p.Bytes))
		if p.Restored > 0 {
			line("restored", fmt.Sprintf("%d jumps that a killed waymark had left", p.Restored))
		}
	}
	if s.Recording != "" {
		line("recording", s.Recording)
	}
	if s.Seen != "" {
		line("seen", s.Seen)
	}
	for _, o := range s.On {
		text := o.Monitor + " " + o.Target
		if o.Kept {
			text += ", kept"
		}
		if o.LeftNS > 0 {
			text += ", for another " + strings.TrimSpace(units.Duration(time.Duration(o.LeftNS)))
		}
		line("on", text)
	}
	if len(s.On) == 0 {
		line("on", "nothing")
	}
	if s.Kept > 0 {
		line("kept", units.Things(uint64(s.Kept), "call")+", until waymark reset, or an hour after the last watch")
	}
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}
