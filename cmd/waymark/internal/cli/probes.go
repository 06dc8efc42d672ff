package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/usdt/probes"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/usdt"
	"github.com/waymark-go/waymark/probe"
)

func (a *app) probesCommand() *cobra.Command {
	var f liveFlags
	var limits limitFlags
	var watched []string
	cmd := &cobra.Command{
		Use: "probes [flags] BINARY | PID", Short: "list USDT probes of a program: provider, probe, arguments, whether a tracer is attached",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usagef("probes: want a program's file, or a process id: waymark %s", cmd.Use)
			case len(args) > 1:
				return usagef("probes: unexpected argument %s", args[1])
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			list, process, err := a.findProbes(args[0])
			if err != nil {
				return err
			}
			if len(watched) == 0 {
				return a.listProbes(list, &f)
			}
			if process == "" {
				return usagef("probes -w: want a process id, not a file: nothing fires in %s", args[0])
			}
			return a.watchProbes(process, list, watched, &f, &limits)
		},
	}
	flags := cmd.Flags()
	f.define(flags)
	limits.define(flags, "firings")
	flags.StringArrayVarP(&watched, "watch", "w", nil, "of a process: print firings of `PROVIDER:PROBE`; * stands for any text (repeatable)")
	cmd.Long = `Probes lists the probes of bpftrace -l 'usdt:BINARY:*', and for each the module, the function,
arguments with their Go types, and the provider's stability. For a process, the column Attached has
the number of attached tracers: the probe's semaphore.

With -w, it prints firings of a running program of waymark build, without a tracer of the system.
It ends with ^C, at a limit, or with the program. It shows firings of functions' probes and of
package probe, at most 1000 a second; at the end it says how many it did not show.`
	return cmd
}

// findProbes returns the probes of a file or of a process, and the process.
func (a *app) findProbes(arg string) (list []probes.Probe, process string, err error) {
	if !isProcess(arg) && a.namesProcess(arg) {
		pid, err := live.PID(arg)
		if err != nil {
			return nil, "", err
		}
		arg = strconv.Itoa(pid)
	}
	if pid, err := strconv.Atoi(arg); err == nil {
		if runtime.GOOS != "linux" {
			return nil, "", fmt.Errorf("probes of a process need linux: list the probes of the program's file")
		}
		list, err := probes.OfProcess(pid)
		return list, arg, err
	}
	list, err = probes.OfFile(arg)
	return list, "", err
}

// listProbes prints the probes.
func (a *app) listProbes(list []probes.Probe, f *liveFlags) error {
	if f.form == "json" {
		for i := range list {
			if err := a.object(&list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	t := table.Table{Columns: []table.Column{{Head: "Attached", Right: true}, {Head: "Provider"}, {Head: "Probe"}, {Head: "Arguments"}, {Head: "Module"}, {Head: "Function"}, {Head: "Stability"}, {Head: "File"}}}
	for i := range list {
		p := &list[i]
		attached := "-"
		if p.Attached != nil {
			attached = strconv.Itoa(*p.Attached)
		}
		t.Rows = append(t.Rows, []table.Cell{{Text: attached}, {Text: p.Provider}, {Text: p.Name}, {Text: cmp.Or(strings.Join(p.Args, ", "), "-")},
			{Text: cmp.Or(p.Module, "-")}, {Text: cmp.Or(p.Function, "-")}, {Text: stability(p.Stability)}, {Text: filepath.Base(p.File)}})
	}
	return t.Write(a.stdout, (&textFlags{}).style(a.stdout))
}

// stability returns the attributes of a provider in one cell: those of its name, and of other parts that
// the provider says something about.
func stability(s *usdt.Attributes) string {
	if s == nil {
		return "-"
	}
	text := cmp.Or(s.Provider, "-")
	for _, part := range []struct{ name, value string }{{"module", s.Module}, {"function", s.Function}, {"name", s.Name}, {"args", s.Args}} {
		if part.value != "" && part.value != (probe.Attributes{}).String() {
			text += " " + part.name + "=" + part.value
		}
	}
	return text
}

// watchProbes prints firings of the probes that are named as PROVIDER:PROBE.
func (a *app) watchProbes(process string, list []probes.Probe, watched []string, f *liveFlags, limits *limitFlags) error {
	var targets, fired, known []string                                   // fired are the patterns that name probes of package probe
	entries, returns := make(map[string]string), make(map[string]string) // probes by function
	for i := range list {
		known = append(known, list[i].Provider+":"+list[i].Name)
	}
	for _, w := range watched {
		if !strings.Contains(w, ":") {
			return usagef("-w %s: want PROVIDER:PROBE, as in main:run__return", w)
		}
		found := false
		for i := range list {
			p := &list[i]
			if in, err := control.MatchProbe(w, p.Provider, p.Name); err != nil {
				return usageError{err}
			} else if !in {
				continue
			}
			found = true
			switch full := p.Provider + ":" + p.Name; {
			case p.Stability != nil:
				if !slices.Contains(fired, w) {
					fired = append(fired, w)
				}
				continue
			case p.Function == "" || !strings.HasSuffix(p.Name, "__entry") && !strings.HasSuffix(p.Name, "__return"):
				return fmt.Errorf("-w %s: %s is a probe neither of a function that waymark has instrumented nor of package probe: attach a tracer of the system, as in bpftrace -p %s -e 'usdt:*:%s { ... }'", w, full, process, full)
			case strings.HasSuffix(p.Name, "__entry"):
				entries[p.Function] = full
			default:
				returns[p.Function] = full
			}
			if !slices.Contains(targets, p.Function) {
				targets = append(targets, p.Function)
			}
		}
		if !found {
			return fmt.Errorf("-w %s matches no probe of process %s%s", w, process, pattern.IsIt(w, known, 3))
		}
	}
	c, err := live.Connect(process, f.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	w := control.Watch{Kind: control.KindCalls, Probes: fired}
	if len(entries) > 0 {
		w.On = append(w.On, control.OnEnter)
	}
	if len(returns) > 0 {
		w.On = append(w.On, control.OnReturn)
	}
	if len(entries) == 0 || len(returns) == 0 || len(entries) == len(returns) {
		w.Limit = limits.hits // else some of what the program tells is left out here
	}
	shown := uint64(0)
	short := names.NewSet()
	r, err := limits.watch(targets, w)
	if err != nil {
		return err
	}
	_, err = a.follow(c, f.form, r, limits.time, newsEvery, func(n *control.News) error {
		out := bufio.NewWriter(a.stdout) // one write for all
		for i := range n.Calls {
			call := &n.Calls[i]
			of, ok := entries[call.Function]
			switch call.End {
			case control.OnReturn:
				of, ok = returns[call.Function]
			case control.OnFire:
				of, ok = call.Function, true
			}
			if !ok || limits.hits > 0 && shown == limits.hits {
				continue
			}
			shown++
			if err := showFiring(out, f, short, of, call); err != nil {
				return err
			}
		}
		n.Done = n.Done || limits.hits > 0 && shown >= limits.hits
		return out.Flush()
	})
	return err
}

// A firing is one of a probe.
type firing struct {
	Probe string `json:"probe"`
	control.Call
}

func showFiring(w io.Writer, f *liveFlags, short *names.Set, of string, c *control.Call) error {
	if f.form == "json" {
		return writeObject(w, firing{of, *c})
	}
	if _, err := fmt.Fprintf(w, "%s  ", of); err != nil {
		return err
	}
	return showCall(w, f, short, c)
}
