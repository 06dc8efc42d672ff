package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A group is commands that the list of commands has together.
type group struct {
	title    string
	commands []*cobra.Command
}

// long says in some lines what the main commands do, for those whose file doesn't.
var long = map[string]string{
	"run": `
Run builds a program with every function of its module observable, and runs it. When the program
ends, also by a signal or a panic, it prints how often functions ran and how long they took. Tiny
functions, closures and dependencies are left out: --all, --closures, --include add them.`,
	"test": `
Test builds and runs tests as go test does. With --trace it records them, and prints the calls of
each failed test: arguments, results, and what the test logged. With --check it compares numbers of
calls and objects with those that --counts wrote.`,
	"record": `
Record runs a program and writes every call to a file, waymark.wmt, which survives a kill. Report,
tree, replay, traces and serve show it. A number is a process: record then records the running
program, also one that waymark did not build.`,
	"build": `
Build writes a program with every function of its module observable. Until tracing is switched on,
by WAYMARK in its environment or by a command, a call costs some instructions more. Showing
arguments and results needs a build with --args and --results.`,
	"report": `
Report prints a table of functions: calls, total and self time. Total adds up the durations of all
calls, on all goroutines. Self is the part of it that was not spent in other functions of the table.
Some filters, such as --time and --without, leave calls out before they are added up. Others, such
as --include and --min, only choose rows.`,
	"tree": `
Tree prints the call tree: calls with the same callers are added up in one line, with total and
self time. --callers FUNC inverts the tree: the line of FUNC comes first, its callers below.`,
	"replay": `
Replay prints every call, indented below its caller. The calls of each goroutine are in the order in
which they began. A call without calls below it is printed when it ends, so that lines of other
goroutines may come before it. Arguments, results and panics are shown if the recording has them.
Use --goroutine, --time, --include and --min to find the calls that matter.`,
	"traces": `
Traces lists the slowest requests. A trace is a root call, with all calls below it, also on
goroutines that it starts. A root call has no recorded caller; --root chooses other root calls. With
a KEY of the list it prints the calls of that trace.`,
	"export": `
Export writes recordings in the formats of other programs: pprof, Perfetto, Chrome, speedscope,
flame graphs, OpenTelemetry, Parquet for SQL, CTF, XML and JSON. The filters of replay, but for
--if, choose the calls.`,
	"serve": `
Serve shows recordings in a browser: functions, call tree, flame graph, timeline, traces, source.
For a running program it shows groups with switches, numbers, and calls as they happen. It listens
on this machine only. It prints the address to open, which has a secret token.`,
	"monitor": `
Monitor prints, for each period, how often functions of a running program were called, how many
calls panicked, and how long they took. It ends with ^C, and leaves nothing switched on.`,
}

// common lists the flags that help shows. The others of these commands are shown by --help-all only.
var common = map[string]string{
	"run":     "include exclude args results sort top by tree traces output format",
	"test":    "trace include exclude args results rerun output counts check seen waiting",
	"record":  "output include exclude args results waiting objects overflow max-size for",
	"build":   "include exclude args results all closures redact usdt",
	"rewrite": "include exclude args results all closures output",
	"groups":  "include exclude format output timing",
	"env":     "include exclude args results all closures",
	"report":  "sort top by include exclude min time goroutine format output",
	"tree":    "callers root depth min include exclude time goroutine format",
	"replay":  "include exclude min time goroutine depth width",
	"traces":  "root top failed critical args waiting include min time format",
	"export":  "to output include exclude min time goroutine",
	"diff":    "fail-over test top include exclude min format",
	"load":    "output rate depth width for",
}

// explain gives a command what its help shows.
func explain(cmd *cobra.Command) {
	if text := long[cmd.Name()]; text != "" {
		cmd.Long = strings.TrimPrefix(text, "\n")
	}
	cmd.Example = indent(examples[cmd.Name()])
}

// helpTemplate is cobra's usage template without what this command doesn't have.
const helpTemplate = `Usage:
  {{if .HasParent}}{{.UseLine}}{{else}}waymark COMMAND ...{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{range $group := .Groups}}

{{.Title}}{{range $.Commands}}{{if eq .GroupID $group.ID}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{with flags .}}

Flags:
{{.}}{{end}}{{if .HasAvailableSubCommands}}

waymark COMMAND -h explains a command. waymark help patterns and waymark help conditions explain how
to choose functions and calls.{{end}}
`

// flagsOf returns the flags of a command as help shows them: the common ones, or all.
func (a *app) flagsOf(cmd *cobra.Command) string {
	first := strings.Fields(common[cmd.Name()])
	if len(first) == 0 || a.allFlags {
		return strings.TrimRight(optional(cmd.LocalFlags().FlagUsagesWrapped(100)), "\n")
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, name := range first {
		set.AddFlag(cmd.Flags().Lookup(name))
	}
	more := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden && !slices.Contains(first, f.Name) {
			more++
		}
	})
	return optional(set.FlagUsagesWrapped(100)) + "\n" + cmd.CommandPath() + fmt.Sprintf(" --help-all shows %d more flags.", more)
}
