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

	"github.com/waymark-go/waymark/internal/wire/setting"
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

// noKeys are the flags of commands that run programs and that become no setting of these, by the reason.
var noKeys = map[string]string{
	"of builds: " +
		"programs have what they say in them": "all closures exclude include untested-go usdt",
	"of the command's work":        "config dry-run",
	"of reports":                   "by format lines depth sort width",
	"of a command about a program": "dir for yes",
	"of recordings as a whole":     "check rerun runs trace",
	"of which tests run":           "affected explain list map verify",
}

// Each setting has a flag, or says why not. Each flag is of a setting, or noKeys says why not.
func TestSettings(t *testing.T) {
	app := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	flags := make(map[string]bool) // whether one is of a setting
	for _, c := range app.root().Commands() {
		if slices.Contains([]string{"run", "record", "test"}, c.Name()) {
			c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f.Name == "help" })
		}
	}
	for _, s := range setting.All {
		_, known := flags[s.Flag]
		switch {
		case (s.Flag == "") == (s.NoFlag == ""):
			t.Errorf("%s: want a flag, or a reason why there is none", s.Key)
		case s.Flag != "" && !known:
			t.Errorf("%s: run, record and test have no flag --%s", s.Key, s.Flag)
		case s.Flag == "" && s.Usage != "":
			t.Errorf("%s: there is no flag, but its help", s.Key)
		}
		flags[s.Flag] = true
	}
	for reason, names := range noKeys {
		for _, name := range strings.Fields(names) {
			if of, known := flags[name]; of || !known {
				t.Errorf("--%s is said to be %s, and is of a setting, or there is no such flag", name, reason)
			}
			flags[name] = true
		}
	}
	for name, of := range flags {
		if !of {
			t.Errorf("--%s: want a setting with it, or a reason in noKeys", name)
		}
	}
}

// A variable is an environment variable.
type variable struct{ name, means string }

var variables = []variable{
	{"WAYMARK", "What an instrumented program does, see above."},
	{"WAYMARKCLOCK", "Forces the clock of an instrumented program: `tsc` (time stamp counter of amd64), " +
		"`cntvct` (generic timer of arm64) or `nanotime` (the runtime's monotonic clock). " +
		"If the machine lacks the clock, a line on stderr says so, and the default is used."},
	{"WAYMARKCACHE", "The folder of the command's cache."},
	{"WAYMARK_TOKEN", "What live commands show to a program that they reach by an address, see [live.md](live.md)."},
	{"WAYMARK_ATTACH", "`0` in the environment of a program forbids waymark to patch it, see [attach.md](attach.md)."},
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
		"`waymark CMD -h` prints the common flags of one command, `waymark CMD --help-all` all.\n")

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
	for _, s := range setting.All {
		if s.Means != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimPrefix(s.Short+"`, `"+s.Key, "`, `"), s.Means)
		}
	}
	b.WriteString("\n## Other variables\n\n| Variable | Means |\n|---|---|\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.name, v.means)
	}
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
