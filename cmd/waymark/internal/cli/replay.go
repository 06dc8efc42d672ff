package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/replay"
	"github.com/waymark-go/waymark/cmd/waymark/internal/report"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) replayCommand() *cobra.Command {
	var filter filterFlags
	cmd := &cobra.Command{
		Use: "replay [flags] FILE", Short: "print every call of a recording in order", Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, files []string) error {
			only, err := filter.filter()
			if err != nil {
				return err
			}
			file, err := tracefile.Open(files[0])
			if err != nil {
				return err
			}
			defer file.Close()
			p := replay.New(a.stdout, file, report.ScaleOf(file).Nanoseconds, only.Min > 0)
			_, err = only.Read(file, calltree.Options{OnEnter: p.Enter, OnCall: p.Call})
			if flushErr := p.Flush(); flushErr != nil {
				return flushErr // the reader of the output has gone: not worth more words
			}
			if damaged := file.Info().Damaged; err == nil && damaged > 0 {
				err = fmt.Errorf("%s: %w: %s could not be read, the calls are of the rest", files[0], format.ErrDamaged, report.Bytes(damaged))
			}
			return err
		},
	}
	filter.define(cmd.Flags())
	return cmd
}
