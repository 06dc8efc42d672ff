package cli

import "github.com/spf13/cobra"

func (a *app) dumpCommand() *cobra.Command {
	var out string
	var f liveFlags
	cmd := &cobra.Command{
		Use: "dump [flags] [-o FILE] PID", Short: "write what a running program has recorded of late", Args: processArguments(0, 0),
		Long: `Dump writes the calls that a running program has in its flight recorder, which it has by
WAYMARK=record,overflow=ring or waymark record --overflow ring. Recording goes on.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if !a.namesProcess(args[0]) {
				return usagef("dump: want a process id, or the name of a program that listens; of a file: waymark info --blocks %s", args[0])
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.dumpLive(args[0], f.dir, out, f.form)
		},
	}
	f.define(cmd.Flags())
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write to; else the program chooses one")
	return cmd
}
