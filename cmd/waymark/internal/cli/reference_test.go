package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/internal/program/agent"
)

var update = flag.Bool("update", false, "write docs/reference.md anew")

const referenceFile = "../../../../docs/reference.md"

// TestReference compares docs/reference.md with what the code says: commands, flags, keys of
// WAYMARK.
func TestReference(t *testing.T) {
	app := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	want := reference(app.root())
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/reference.md is not what the code says (-code +document):\n%s"+
			"write it anew: go test ./internal/cli -run TestReference -update", diff)
	}
}

// TestReferenceKeys compares the keys that the reference describes with those that the agent knows.
func TestReferenceKeys(t *testing.T) {
	var described []string
	for _, s := range settingsOfWAYMARK {
		described = append(described, strings.Fields(s.keys)...)
	}
	for _, key := range agent.Keys() {
		if !slices.Contains(described, key) && key != "latest" { // the command's own
			t.Errorf("settingsOfWAYMARK lacks %q, which the agent reads", key)
		}
	}
	for _, key := range described {
		if !slices.Contains(agent.Keys(), key) {
			t.Errorf("settingsOfWAYMARK has %q, which the agent does not read", key)
		}
	}
}

// A variable is a key of WAYMARK with its short form, or an environment variable.
type variable struct{ keys, means string }

var settingsOfWAYMARK = []variable{
	{"record", "Record every call of every instrumented function."},
	{"stats", "Gather [statistics](statistics.md) of all functions. " +
		"Each of `count`, `histogram`, `tree`, `i`, `top`, `names` and `report` does so too."},
	{"p include", "A [pattern](usage.md#choose-functions) of the functions that are counted; may be repeated. " +
		"With `record`: a group, as in `p=@IO`, and only its calls are recorded."},
	{"x exclude", "A pattern of the functions that are not counted; may be repeated. Not with `record`."},
	{"t print", "A pattern of the functions whose calls are printed on stderr as they happen; may be repeated."},
	{"d verbose", "How much is printed of these calls, 0 to 3; default 1. " +
		"See [calls as they happen](statistics.md#calls-as-they-happen)."},
	{"if", "A condition on these calls, in the encoding that `waymark run --if` writes: see [conditions](conditions.md)."},
	{"count", "Count calls, and read no clock."},
	{"histogram", "Gather the distribution of durations too."},
	{"tree", "Add the calls up by path of callers too: the [call tree](statistics.md#the-call-tree)."},
	{"objects", "Count heap [objects](statistics.md#objects) by type and function, too: in statistics, or with `record` in the recording."},
	{"i every", "Seconds between two reports; 0 is one report at the end."},
	{"top", "Rows of each list of a report; default 10, 0 is all."},
	{"names", "`short`, as far as names stay unique (default), or `full`."},
	{"report", "`text` (default) or `json`, written to stderr. `json:FILE` appends to a file, " +
		"`json:3` writes to a descriptor. `%p`, `%n` and `%%` are as in `o`."},
	{"seen", "Note which functions are [ever called](seen.md), in the file `o`, or `waymark.seen`. As in `seen=FILE` beside a " +
		"recording. `p` and `x` choose the functions."},
	{"traces", "A pattern of the functions whose calls begin [traces](traces.md); may be repeated. " +
		"When the program ends the traces are printed on stderr."},
	{"keep", "Which traces are kept: `slowest:N`, `failed`, `longer:DURATION`, `onein:N` or `all`; several add up. " +
		"Default `slowest:20`."},
	{"traces-out", "A file in which traces are saved, in XML, instead of being printed. " +
		"`%p`, `%n` and `%%` are as in `o`."},
	{"counts", "Write how often each test calls each function to a file, for [waymark test --counts](gates.md). Not with `seen`. " +
		"`%p`, `%n` and `%%` are as in `o`."},
	{"socket", "Let [waymark's commands](live.md) look into the program, through a socket in the user's folder, or as in " +
		"`socket=PATH`. `%p`, `%n` and `%%` are as in `o`. Default in programs of `waymark build`. Linux only."},
	{"agent", "1: as `socket`; 0: no socket."},
	{"suspend", "Wait before the program's first init function until [waymark resume](live.md#from-the-first-call-on)."},
	{"usdt", "0: tracers of the system don't see [probes](probes.md#turned-off), nor those of [functions](usdt.md#turned-off); also in programs that plain Go has built."},
	{"o out", "The trace file; default `waymark.wmt`. `%p` stands for the process id, " +
		"`%n` for the program's name, `%%` for a percent sign."},
	{"overflow", "When the writer can't keep up: `block` (default) waits, `drop` drops and counts, " +
		"`ring` keeps [the newest calls](usage.md#keep-the-newest-calls-only)."},
	{"buffers", "Memory for buffers, as in `67108864`, `64MB` or `64MiB`; default 64 MiB. " +
		"It is raised to what the number of CPUs needs."},
	{"window", "Of a ring, write the last time only, as in `10s`."},
	{"dump-at-exit", "Write the ring when the program ends well, too."},
	{"max-size", "End recording when the file has this size."},
	{"rotate", "At `max-size` begin a new file, and keep so many of the newest."},
	{"waiting", "Record when goroutines run, are ready and [wait](usage.md#see-what-calls-wait-for), and for what; " +
		"statistics have it by function."},
	{"budget", "What tracing may add to the program's CPU time, as in `10%`. The functions that cost most are " +
		"[demoted](budget.md): their calls are counted. `0` counts all calls; default `none`."},
	{"disk", "Bytes that the recordings of tests in one folder may take: calls of tests that passed make room, and the middle of long ones."},
	{"timeout", "The limit of `go test`, which does not count what recording takes; for `waymark test`."},
	{"args", "0: don't record the arguments that the program was built to record."},
	{"results", "0: don't record the results that the program was built to record."},
	{"stringers", "0: don't run methods `String` and `Error`, which the program was built to run."},
	{"arg-depth", "How deep values are followed."},
	{"arg-bytes", "How many bytes of each value are recorded."},
	{"redact-type", "Mask values of types with this name, too, as in `pay.Card`."},
	{"redact", "Mask fields whose names have this word. The build masks parameters."},
}

