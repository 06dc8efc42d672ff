package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/internal/wire/format"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version, its commit, and the tested Go releases", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			var from string
			if commit := library.Commit(); commit != "" {
				from = " from commit " + commit
			}
			_, err := fmt.Fprintf(a.stdout, "waymark %s, trace file version %d\nbuilt%s with %s for %s/%s, tested with %s\n",
				library.Version(), format.Version, from, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(toolchain.Tested, ", "))
			return err
		},
	}
}
