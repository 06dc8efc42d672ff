package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// topColumns are the values of --sort of top: those of a report, but for objects, which a running
// program doesn't count for others. topSorts has what they compare.
var topColumns = slices.DeleteFunc(slices.Clone(report.Sorts), func(s string) bool { return topSorts[s] == nil })

var topSorts = map[string]func(n *control.Numbers) int64{
	"total": func(n *control.Numbers) int64 { return n.TotalNS }, "self": func(n *control.Numbers) int64 { return n.SelfNS },
	"calls": func(n *control.Numbers) int64 { return int64(n.Calls) }, "avg": func(n *control.Numbers) int64 { return n.AvgNS },
	"max": func(n *control.Numbers) int64 { return n.MaxNS }, "panics": func(n *control.Numbers) int64 { return int64(n.Panics) },
	"errors":  func(n *control.Numbers) int64 { return int64(n.Errors) },
	"running": partOf(func(p *control.Parts) int64 { return p.RunningNS }), "runnable": partOf(func(p *control.Parts) int64 { return p.RunnableNS }),
	"waiting": partOf(func(p *control.Parts) int64 { return p.WaitingNS }),
}

// partOf makes a value of topSorts of one for a part of the time.
func partOf(part func(*control.Parts) int64) func(*control.Numbers) int64 {
	return func(n *control.Numbers) int64 {
		if n.Parts == nil {
			return 0
		}
		return part(n.Parts)
	}
}

// topFlags are the flags of top.
type topFlags struct {
	limits limitFlags
	every  time.Duration
	sort   string
	rows   int
	tables uint64 // 0: no limit
	calls  bool
}

func (a *app) topCommand() *cobra.Command {
	var t topFlags
	cmd := a.liveCmd("top [flags] PID [TARGET...]", "show the functions of a running program that take the most time", 0, -1,
		func(set *pflag.FlagSet) {
			t.limits.define(set, "")
			durationVar(set, &t.every, "every", time.Second, "`DURATION` between two tables")
			set.StringVar(&t.sort, "sort", topColumns[0], "sort by `COLUMN`: "+listed(topColumns))
			set.IntVar(&t.rows, "top", 20, "print at most `ROWS` rows; 0: all, at most 500")
			set.BoolVar(&t.calls, "calls-only", false, "count calls only, and read no clock: for functions with too many calls to time")
			set.Uint64VarP(&t.tables, "limit", "n", 0, "end after `NUMBER` tables; 0: no limit")
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			if _, ok := topSorts[t.sort]; !ok {
				return usagef("--sort=%s: want %s%s", t.sort, listed(topColumns), pattern.IsIt(t.sort, topColumns, 1))
			}
			if t.calls && t.sort != topColumns[0] && t.sort != "calls" {
				return usagef("--sort=%s: with --calls-only there are calls only", t.sort)
			}
			if c.Patched && slices.Contains([]string{"running", "runnable", "waiting", "errors"}, t.sort) {
				return usagef("--sort=%s: a program that waymark has not built has no such column: want total, self, calls, avg, max or panics", t.sort)
			}
			if t.rows < 0 {
				return usagef("--top=%d: want 0 or more", t.rows)
			}
			if err := checkEvery(t.every); err != nil {
				return err
			}
			return a.top(c, f, &t, targets)
		})
	cmd.Long = `Top times functions while it runs, and prints each period the sums since its beginning. Min
and Max are those since the function was first timed. Calls in progress, marked (N open), count with
their time until now; those of a patched program count when they end.`
	return cmd
}

func (a *app) top(c *live.Conn, f *liveFlags, t *topFlags, targets []string) error {
	w := control.Watch{Kind: control.KindSums, Waits: !t.calls, Count: t.calls}
	if t.calls {
		t.sort = "calls"
	}
	shown := uint64(0)
	began := time.Now()
	screen := isTerminal(a.stdout) && t.tables != 1 && f.form == "text"
	r, err := t.limits.watch(targets, w)
	if err != nil {
		return err
	}
	_, err = a.follow(c, f.form, r, t.limits.time, max(t.every, newsEvery+1), func(n *control.News) error {
		key := topSorts[t.sort]
		slices.SortStableFunc(n.Functions, func(a, b control.Numbers) int { return cmp.Compare(key(&b), key(&a)) })
		if t.rows > 0 {
			n.Functions = n.Functions[:min(len(n.Functions), t.rows)]
		}
		head := units.Duration(time.Since(began)) + " since top began"
		switch {
		case t.calls:
		case c.Patched:
			head += ": sums of calls that began and ended since"
		default:
			head += ": sums since then, of open calls until now"
		}
		if err := a.showTop(f, t, n.Functions, head, screen); err != nil {
			return err
		}
		if shown++; shown == t.tables {
			return errEnough
		}
		return nil
	})
	return err
}

// showTop prints a table below a head, or a line of JSON for each function. On a screen it takes the place of the
// last one.
func (a *app) showTop(f *liveFlags, t *topFlags, list []control.Numbers, head string, screen bool) error {
	if f.form == "json" {
		return a.objects(list)
	}
	short := names.NewSet()
	for i := range list {
		short.Add(list[i].Function)
	}
	rows := make([]table.Calls, len(list))
	// Callers of calls without times have these in their self time.
	untimed := slices.ContainsFunc(list, func(n control.Numbers) bool { return n.Untimed > 0 })
	for i := range list {
		n := &list[i]
		rows[i] = table.Calls{
			Name: short.Short(n.Function), Calls: n.Calls, Open: n.Open, Panics: n.Panics, Errors: n.Errors,
			Total: time.Duration(n.TotalNS), Self: time.Duration(n.SelfNS),
			Min: time.Duration(n.MinNS), Avg: time.Duration(n.AvgNS), Max: time.Duration(n.MaxNS),
			AboutCalls: n.Gaps, About: n.Untimed > 0, AboutSelf: untimed, Untimed: n.Untimed > 0 && n.Untimed+n.Open >= n.Calls,
		}
		if p := n.Parts; p != nil {
			rows[i].Parts = []time.Duration{time.Duration(p.RunningNS), time.Duration(p.RunnableNS), time.Duration(p.WaitingNS)}
		}
	}
	if screen {
		io.WriteString(a.stdout, "\x1b[H\x1b[2J")
	}
	if _, err := fmt.Fprintln(a.stdout, head); err != nil {
		return err
	}
	all := table.Timed("Function", rows)
	if t.calls {
		all = table.Counted(rows)
	}
	return all.Write(a.stdout, (&textFlags{}).style(a.stdout))
}
