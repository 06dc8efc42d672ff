// Package cli is the face of the waymark command. Each command has one file, named after it. The
// file reads the command's arguments, has other packages do the work, and prints.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
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
	consent        consent
	stdin          io.Reader
	stdout, stderr io.Writer

	args     []string
	parts    *Parts // nil: those of the program full are missing
	allFlags bool   // help shows all of them

	configPath string // of the file that flags were taken from, "" if there was none
}

// Main runs the command with the given arguments and returns its exit status. parts may be nil.
func Main(args []string, parts *Parts, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{args: args, parts: parts, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	if len(args) > 1 && args[1] == "--help-all" {
		a.allFlags = true
		args = []string{args[0], "--help"}
	}
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
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

// systemCall matches what failed, in an error about a file that is not there: users know the file.
var systemCall = regexp.MustCompile(`\b(?:stat|lstat|open) (.+: no such file or directory)`)

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
	text := systemCall.ReplaceAllString(names.PrintableLines(err.Error()), "$1")
	fmt.Fprintf(a.stderr, "waymark: %s\n", strings.ReplaceAll(text, "\n", "\nwaymark: "))
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
		Long: `waymark shows exactly which functions of a Go program took the time, how often they ran, with
which arguments, and how they ended. It changes no source.

  waymark test --trace ./...    what each failed test did, call by call
  waymark run ./cmd/app         which functions took the time
  waymark top PID               the same of a running program, also of one that plain Go has built

Commands that build take waymark's flags with two dashes, and the go command's with one:
waymark run --include ./... -race ./cmd/app`,
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
	cobra.AddTemplateFunc("flags", a.flagsOf)
	root.SetUsageTemplate(helpTemplate)
	cobra.EnableCommandSorting = false
	for _, g := range a.groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
			completes(cmd)
			explain(cmd)
		}
	}
	root.SetHelpCommandGroupID("Other")
	root.SetCompletionCommandGroupID("Other")
	return root
}

// groups lists the commands as help does.
func (a *app) groups() []group {
	return []group{
		{"Start", []*cobra.Command{a.runCommand(), a.testCommand(), a.recordCommand(), a.buildCommand()}},
		{"Recordings", []*cobra.Command{
			a.configurable(a.reportCommand()), a.configurable(a.treeCommand()), a.configurable(a.replayCommand()), a.configurable(a.tracesCommand()),
			a.serveCommand(), a.tuiCommand(), a.configurable(a.diffCommand()), a.configurable(a.exportCommand()), a.infoCommand(),
		}},
		{"Running programs", []*cobra.Command{
			a.psCommand(), a.attachCommand(), a.topCommand(), a.watchCommand(), a.traceCommand(), a.stackCommand(), a.sampleCommand(), a.monitorCommand(),
			a.statusCommand(), a.onCommand(), a.offCommand(), a.resetCommand(), a.resumeCommand(), a.callsCommand(), a.dumpCommand(),
		}},
		{"Coverage", []*cobra.Command{a.seenCommand()}},
		{"Other", []*cobra.Command{
			a.groupsCommand(), a.vetCommand(), a.generateCommand(), a.rewriteCommand(), a.envCommand(), a.probesCommand(), a.configurable(a.loadCommand()), a.mcpCommand(),
			a.cleanCommand(), a.versionCommand(),
		}},
	}
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
