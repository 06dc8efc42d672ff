package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/live"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
)

func (a *app) monitorCommand() *cobra.Command {
	var limits limitFlags
	var every time.Duration
	return a.liveCmd("monitor [flags] PID FUNC...", "show rates and times of functions in a running program, period by period", 1, -1,
		func(set *pflag.FlagSet) {
			limits.define(set, "")
			limits.defineIf(set)
			durationVar(set, &every, "every", 5*time.Second, "`DURATION`")
		},
		func(c *live.Conn, f *liveFlags, targets []string) error {
			if err := checkEvery(every); err != nil {
				return err
			}
			only, err := limits.condition(targets)
			if err != nil {
				return err
			}
			w := control.Watch{Kind: control.KindPeriods, If: only}
			r, err := limits.watch(targets, w)
			if err != nil {
				return err
			}
			_, err = a.follow(c, f.form, r, limits.time, max(every, newsEvery+1), func(n *control.News) error {
				part := n.Cut
				if part != nil && part.Period >= wholly {
					part = nil
				}
				if f.form != "json" {
					return a.showPeriod(n.Functions, part)
				}
				if part != nil {
					if err := a.cut(f.form, part, ""); err != nil {
						return err
					}
				}
				return a.objects(n.Functions)
			})
			return err
		})
}

// wholly is the share of a period from which on calls were seen all the time, as far as clocks tell.
const wholly = 0.999

// showPeriod prints the numbers of a period, and for how much of it calls were seen, unless part is nil.
func (a *app) showPeriod(list []control.Numbers, part *control.Cut) error {
	short := names.NewSet()
	for i := range list {
		short.Add(list[i].Function)
	}
	t := table.Table{Columns: []table.Column{
		{Head: "Calls", Right: true}, {Head: "Returned", Right: true}, {Head: "Panicked", Right: true}, {Head: "Panic rate", Right: true},
		{Head: "Avg", Right: true}, {Head: "Min", Right: true}, {Head: "Max", Right: true}, {Head: "p99", Right: true}, {Head: "Function"},
	}}
	for i := range list {
		n := &list[i]
		row := []table.Cell{
			table.Count(n.Returned), table.Panics(n.Panics), {Text: fmt.Sprintf("%.1f %%", 100*float64(n.Panics)/float64(max(n.Calls, 1)))},
			table.Duration(n.AvgNS), table.Duration(n.MinNS), table.Duration(n.MaxNS), table.Duration(n.P99NS),
		}
		for i := range row {
			switch {
			case n.Untimed > 0 && n.Untimed == n.Calls:
				row[i] = table.None
			case n.Untimed > 0 && row[i] != table.None:
				row[i] = row[i].About()
			}
		}
		t.Rows = append(t.Rows, append(append([]table.Cell{table.Count(n.Calls)}, row...), table.Cell{Text: short.Short(n.Function)}))
	}
	head := time.Now().Format("15:04:05")
	if part != nil {
		head += "  seen for " + percent(part.Period) + " of the time"
	} else if len(list) == 0 {
		head += "  no calls"
	}
	if _, err := fmt.Fprintln(a.stdout, head); err != nil || len(list) == 0 {
		return err
	}
	return t.Write(a.stdout, (&textFlags{}).style(a.stdout))
}
