package cli

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// endsOfCalls are the values of --on of watch.
var endsOfCalls = []string{control.OnEnter, "exit", control.OnReturn, control.OnPanic}

func (a *app) watchCommand() *cobra.Command {
	var limits limitFlags
	var on []string
	var keep bool
	var least time.Duration
	var caller bool
	var width, stack int
	var shown shownFlags
	var set *pflag.FlagSet
	cmd := a.liveCmd("watch [flags] PID FUNC...|FILE.go:LINE...", "show calls of functions in a running program, or variables where a line is reached", 1, -1,
		func(flags *pflag.FlagSet) {
			set = flags
			limits.define(set, "calls")
			limits.defineIf(set)
			set.StringSliceVar(&on, "on", nil, "show calls on `WHAT`: enter, exit, return or panic (repeatable; default exit, which is return and panic)")
			durationVar(set, &least, "min", 0, "leave out calls that took less than `DURATION`")
			set.BoolVar(&keep, "keep-calls", false, "number the calls and keep them in the program: waymark calls shows them again")
			set.BoolVar(&caller, "caller", false, "show the caller of each call")
			set.IntVar(&stack, "stack", 0, "show `N` callers of each line's function")
			shown.define(set, " (repeatable)")
			set.IntVar(&width, "width", 0, "print at most `N` columns of each value; 0: no limit (default: strings of 64 bytes, lists of 8, errors whole; of a patched program 72 columns)")
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			only, err := limits.condition(targets)
			if err != nil {
				return err
			}
			if err := checkWidth(width); err != nil {
				return err
			}
			w := control.Watch{Kind: control.KindCalls, MinNS: int64(least), Limit: limits.hits, If: only, Keep: keep, Caller: caller, Stack: stack}
			if err := checkLines(targets, &w, on); err != nil {
				return err
			}
			if w.Values, err = shown.live(); err != nil {
				return err
			}
			if w.Values != "" && !c.Patched {
				return fixed("watch", w.Values)
			}
			if w.Width = width; width == 0 && set.Changed("width") {
				w.Width = -1
			}
			for _, what := range on {
				if !slices.Contains(endsOfCalls, what) {
					return usagef("--on=%s: want enter, exit, return or panic%s", what, instead(what))
				}
				if what == "exit" {
					w.On = append(w.On, control.OnReturn, control.OnPanic)
				} else {
					w.On = append(w.On, what)
				}
			}
			short := names.NewSet()
			r, err := limits.watch(targets, w)
			if err != nil {
				return err
			}
			_, err = a.follow(c, f.form, r, limits.time, newsEvery, func(n *control.News) error {
				out := bufio.NewWriter(a.stdout) // one write for all
				for i := range n.Calls {
					if err := showCall(out, f, short, &n.Calls[i]); err != nil {
						return err
					}
				}
				return out.Flush()
			})
			return err
		})
	cmd.Long = `Watch shows calls as they end: time of the start, goroutine, duration, function, arguments, results,
panic. A program of waymark has values if it was built by waymark build --args --results. For a
program of plain Go, --arg-depth, --arg-bytes, --redact and --redact-type choose the values. At most
1000 calls a second are shown; at the end watch says how many it did not show.

For a line, such as main.go:38, it shows the variables in scope before the line's code runs.
Conditions name variables: --if 'retries > 3 && err != nil'.

For calls, conditions name args.NAME or args[0], results in the same way, duration, error (the last
result is one), panic and goroutine: --if 'args.n > 3 && (error || panic != nil)'.

With --keep-calls each call gets a number, by which waymark calls shows it in full.`
	return cmd
}

// instead says what to write for a value of --on that there is not.
func instead(what string) string {
	if strings.HasPrefix(what, "err") {
		return "; for calls that return an error: --if error"
	}
	return pattern.IsIt(what, endsOfCalls, 1)
}

// checkLines returns an error if targets are lines, and what is wanted is of calls, or the other way round.
func checkLines(targets []string, w *control.Watch, on []string) error {
	switch lines := slices.ContainsFunc(targets, control.IsLine); {
	case w.Stack < 0:
		return usagef("--stack=%d: want 0 or more", w.Stack)
	case !lines && w.Stack > 0:
		return usagef("--stack needs lines, as in main.go:38: for callers of functions use waymark stack")
	case lines && (w.MinNS > 0 || w.Keep || len(on) > 0):
		return usagef("--min, --on and --keep-calls are for calls: leave them out for lines")
	}
	return nil
}

