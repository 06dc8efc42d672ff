package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/pattern"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
)

func (a *app) treeCommand() *cobra.Command {
	var filter filterFlags
	var root, callers, format string
	cmd := &cobra.Command{
		Use: "tree [flags] FILE...", Short: "print the call tree of recordings", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			if root != "" && callers != "" {
				return usagef("--root and --callers: want one of them")
			}
			form, err := report.ParseFormat(format)
			if err != nil {
				return usageError{err}
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
			r, err := a.read(files, report.Options{Tree: true, Filter: only, Colour: colour(a.stdout)})
			if len(r.Recordings) > 0 {
				if err := r.WriteTree(a.stdout, view, form); err != nil {
					return err
				}
				if m.pattern != "" && !m.matched {
					return fmt.Errorf("pattern %s matches no function that was called", m.pattern)
				}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&root, "root", "", "the trees of functions that match `PATTERN`")
	cmd.Flags().StringVar(&callers, "callers", "", "who calls the functions that match `PATTERN`")
	cmd.Flags().StringVar(&format, "format", "text", "text, json or csv")
	filter.define(cmd.Flags())
	return cmd
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
	ok, _ := m.set.Match(pattern.FromRuntime(r.Package, r.Name))
	m.matched = m.matched || ok
	return ok
}
