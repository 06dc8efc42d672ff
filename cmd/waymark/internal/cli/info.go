package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/raw"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) infoCommand() *cobra.Command {
	var format string
	var blocks bool
	cmd := &cobra.Command{
		Use: "info [flags] FILE", Short: "print facts about a recording", Args: arguments(1, 1),
		Long: `Info prints facts about a recording: program, host, clock, events, damage.

With --blocks it prints the file as it is: the offset of each block in the file, its kind, its size
in bytes, whether its checksum is good, and what it holds. Events are printed with the ticks of
their clock and the word that stands for them in the program's memory. Each damaged range is named.
This is for people who work on waymark or on a damaged file. For recordings use waymark report,
tree and replay.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if blocks && cmd.Flags().Changed("format") {
				return usagef("info: --blocks is text only: leave --format out")
			}
			if blocks {
				return a.writeBlocks(files[0])
			}
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
			if err != nil {
				return err
			}
			return unread(files[0], info.Damaged)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json")
	cmd.Flags().BoolVar(&blocks, "blocks", false, "print the file's blocks and events as text")
	return cmd
}

// writeBlocks prints a trace file block by block.
func (a *app) writeBlocks(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: want a trace file, which is a regular file", path)
	}
	damaged, err := raw.Write(a.stdout, f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return unread(path, damaged)
}

// unread returns the error about a file of which bytes could not be read, nil if there are none.
func unread(path string, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return fmt.Errorf("%s is damaged: %d bytes could not be read", path, bytes)
}
