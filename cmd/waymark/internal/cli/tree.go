package cli

import (
	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) treeCommand() *cobra.Command {
	var filter filterFlags
	var text textFlags
	var form string
	var waiting bool
	cmd := &cobra.Command{
		Use: "tree [flags] FILE...", Short: "print the call tree of recordings", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := text.check(); err != nil {
				return err
			}
			asked, err := report.ParseTreeFormat(form)
			if err != nil {
				return usagef("--format: %w", err)
			}
			only, err := filter.filter()
			if err != nil {
				return err
			}
			o := report.Options{Tree: true, Filter: only, Style: text.style(a.stdout), FullNames: text.full(), Waiting: waiting}
			missed := func(set *tracefile.Set, r *report.Report) ([]string, error) {
				return filter.missed(set, r.Calls(), showsTree, func() (int64, error) { return r.Longest(), nil })
			}
			return a.read(files, o, missed, func(r *report.Report) error {
				note, err := r.WriteTree(a.stdout, asked)
				if err != nil {
					return err
				}
				if note != "" {
					a.note(note)
				}
				if asked == report.CSV {
					a.note(recording.Lacks(r.Recordings)...)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&form, "format", "text", "`FORMAT`: text, json, csv or rows; json is nested, 100 levels deep by default (--depth); rows is a list in JSON, with id and parent, of any depth")
	cmd.Flags().BoolVar(&waiting, "waiting", false, waitingUsage)
	text.define(cmd.Flags())
	filter.define(cmd.Flags(), showsTree)
	filter.defineIf(cmd.Flags(), "show paths to calls")
	filter.definePaths(cmd.Flags(), "the trees of functions that match `PATTERN`", "the callers of functions that match `PATTERN`, 100 levels by default (--depth)")
	return cmd
}
