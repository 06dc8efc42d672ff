package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) infoCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "info [flags] FILE", Short: "print facts about a recording", Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, files []string) error {
			f, err := report.ParseFormat(strings.ToLower(format))
			if err != nil {
				return usageError{err}
			}
			file, err := tracefile.Open(files[0])
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Verify()
			if err := report.WriteInfo(a.stdout, file, info, files[0], f); err != nil {
				return err
			}
			if err == nil && info.Damaged > 0 {
				err = fmt.Errorf("%s is damaged: %d bytes could not be read", files[0], info.Damaged)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json")
	return cmd
}
