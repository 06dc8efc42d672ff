package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/raw"
)

func (a *app) dumpCommand() *cobra.Command {
	var text bool
	var out, dir, form string
	cmd := &cobra.Command{
		Use: "dump --text FILE, or dump [-o FILE] PID", Short: "print the blocks of a recording, or write the flight recorder of a running program", Args: arguments(1, 1),
		Long: `Dump PID writes the calls in the flight recorder of a running program. The program has one by
WAYMARK=record,overflow=ring or waymark record --overflow ring. Recording goes on.

Dump --text prints the blocks of a trace file: the offset of each block in the file, its kind, its
size in bytes, whether its checksum is good, and its content. Events are printed with the ticks of
their clock and their encoding in the program's memory. Dump names each damaged range.

Dump --text is for developers of waymark and for damaged files. For recordings use waymark report,
tree and replay.`,
		RunE: func(_ *cobra.Command, files []string) error {
			switch {
			case text && (out != "" || dir != "" || form != "text"):
				return usagef("dump: --text prints a file to stdout: --output, --dir and --format are for a running program")
			case !text && a.namesProcess(files[0]):
				if err := (&liveFlags{form: form}).check(); err != nil {
					return err
				}
				return a.dumpLive(files[0], dir, out, form)
			case !text:
				return usagef("dump: want --text and a file, or a process id, or the name of a running program: waymark dump --text %s", files[0])
			}
			f, err := os.Open(files[0])
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s: want a trace file, which is a regular file", files[0])
			}
			damaged, err := raw.Write(a.stdout, f, info.Size())
			if err != nil {
				return fmt.Errorf("%s: %w", files[0], err)
			}
			if damaged > 0 {
				return fmt.Errorf("%s is damaged: %d bytes could not be read", files[0], damaged)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&text, "text", false, "print the file's blocks and events as text")
	cmd.Flags().StringVarP(&out, "output", "o", "", "of a running program, `FILE` to write to; default: the program chooses a file")
	cmd.Flags().StringVar(&dir, "dir", "", "of a running program, look for its socket in `DIR`")
	cmd.Flags().StringVar(&form, "format", "text", "of a running program, `FORMAT` of the message about the file: text or json")
	return cmd
}
