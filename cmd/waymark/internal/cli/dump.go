package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/raw"
)

func (a *app) dumpCommand() *cobra.Command {
	var text bool
	cmd := &cobra.Command{
		Use: "dump --text FILE", Short: "print a recording as it is, block by block and event by event", Args: arguments(1, 1),
		Long: `Dump prints the blocks of a trace file: the offset of each block in the file, its kind, its
size in bytes, whether its checksum is good, and what it holds. Events are printed with the ticks
of their clock and the word that stands for them in the program's memory. Dump names each damaged
range.

Dump is for people who work on waymark or on a damaged file. For recordings use waymark report,
tree and replay. --text is for files, not for running programs.`,
		RunE: func(_ *cobra.Command, files []string) error {
			if !text {
				return usagef("dump: want --text, which prints a file: waymark dump --text %s", files[0])
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
	return cmd
}