// showCall prints a call.
func showCall(w io.Writer, f *liveFlags, short *names.Set, c *control.Call) error {
	if f.form == "json" {
		return writeObject(w, c)
	}
	short.Add(c.Function)
	var b strings.Builder
	if c.Number > 0 {
		fmt.Fprintf(&b, "#%-4d ", c.Number)
	}
	fmt.Fprintf(&b, "%s [%d] ", time.Unix(0, c.StartUnix).Format("15:04:05.000000"), c.Goroutine)
	switch c.End {
	case control.OnEnter:
		fmt.Fprintf(&b, "%10s", ">")
	case control.OnFire:
		fmt.Fprintf(&b, "%10s", "!")
	case control.OnLine:
		fmt.Fprintf(&b, "%s:%d", filepath.Base(c.File), c.Line)
	default:
		b.WriteString(units.Aligned(c.DurationNS))
	}
	args := c.Args
	if c.Hidden {
		args = "***"
	}
	if c.End == control.OnLine {
		fmt.Fprintf(&b, "  %s  %s", short.Short(c.Function), args)
	} else {
		fmt.Fprintf(&b, "  %s(%s)", short.Short(c.Function), args)
	}
	if c.Results != "" {
		b.WriteString(" = " + c.Results)
	}
	switch {
	case c.End == control.OnPanic && c.Panic != "":
		b.WriteString(" panicked: " + c.Panic)
	case c.End == control.OnPanic:
		b.WriteString(" panicked")
	case c.Panic != "":
		b.WriteString(", recovered a panic: " + c.Panic)
	}
	if c.TraceID != "" {
		fmt.Fprintf(&b, "  trace=%s span=%s", c.TraceID, c.SpanID)
	}
	if labels := c.LabelText(); labels != "" {
		b.WriteString("  labels=" + labels)
	}
	if by := c.Caller; by != nil {
		fmt.Fprintf(&b, "  by %s  %s:%d", by.Function, by.File, by.Line)
	}
	b.WriteByte('\n')
	for _, by := range c.Stack {
		fmt.Fprintf(&b, "    by %s  %s:%d\n", by.Function, by.File, by.Line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *app) stackCommand() *cobra.Command {
	var limits limitFlags
	cmd := a.liveCmd("stack [flags] PID FUNC...", "show the callers of functions in a running program, with counts", 1, -1,
		func(set *pflag.FlagSet) {
			limits.define(set, "calls")
			limits.defineIf(set)
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			only, err := limits.condition(targets)
			if err != nil {
				return err
			}
			w := control.Watch{Kind: control.KindStacks, Limit: limits.hits, If: only}
			var last []control.Stack
			r, err := limits.watch(targets, w)
			if err != nil {
				return err
			}
			_, err = a.follow(c, f.form, r, limits.time, newsEvery, func(n *control.News) error {
				if len(n.Stacks) > 0 {
					last = n.Stacks
				}
				return nil
			})
			for i := range last {
				if err := a.showStack(f, &last[i]); err != nil {
					return err
				}
			}
			return err
		})
	cmd.Long = `Stack gathers the stacks of calls until it ends, and prints each stack with its number of calls, the
most frequent first.`
	return cmd
}

// showStack prints a stack.
func (a *app) showStack(f *liveFlags, s *control.Stack) error {
	if f.form == "json" {
		return a.object(s)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s\n", units.Things(s.Calls, "call"), s.Function)
	for _, c := range s.Callers {
		fmt.Fprintf(&b, "    by %s  %s:%d\n", c.Function, c.File, c.Line)
	}
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}

func (a *app) traceCommand() *cobra.Command {
	var limits limitFlags
	var least time.Duration
	var on []string
	cmd := a.liveCmd("trace [flags] PID FUNC...", "show what each call of a function did, in a running program", 1, -1,
		func(set *pflag.FlagSet) {
			limits.define(set, "calls")
			durationVar(set, &least, "min", 0, "leave out calls that took less than `DURATION`")
			set.StringSliceVar(&on, "on", nil, "panic: show calls that panicked only")
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			if len(on) > 1 || len(on) == 1 && on[0] != "panic" {
				return usagef("--on=%s: trace shows calls when they have ended: want panic, or no --on", strings.Join(on, ","))
			}
			w := control.Watch{Kind: control.KindTraces, MinNS: int64(least), Panics: len(on) > 0, Limit: limits.hits, Nodes: f.form == "json"}
			r, err := limits.watch(targets, w)
			if err != nil {
				return err
			}
			if !c.Patched && limits.set.Changed("budget") && r.Watch.Budget > 0 {
				return usagef("--budget=%s: traces of a program of waymark build have no budget, as nobody counts the calls that they gather: leave it out", limits.budget)
			}
			_, err = a.follow(c, f.form, r, limits.time, newsEvery, func(n *control.News) error {
				for i := range n.Traces {
					t := &n.Traces[i]
					if f.form == "json" {
						if err := a.traceObject(t); err != nil {
							return err
						}
					} else if _, err := fmt.Fprintf(a.stdout, "%s\n", t.Tree); err != nil {
						return err
					}
				}
				return nil
			})
			return err
		})
	cmd.Long = `Trace prints the tree of each call of the functions: all instrumented calls below it with their
times, also on the goroutines that it started. A program serves up to eight trace commands at a
time.`
	return cmd
}

// traceObject prints a trace as a line of JSON, with its tree as an object.
func (a *app) traceObject(t *control.Trace) error {
	out := struct {
		control.Trace
		Call bool          `json:"call,omitempty"`
		Tree *control.Node `json:"tree"`
	}{Trace: *t, Tree: t.Call}
	return a.object(out)
}
