// Package cli is the face of the waymark command. Each command has one file, named after it. The
// file reads the command's arguments, has other packages do the work, and prints.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/internal/text/names"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

// A usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// An exitError ends the command with a status and without a message: the status is a traced
// program's own, or a message was printed before.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// An app is one run of the command.
type app struct {
	yes            bool // see defineYes
	stdin          io.Reader
	stdout, stderr io.Writer

	configPath string // of the file that flags were taken from, "" if there was none
}

// Main runs the command with the given arguments and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	a.askBeforePatching()
	root.SetIn(stdin)
	help := &failing{Writer: stdout}
	root.SetOut(help)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		err = help.err
	}
	return a.status(err)
}

// failing remembers that writing failed: cobra's help and completion ignore errors.
type failing struct {
	io.Writer
	err error
	any bool // something was written
}

func (w *failing) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.any = w.any || n > 0
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// status reports err and returns the exit status for it.
func (a *app) status(err error) int {
	var exit exitError
	var usage usageError
	var gocmd *gocmd.Error
	var mistakes directive.Diagnostics
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &mistakes):
		a.printMistakes(mistakes)
		return exitFailed
	case errors.As(err, &gocmd):
		// The go command's own words, nothing else.
		fmt.Fprintln(a.stderr, names.PrintableLines(gocmd.Error()))
		return exitFailed
	}
	// An error for each file or flag is a line.
	fmt.Fprintf(a.stderr, "waymark: %s\n", strings.ReplaceAll(names.PrintableLines(err.Error()), "\n", "\nwaymark: "))
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// printMistakes prints mistakes in directives in the way of the go command's tools.
func (a *app) printMistakes(list directive.Diagnostics) {
	dir, _ := os.Getwd()
	for _, d := range list {
		if rel, err := filepath.Rel(dir, d.Pos.Filename); err == nil && !strings.HasPrefix(rel, "..") {
			d.Pos.Filename = "." + string(filepath.Separator) + rel
		}
		fmt.Fprintln(a.stderr, names.PrintableLines(d.String()))
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "waymark",
		Short: "waymark traces the functions of Go programs",
		Long: `waymark rebuilds a Go program with every function observable, without touching
its source, and tells exactly which functions took the time, how often they ran
and how they ended.

On the commands that build, two dashes are waymark's flags and one dash is the go
command's: waymark run --include ./... -race ./cmd/app`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(root, args[0])
	}
	root.SetHelpCommand(helpCommand(root))
	root.SetFlagErrorFunc(flagError)
	cobra.AddTemplateFunc("optional", optional)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 100 | optional"))
	root.AddCommand(
		a.buildCommand(), a.runCommand(), a.testCommand(), a.recordCommand(), a.rewriteCommand(), a.groupsCommand(), a.generateCommand(), a.vetCommand(),
		a.configurable(a.reportCommand()), a.tuiCommand(), a.configurable(a.treeCommand()), a.configurable(a.replayCommand()), a.configurable(a.tracesCommand()),
		a.configurable(a.exportCommand()), a.configurable(a.loadCommand()), a.configurable(a.diffCommand()), a.seenCommand(), a.infoCommand(), a.dumpCommand(), a.serveCommand(),
		a.psCommand(), a.probesCommand(), a.statusCommand(), a.onCommand(), a.offCommand(), a.resetCommand(), a.resumeCommand(),
		a.attachCommand(), a.topCommand(), a.watchCommand(), a.callsCommand(), a.traceCommand(), a.stackCommand(), a.monitorCommand(), a.sampleCommand(), a.mcpCommand(),
		a.envCommand(), a.cleanCommand(), a.versionCommand(),
	)
	for _, cmd := range root.Commands() {
		completes(cmd)
		cmd.Example = indent(examples[cmd.Name()])
	}
	return root
}

// asIn returns an example that names the recording of the default name, if this folder has that
// file.
func asIn(command string) string {
	if _, err := os.Stat(defaultRecording); err != nil {
		return ""
	}
	return ", as in waymark " + command + " " + defaultRecording
}

// arguments checks the number of arguments of an offline command.
func arguments(min, max int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < min:
			return usagef("%s: want a recording: waymark %s%s", cmd.Name(), cmd.Use, asIn(cmd.Name()))
		case max >= 0 && len(args) > max:
			return usagef("%s: unexpected argument %s", cmd.Name(), args[max])
		}
		return nil
	}
}

// progress returns a function that shows the current step in a line on stderr, and a function that
// removes the line. The line is shown only on a terminal.
func (a *app) progress() (show func(string), done func()) {
	if !isTerminal(a.stderr) {
		return func(string) {}, func() {}
	}
	last := ""
	show = func(what string) {
		if what != last { // terminals may be slow
			fmt.Fprintf(a.stderr, "\r\x1b[Kwaymark: %s ...", what)
			last = what
		}
	}
	return show, func() { fmt.Fprint(a.stderr, "\r\x1b[K") }
}
