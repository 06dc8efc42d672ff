package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
)

func (a *app) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "empty the cache: rewritten files, and data of serve about recordings", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			c, err := cache.Open()
			if err != nil {
				return err
			}
			n, err := c.Clean()
			if err != nil {
				return err
			}
			a.note(fmt.Sprintf("%.1f MB removed from %s", float64(n)/1e6, c.Dir))
			return nil
		},
	}
}
