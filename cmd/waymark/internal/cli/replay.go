package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "replay [flags] FILE...", Short: "print every call of recordings in order", Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, files []string) error {
			only, err := filter.filter()
			if err != nil {
				return err
			}
			return a.withSet(files, func(set *tracefile.Set) error {
				if err := only.Check(set); err != nil {
					return err
				}
				calls, err := replay.Write(a.stdout, set, &only)
				errs := []error{err}
				for _, p := range set.Processes {
					for _, part := range p.Parts() {
						if damaged := part.Info().Damaged; damaged > 0 {
							errs = append(errs, fmt.Errorf("%s: %w: %s could not be read, the calls are of the rest", part.Path(), format.ErrDamaged, report.Bytes(damaged)))
						}
					}
				}
				return errors.Join(append(errs, a.tellMissed(filter.missed, set, calls))...)
			})
		},
	}
	filter.define(cmd.Flags())
	return cmd
}
