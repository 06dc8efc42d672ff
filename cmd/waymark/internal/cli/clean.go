package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/library"
	"github.com/waymark-go/waymark/format"
)

func (a *app) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "empty the cache of rewritten files", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			c, err := cache.Open()
			if err != nil {
				return err
			}
			n, err := c.Clean()
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stderr, "waymark: %.1f MB removed from %s\n", float64(n)/1e6, c.Dir)
			return nil
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "waymark %s, trace file version %d\n", library.Version(), format.Version)
			return err
		},
	}
}