var variables = []variable{
	{"WAYMARK", "What an instrumented program does, see above."},
	{"WAYMARKCLOCK", "Forces the clock of an instrumented program: `tsc` (time stamp counter of amd64), " +
		"`cntvct` (generic timer of arm64) or `nanotime` (the runtime's monotonic clock). " +
		"If the machine lacks the clock, a line on stderr says so, and the default is used."},
	{"WAYMARKCACHE", "The folder of the command's cache."},
	{"WAYMARK_TOKEN", "What live commands show to a program that they reach by an address, see [live.md](live.md)."},
	{"WAYMARKCACHESIZE", "The limit of the cache in MB; default 1024."},
	{"NO_COLOR", "Switches colours off."},
}

// reference returns the text of docs/reference.md.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`# Reference

This document lists the commands and flags of waymark, the variables that it reads, and its exit
statuses. It is for users who know what they look for; the [guide](guide.md) and
[usage.md](usage.md) explain. A test writes this document from the code: don't edit it.

Contents: [commands](#commands), [flags](#flags), [the variable WAYMARK](#the-variable-waymark),
[other variables](#other-variables), [exit statuses](#exit-statuses).

## Commands

On the commands that build, two dashes are waymark's flags and one dash is the go command's:
` + "`waymark run --include ./... -race ./cmd/app`" + `.
`)
	commands := slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Name() == "help" })
	for _, c := range commands {
		fmt.Fprintf(&b, "\n### waymark %s\n\n%s.\n\n    waymark %s\n", c.Name(), upper(c.Short), c.Use)
		if c.Example != "" {
			fmt.Fprintf(&b, "\nExamples:\n\n%s\n", codeBlock(c.Example))
		}
		if names := flagNames(c); len(names) > 0 {
			fmt.Fprintf(&b, "\nFlags:\n%s.\n", wrap(strings.Join(names, ", ")))
		}
	}
	b.WriteString("\n`waymark completion bash`, `zsh`, `fish` or `powershell` writes a completion script.\n" +
		"`waymark CMD -h` prints the flags of one command.\n")

	b.WriteString("\n## Flags\n\nA flag that means different things to different commands has a row for each meaning. " +
		"The file\n[waymark.toml](usage.md#check-flags-in) can hold every flag, but `--config`, of\nthe commands that have `--config`.\n\n" +
		"| Flag | Of | Means |\n|---|---|---|\n")
	for _, r := range flagRows(commands) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(r.flag, "|", `\|`), strings.Join(r.of, ", "), r.means)
	}

	b.WriteString("\n## The variable WAYMARK\n\n" +
		wrap("An instrumented program reads `WAYMARK` when it starts: pairs of `key=value`, separated by commas. "+
			"A key without a value is on. A backslash takes the meaning from a comma, `#`, `:` or backslash behind it. "+
			"`WAYMARK=@FILE` reads the pairs from a regular file of 1 MiB at most, where line ends count as commas. "+
			"If the program can't understand a value, it says so on stderr and runs untraced.") + "\n\n" +
		"| Key | Means |\n|---|---|\n")
	writeVariables(&b, settingsOfWAYMARK)
	b.WriteString("\n## Other variables\n\n| Variable | Means |\n|---|---|\n")
	writeVariables(&b, variables)
	fmt.Fprintf(&b, `
## Exit statuses

| Status | Means |
|---|---|
| 0 | good |
| %d | failed: also a damaged recording, which is read as far as possible, and filters that leave no call |
| %d | a mistake in the command line or in `+"`waymark.toml`"+` |
| that of the program | `+"`run`, `record` and `test`"+` end as the program did, also by its signal |
`, exitFailed, exitUsage)
	return b.String()
}

func writeVariables(b *strings.Builder, list []variable) {
	for _, v := range list {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(v.keys, " ", "`, `"), v.means)
	}
}

func flagNames(c *cobra.Command) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			names = append(names, "`--"+f.Name+"`")
		}
	})
	return names
}

// A flagRow is a flag of the commands that mean the same by it.
type flagRow struct {
	flag, means string
	of          []string
}

func flagRows(commands []*cobra.Command) []flagRow {
	var rows []flagRow
	for _, c := range commands {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			row := flagRow{flag: spelled(f), means: meaning(f), of: []string{c.Name()}}
			for i := range rows {
				if rows[i].flag == row.flag && rows[i].means == row.means {
					rows[i].of = append(rows[i].of, c.Name())
					return
				}
			}
			rows = append(rows, row)
		})
	}
	name := func(flag string) string { return flag[strings.Index(flag, "--"):] }
	sort.SliceStable(rows, func(i, j int) bool { return name(rows[i].flag) < name(rows[j].flag) })
	return rows
}

// spelled returns a flag as it is written, with the name of its value.
func spelled(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	switch {
	case value == "":
		return text
	case f.NoOptDefVal != "":
		return text + "[=" + value + "]"
	}
	return text + " " + value
}

func meaning(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	default:
		usage += "; default `" + f.DefValue + "`"
	}
	return strings.ReplaceAll(usage, "|", `\|`)
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// codeBlock returns a command's examples, which are indented by two, as Markdown's code.
func codeBlock(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// wrap breaks text at blanks into lines of 100 columns at most.
func wrap(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && column+1+len(word) > 99:
			b.WriteString("\n")
			column = 0
		case i > 0:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
