package cli

import "github.com/spf13/cobra"

func (a *app) dumpCommand() *cobra.Command {
	var out string
	var f liveFlags
	cmd := &cobra.Command{
		Use: "dump [flags] [-o FILE] PID", Short: "write the flight recorder of a running program", Args: processArguments(0, 0),
		Long: `Dump writes the calls in the flight recorder of a running program. The program has one by
WAYMARK=record,overflow=ring or waymark record --overflow ring. Recording goes on.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if !a.namesProcess(args[0]) {
				return usagef("dump: want a process id, or the name of a running program; for a file use waymark info --blocks %s", args[0])
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.dumpLive(args[0], f.dir, out, f.form)
		},
	}
	f.define(cmd.Flags())
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write to; default: the program chooses a file")
	return cmd
}
