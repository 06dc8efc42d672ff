package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) treeCommand() *cobra.Command {
	var filter filterFlags
	var text textFlags
	var root, callers, form string
	cmd := &cobra.Command{
		Use: "tree [flags] FILE...", Short: "print the call tree of recordings", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if root != "" && callers != "" {
				return usagef("--root and --callers: want one of them")
			}
			if err := text.check(); err != nil {
				return err
			}
			asked, err := report.ParseFormat(form)
			if err != nil {
				return usagef("--format: %w", err)
			}
			only, err := filter.filter()
			if err != nil {
				return err
			}
			m := matcher{pattern: root + callers}
			view := report.View{}
			if m.pattern != "" {
				if err := m.compile(); err != nil {
					return err
				}
				if root != "" {
					view.Root = m.match
				} else {
					view.Callers = m.match
				}
			}
			o := report.Options{Tree: true, Filter: only, Style: text.style(a.stdout), FullNames: text.full()}
			return a.read(files, o, filter.missed, func(r *report.Report, set *tracefile.Set) error {
				if err := r.WriteTree(a.stdout, view, asked); err != nil {
					return err
				}
				if m.pattern != "" && !m.matched {
					return fmt.Errorf("pattern %s matches no function that was called%s", m.pattern, isIt(m.pattern, called(r)))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&root, "root", "", "the trees of functions that match `PATTERN`")
	cmd.Flags().StringVar(&callers, "callers", "", "who calls the functions that match `PATTERN`")
	cmd.Flags().StringVar(&form, "format", "text", "text, json or csv")
	text.define(cmd.Flags())
	filter.define(cmd.Flags())
	config.Mark(cmd.Flags(), config.IsPattern, "root", "callers")
	return cmd
}

// called gives the names of the functions of a report.
func called(r *report.Report) []string {
	rows, _ := r.Rows()
	var names []string
	for _, row := range rows {
		names = append(names, rowName(row).Names()...)
	}
	return names
}

// rowName gives the name of a row's function for patterns.
func rowName(r *report.Row) pattern.Func {
	return siteName(tracefile.Site{Package: r.Package, Site: format.Site{Name: r.Name, File: r.File}, Groups: r.Groups})
}

// A matcher finds functions by a pattern, and notes whether there were any.
type matcher struct {
	pattern string
	matched bool
	set     *pattern.Set
}

func (m *matcher) compile() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if m.set, err = pattern.CompileSet([]string{m.pattern}, dir); err != nil {
		return usageError{err}
	}
	return nil
}

func (m *matcher) match(r *report.Row) bool {
	ok, _ := m.set.Match(rowName(r))
	m.matched = m.matched || ok
	return ok
}
