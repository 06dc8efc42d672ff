package cli

import "github.com/spf13/cobra"
import "github.com/spf13/pflag"

func (a *app) reportCommand() *cobra.Command { return &cobra.Command{Use: "report"} }
func (a *app) infoCommand() *cobra.Command   { return &cobra.Command{Use: "info"} }
type reportFlags struct {}
func (r *reportFlags) define(*pflag.FlagSet) {}
func (r *reportFlags) check() error { return nil }
func (a *app) reportRun(file string, r *reportFlags) error { return nil }
